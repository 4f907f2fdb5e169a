"""New articles that are known by their links, before they are fetched.

A link that is new on a page seen before and reads like the title of an article tells of a new
article, if earlier links like it led to some.  A watch may report it at once, and fetch it when
there are requests for it.  The page that shows the link is credited with its chance at once, too:
on a site that publishes more than can be fetched, the pages that show most would seem poor.
"""

from __future__ import annotations

from foragers.core.types import NO_PARENT, Page, Status, Visit
from foragers.strategies.watch.boxes import HEADLINE
from foragers.strategies.watch.links import LinkBook
from foragers.strategies.watch.outcomes import gives_date
from foragers.strategies.watch.settings import DEFAULT_WATCH
from foragers.strategies.watch.sites import Site, Waiting
from foragers.strategies.watch.sources import Sources


def credit_ahead(sources: Sources, book: LinkBook, site: Site) -> None:
    """Credit pages with the new articles that the links of the last tell promise."""
    for link in book.news:
        if link.url not in book.ahead and link.url in book.fresh and site.is_news(link):
            site.news += 1
            chance = book.ahead[link.url] = site.chance(link)
            sources.credit(link.through, chance, link.found, brought=False)


def take_back(sources: Sources, book: LinkBook, link: Waiting) -> None:
    """Take back what a page was credited with for a link: now it is known what it leads to."""
    chance = book.ahead.pop(link.url, 0.0)
    if chance and sources.is_used(link.through):
        sources.credit(link.through, -chance, link.found, brought=False)


def credit(
    sources: Sources, site: Site, visit: Visit, link: Waiting, is_new: bool, tells: bool
) -> None:
    """Note through which page a new one was found."""
    page = visit.page
    if not link.sure:
        site.outcomes.followed(is_new)
    if page.status is not Status.OK or not is_new:
        return
    begin = page.born if page.born > link.since else link.since
    site.profile.add(min(begin, page.time), page.time, 1.0)
    if link.through >= 0 and sources.is_used(link.through):
        worth = 1.0 if tells else max(visit.relevance, 0.0)
        sources.credit(link.through, worth, link.found)
        sources.rows["pushed"][link.through] += worth * link.pushed
        site.credited += 1


def is_new_page(site: Site, page: Page, link: Waiting | None) -> bool:
    """Return whether a page has appeared since the watch began, by its link or its date."""
    if page.choice.parent == NO_PARENT:
        return False
    is_dated = gives_date(page)
    if link is not None and link.sure and not is_dated:
        return True
    return is_dated and page.born > site.began


def seen_at(site: Site, page: Page, link: Waiting | None, tells: bool) -> float:
    """Return when a new article was seen: when its link was told, or else when it was fetched."""
    if link is None or not tells or not site.is_news(link):
        return page.time
    return min(page.time, link.found + site.every)


def room_of(page: Page, is_list: bool) -> float:
    """Return how many new links a page can show: those of a list, or those that are titles."""
    if is_list:
        return float(max(DEFAULT_WATCH.least_room, len(page.links)))
    titles = {text for text in page.links.anchors if text.count(" ") >= HEADLINE}
    return float(max(DEFAULT_WATCH.least_room, len(titles)))

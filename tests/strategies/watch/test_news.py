"""New articles that are known by their links, before they are fetched."""

from __future__ import annotations

import pytest

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Link, Page, Purpose, Status
from foragers.judges.topic import NoTopic
from foragers.strategies.watch.boxes import box_of
from foragers.strategies.watch.links import LinkBook, LinkOrigin, title_in, title_of, waiting
from foragers.strategies.watch.news import credit_ahead, room_of, seen_at, take_back
from foragers.strategies.watch.sites import Site, Waiting
from foragers.strategies.watch.sources import Kind, Sources


def page(purpose: Purpose = Purpose.PAGE, time: float = 1000.0, links: int = 30) -> Page:
    titles = tuple(
        Link(100 + n, 0, f"http://a.test/{n}", f"The bridge {n} is open") for n in range(links)
    )
    menu = tuple(Link(200 + n, 0, f"http://a.test/menu/{n}", "Menu") for n in range(20))
    content = MemoryContent(Document("Home", (), "Home"), (*titles, *menu))
    choice = Choice(1, 0, purpose=purpose)
    return Page(choice, Status.OK, "", 1, time, time, 1, content.columns(), content)


def site_with(*hosts: int) -> Site:
    site = Site(0, 60.0, 500, 0.0)
    site.hosts.update(hosts)
    for host in hosts:
        site.outcomes.hosts[host] = (9.0, 9.0)
    site.outcomes.titles = (3.0, 3.0)
    site.outcomes.came(LIST_OF_NEWS, True)
    return site


LIST_OF_NEWS = box_of("http://a.test/", "")


def link_to(href: str, anchor: str = "The harbour opens again today", place: int = 0) -> Waiting:
    origin = LinkOrigin(place, since=900.0)
    return waiting(page(), 7, 0, href, anchor, origin, NoTopic(), 1000.0)


def test_a_new_link_with_a_title_tells_of_an_article_and_others_do_not() -> None:
    site = site_with(0)
    assert site.is_news(link_to("http://a.test/2026/harbour-opens-again"))
    assert not site.is_news(link_to("http://a.test/2026/harbour-opens-again", "Harbour"))
    assert not site.is_news(link_to("http://a.test/tag/harbour")), "a list"
    assert not site.is_news(link_to("http://a.test/2026/harbour-opens-again", place=-1)), "not sure"
    assert not site_with(5).is_news(link_to("http://a.test/harbour-opens-again")), "another host"


def test_titles_tell_after_three_of_them_were_fetched_and_most_were_new_articles() -> None:
    site, link = site_with(0), link_to("http://a.test/2026/harbour-opens-again")
    site.outcomes.titles = (0.0, 0.0)
    for _ in range(2):
        site.outcomes.fetched("/other/", True, True, has_title=True)
    assert not site.is_news(link)
    site.outcomes.fetched("/other/", True, True, has_title=True)
    assert site.is_news(link)
    for _ in range(2):  # 3 of 5, as in a box of what is read most
        site.outcomes.fetched("/other/", False, False, has_title=True)
    assert not site.is_news(link)


def test_links_whose_likes_led_to_old_pages_are_not_told() -> None:
    site, link = site_with(0), link_to("http://a.test/2026/harbour-opens-again")
    site.outcomes.fetched(link.shape, False, False)  # chance (0 + 10/10.5) / 2 = 0.48
    assert not site.is_news(link)


def test_a_page_is_credited_with_the_chance_of_its_links_and_then_with_what_they_led_to() -> None:
    site, book, sources = site_with(0), LinkBook(), Sources()
    place = sources.add(page(), 0, Kind.SEED, "")
    link = link_to("http://a.test/2026/harbour-opens-again", place=place)
    book.push(site, link)
    assert book.news == [link]
    credit_ahead(sources, book, site)
    credit_ahead(sources, book, site)  # once
    assert sources.rows["found"][place] == pytest.approx(10 / 10.5)
    assert (site.news, sources.rows["brought"][place]) == (1, 0)
    take_back(sources, book, link)
    take_back(sources, book, link)
    assert sources.rows["found"][place] == pytest.approx(0.0)


def test_an_article_counts_as_seen_when_its_link_is_told() -> None:
    site, link = site_with(0), link_to("http://a.test/2026/harbour-opens-again")
    fetched = page(time=5000.0)
    assert seen_at(site, fetched, link, tells=True) == 1060.0  # found at 1000, 60 s a look
    assert seen_at(site, fetched, link, tells=False) == 5000.0
    assert seen_at(site, fetched, None, tells=True) == 5000.0


def test_a_page_has_room_for_its_titles_and_a_list_for_all_of_its_links() -> None:
    assert room_of(page(), is_list=False) == 30
    assert room_of(page(), is_list=True) == 50
    assert room_of(page(links=1), is_list=False) == 5


def test_a_link_without_a_text_is_named_by_its_url() -> None:
    assert title_in("http://a.test/2026/harbour-opens-again.html?x=1") == "harbour opens again"
    assert title_in("http://a.test/a_b/") == "a b"


def test_an_entry_of_a_feed_has_its_title_and_that_of_a_sitemap_the_words_of_its_url() -> None:
    feed, href = page(Purpose.FEED), "http://a.test/news/1-harbour-opens"
    assert title_of(feed, "The Harbour is open", href) == "The Harbour is open"
    assert title_of(feed, "news 1 harbour opens", href) == "1 harbour opens"
    assert title_of(page(), "", href) == "1 harbour opens"


def test_in_the_first_minutes_requests_are_left_for_looks() -> None:
    site = Site(0, 60.0, 500, 0.0)  # 50 requests at once, 0.4 of them for looks
    site.all.fill(10.0)
    levels = [21.5, 20.5]
    assert [saves(site, level, 10.0) for level in levels] == [False, True]
    assert not saves(site, 20.5, 901.0), "they are over"


def saves(site: Site, level: float, now: float) -> bool:
    site.all.level, site.all.at = level, now
    return site.saves_for_looks

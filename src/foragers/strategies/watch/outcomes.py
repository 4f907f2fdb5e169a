"""What became of earlier links: which lead to new articles, and which to nothing.

A new link is worth a request by the outcomes of earlier new links of the same box (`boxes`), and
whose URLs had the same shape.  A shape that was never tried is as good as its host: a host whose
pages are mostly missing gives few articles.  New pages that are missing are tried again as long as
earlier ones turned up later.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.core.types import HostId, Page
from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings

Counts = tuple[float, float]
"""Good outcomes, and all."""


@dataclass
class Outcomes:
    """Counts of outcomes on one site."""

    settings: WatchSettings = DEFAULT_WATCH
    shapes: dict[str, Counts] = field(default_factory=dict)
    """New articles, by the shapes of their URLs."""
    present: dict[str, Counts] = field(default_factory=dict)
    """New pages of any kind, by the shapes of their URLs."""
    hosts: dict[HostId, Counts] = field(default_factory=dict)
    boxes: dict[int, Counts] = field(default_factory=dict)
    """New articles, by the boxes that showed their links."""
    shown: dict[int, Counts] = field(default_factory=dict)
    """Links that came into boxes as into a list of news."""
    dated: Counts = (0.0, 0.0)
    """Articles that give their date."""
    named: Counts = (0.0, 0.0)
    """Pages that had changed, of those that were modified by their dates in lists."""
    retries: dict[int, Counts] = field(default_factory=dict)
    titles: Counts = (0.0, 0.0)
    """New articles, of new links that read like titles."""
    near: Counts = (1.0, 2.0)
    """Links of new pages that were new themselves."""

    def chance(self, shape: str, host: HostId, box: int = 0) -> float:
        """Return the chance of a new link of a shape and a box to lead to a new article."""
        good, tried = self.shapes.get(shape, (0.0, 0.0))
        chance = (good + self.there(host)) / (tried + 1.0)
        good, tried = self.boxes.get(box, (0.0, 0.0))
        return (good + chance) / (tried + 1.0)

    def titles_tell(self, box: int = 0) -> bool:
        """Return whether links of a box that read like titles led to new articles.

        A box that was hardly tried is as good as others if it seems to be a list of news.  If
        articles give no dates, what they led to says nothing.
        """
        least = self.settings.least_tried
        good, tried = self.boxes.get(box, (0.0, 0.0))
        if tried < least or not self.has_dates:
            good, tried = self.titles if self.is_believed(box) else (0.0, 0.0)
        return tried >= least and good >= self.settings.sure_news * tried

    @property
    def has_dates(self) -> bool:
        """Whether most articles of the site give their dates, as far as they were seen."""
        good, tried = self.dated
        return 0 < tried <= 2 * good

    @property
    def dates_tell(self) -> bool:
        """Whether modification dates in feeds and sitemaps mostly proved right."""
        good, tried = self.named
        return good + 1.0 >= self.settings.likely * (tried + 1.0)

    def note_date(self, page: Page, is_fresh: bool) -> None:
        """Note whether an article gives its date; one that may be young need not show it yet."""
        is_dated = gives_date(page) or page.document.published is not None
        if is_dated or not is_fresh:
            self.dated = more(self.dated, is_dated)

    def is_believed(self, box: int) -> bool:
        """Return whether links come into a box as into a list of news; 0 stands for no box."""
        good, tried = self.shown.get(box, (0.0, 0.0))
        return not box or (good > 0 and good >= self.settings.sure_news * tried)

    def came(self, box: int, is_news: bool) -> None:
        """Note that a link came into a box, as into a list of news or not."""
        if box in self.shown or len(self.shown) < self.settings.most_shapes:
            good, tried = more(self.shown.get(box), is_news)
            kept = 0.5 if tried > self.settings.most_came else 1.0
            self.shown[box] = kept * good, kept * tried

    def chance_of_page(self, shape: str, host: HostId) -> float:
        """Return the chance of a new link with a shape to lead to a new page of any kind."""
        good, tried = self.present.get(shape, (0.0, 0.0))
        return (good + self.there(host)) / (tried + 1.0)

    def there(self, host: HostId) -> float:
        """Return the chance of a page of a host to be there."""
        good, tried = self.hosts.get(host, (0.0, 0.0))
        return (good + 1.0) / (tried + 1.5)

    def fetched(
        self, shape: str, is_new: bool, is_report: bool, has_title: bool = False, box: int = 0
    ) -> None:
        """Note whether a new link led to a new page, and to a new article."""
        if has_title:
            self.titles = more(self.titles, is_report)
        if box and (box in self.boxes or len(self.boxes) < self.settings.most_shapes):
            self.boxes[box] = more(self.boxes.get(box), is_report)
        if shape in self.shapes or len(self.shapes) < self.settings.most_shapes:
            self.shapes[shape] = more(self.shapes.get(shape), is_report)
            self.present[shape] = more(self.present.get(shape), is_new)

    def waive(self, shape: str) -> None:
        """Let doubts fade after a new link that was not worth a request: shapes may improve."""
        kept = 1.0 - self.settings.doubt_fades
        for counts in (self.shapes, self.present):
            good, tried = counts.get(shape, (0.0, 0.0))
            counts[shape] = good * kept, tried * kept

    def answered(self, host: HostId, good: bool) -> None:
        """Note whether a page that was never seen before was there."""
        if host in self.hosts or len(self.hosts) < self.settings.most_shapes:
            self.hosts[host] = more(self.hosts.get(host), good)

    def retried(self, tries: int, good: bool) -> None:
        """Note whether a page that was missing was there at a later try."""
        self.retries[tries] = more(self.retries.get(tries), good)

    def is_worth_retrying(self, tries: int, chance: float) -> bool:
        """Return whether a page missing so many times is tried again; doubts fade if not."""
        good, tried = self.retries.get(tries, (0.0, 0.0))
        if chance * (good + 1.0) / (tried + 2.0) >= self.settings.least_retry:
            return True
        kept = 1.0 - self.settings.doubt_fades
        self.retries[tries] = good * kept, tried * kept
        return False

    @property
    def chance_near(self) -> float:
        """The chance of a link of a new page to be new itself."""
        return self.near[0] / self.near[1]

    def followed(self, good: bool) -> None:
        """Note whether the link of a new page was new itself."""
        self.near = more(self.near, good)


def gives_date(page: Page) -> bool:
    """Return whether a page says when it appeared; a very young one may be a slow response."""
    return page.born < page.time - DEFAULT_WATCH.dated


def more(counts: Counts | None, good: bool) -> Counts:
    """Return counts with one more outcome."""
    before, tried = counts or (0.0, 0.0)
    return before + good, tried + 1.0

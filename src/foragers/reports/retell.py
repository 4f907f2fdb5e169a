"""A crawl replayed from its ledger: visits with their content, and the strategy that made them.

The content of a crawl's pages is in its ledger.  The ledgers of a comparison have none, so it is
read from the world.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from foragers.core.content import StoredContent
from foragers.core.display import sentence
from foragers.core.files import read
from foragers.core.loop import seed_visit
from foragers.core.options import Target
from foragers.core.packing import unpacker_of
from foragers.core.protocols import Explains, Reasons, Strategy
from foragers.core.types import Document, Link, Page, UrlId, Visit
from foragers.crawling.feedback import Feedback
from foragers.errors import UsageError
from foragers.judges.build import build_judge, topic_of, within_of
from foragers.judges.words import Words
from foragers.reports.crawl_folder import OPTIONS, CrawlFolder
from foragers.storage.ledger.columns import SELECT, VisitRow
from foragers.strategies.registry import STRATEGIES, StrategyInputs, build, is_learning, is_safe
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

UNPACK = unpacker_of(StoredContent)
COMPARISON = "comparison.json"
ONE = f"{SELECT} WHERE number = ?"
BEFORE = f"{SELECT} WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"
SEEDS = """
SELECT visits.url, visits.host, urls.href FROM visits JOIN urls ON urls.id = visits.url
WHERE parent = -1 AND depth = 0 GROUP BY visits.url, visits.host, urls.href
ORDER BY min(visits.number)
"""
STEP = 500
MOST_LINKS = 20
SEEN = 0.0005
"""The largest difference between promises that is not reported."""
MOST_EXAMPLES, MOST_BYTES = 10_000, 100_000_000
LEARNED = "the crawl had learned less then, or a link on another page spoke for it"
OTHER_MODEL = "the model was another one then"


class ContentSource(Protocol):
    """A source of content for the visits of a ledger."""

    def visit(self, row: VisitRow) -> Visit:
        """Return the visit of a row, with its content and links."""
        ...


@dataclass(frozen=True)
class FromLedger:
    """Content from the ledger itself."""

    folder: CrawlFolder

    def visit(self, row: VisitRow) -> Visit:
        """Return the visit of a row, with its content and links."""
        content = StoredContent(Document()) if row.words is None else UNPACK(row.words)
        return row.visit(content, self)

    def href(self, url: UrlId) -> str:
        """Return a URL that a visit mentions, as a string."""
        query = "SELECT href FROM urls WHERE id = ?"
        found = self.folder.connection.execute(query, (url,)).fetchone()
        return str(found[0]) if found else ""

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return many URLs that visits mention, as strings."""
        return list(map(self.href, urls))


@dataclass(frozen=True)
class FromWorld:
    """Content from the world that was crawled."""

    world: Recorded

    def visit(self, row: VisitRow) -> Visit:
        """Return the visit of a row, with its content and links."""
        told = row.visit(StoredContent(Document()), self.world.archive.book)
        self.world.now = told.page.time
        page = self.world.answer(told.page.choice)
        return msgspec.structs.replace(told, page=page)


def options_of(folder: CrawlFolder) -> dict[str, Any]:
    """Return the options of a crawl, or of the run of a comparison that its ledger names."""
    if folder.path.suffix != ".sqlite":
        return read_options(folder.path / OPTIONS)
    told = read_options(folder.path.parent.parent / COMPARISON)
    name, _, seed = folder.path.stem.rpartition("-")
    if name in STRATEGIES and seed.isdigit():
        told |= {"strategy": name, "seed": int(seed)}
    return told


def read_options(file: Path) -> dict[str, Any]:
    """Return the content of a JSON file; nothing if it is missing or damaged."""
    try:
        return msgspec.json.decode(read(file), type=dict[str, Any])
    except (OSError, ValueError, RecursionError):
        return {}


def strategy_of(folder: CrawlFolder, spec: str = "") -> Strategy | None:
    """Return the strategy of a crawl in its initial state; None if it is not known."""
    told = options_of(folder)
    if not spec:
        spec = str(told.get("strategy") or "")
        if not spec:
            return None
        # A folder may come from another person: its code is not run unless the user names it too.
        if not is_safe(spec):
            raise UsageError(f"{spec} is no part of foragers; name it with --strategy to ask it")
    seed = told.get("seed")
    rng = np.random.default_rng(seed if isinstance(seed, int) and seed >= 0 else 0)
    judge = build_judge(aim_of(folder))
    return build(spec, StrategyInputs(topic_of(judge), rng, new_within=within_of(judge)))


def aim_of(folder: CrawlFolder) -> Target:
    """Return the target of a crawl; a function of the user is left out."""
    try:
        aim = msgspec.convert(options_of(folder).get("aim") or {}, Target)
    except msgspec.ValidationError:
        aim = Target()
    for named in (aim.examples, aim.idf, aim.vectors):
        check_named(named)
    # A strategy needs the words of a topic, but no function, so a function named in the folder,
    # which may come from another person, is not imported.
    if aim.judge:
        aim = replace(aim, judge=None, threshold=None)
    return replace(aim, relevant=None)


def judged(folder: CrawlFolder, telling: ContentSource, number: int) -> Reasons | None:
    """Return the verdict of the judge of words on a page, in its state at that visit."""
    try:
        aim = aim_of(folder)
        world = telling.world.archive if isinstance(telling, FromWorld) else None
        judge = build_judge(aim, world)
    except UsageError as error:
        return Reasons(f"the judge cannot be asked: {error}")
    if not isinstance(judge, Words):
        return None
    if judge.growing:
        feedback = Feedback(folder.path, judge, lambda visit: page_of_visit(folder, telling, visit))
        # The first visit has the seeds, and is not judged.
        for count, visit in enumerate(islice(visits_before(folder, telling, number), 1, None)):
            feedback.restore(count)
            judge.relevance(visit.page)
        feedback.restore(number - 1)
    return judge.explain(telling.visit(visit_row(folder, number)).page)


def check_named(path: str | None) -> None:
    """Refuse to read a file of examples that is very large or endless."""
    if path is None:
        return
    place = Path(path)
    try:
        if not (place.is_dir() or place.is_file()):
            raise UsageError(f"{path}, which the crawl compared pages with, is not here")
        found = [place] if place.is_file() else list(islice(place.rglob("*"), MOST_EXAMPLES + 1))
        size = sum(file.stat().st_size for file in found if file.is_file())
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}, which the crawl compared pages with: {error}") from error
    if len(found) > MOST_EXAMPLES or size > MOST_BYTES:
        raise UsageError(f"{path}, which the crawl compared pages with, is very large")


def reasons(
    folder: CrawlFolder, telling: ContentSource, before: int | None, number: int, spec: str = ""
) -> Reasons | None:
    """Return the reasons of the strategy for a page: for a link on the page before, or a seed."""
    try:
        strategy = strategy_of(folder, spec)
    except UsageError as error:
        return Reasons(f"the strategy cannot be asked: {error}")
    if strategy is None or not isinstance(strategy, Explains):
        return None
    chosen = visit_row(folder, number)
    if is_learning(strategy):
        for visit in visits_before(folder, telling, number):
            strategy.tell([visit])
    visit = telling.visit(chosen)
    page, url, promise = visit.page, chosen.url, chosen.promise
    links = []
    if before is not None:
        page = telling.visit(visit_row(folder, before)).page
        links = links_leading_to(page.links, url)
    # When a page is revisited, the link may be gone.
    links = links or [Link(url, visit.page.choice.host, visit.page.href)]
    found = [strategy.explain(page, link) for link in links]
    told = [reasons for reasons in found if reasons is not None]
    if not told:
        return None
    best = min(told, key=lambda reasons: off_by(reasons, promise))
    if off_by(best, promise) < SEEN:
        return best
    why = LEARNED if is_learning(strategy) else OTHER_MODEL
    note = f"When it was chosen, {promise:.3f} was expected: {why}. {sentence(best.note)}"
    return msgspec.structs.replace(best, note=note)


def page_of_visit(folder: CrawlFolder, telling: ContentSource, number: int) -> Page:
    """Return the page of a visit, with its content."""
    return telling.visit(visit_row(folder, number)).page


def visit_row(folder: CrawlFolder, number: int) -> VisitRow:
    """Return the row of a visit."""
    return VisitRow._make(folder.connection.execute(ONE, (number,)).fetchone())


def off_by(reasons: Reasons, promise: float) -> float:
    """Return the difference between the sum of the reasons and the promise, if both are known."""
    return 0.0 if reasons.worth is None else abs(reasons.worth - promise)


def visits_before(folder: CrawlFolder, telling: ContentSource, number: int) -> Iterator[Visit]:
    """Yield all visits that a strategy was told before a choice."""
    found = folder.connection.execute(SEEDS).fetchall()
    yield seed_visit([Link(url, host, href) for url, host, href in found], 0.0)
    last = 0
    while rows := folder.connection.execute(BEFORE, (last, number - 1, STEP)).fetchall():
        for row in map(VisitRow._make, rows):
            yield telling.visit(row)
            last = row.number


def links_leading_to(links: Iterable[Link], url: UrlId) -> list[Link]:
    """Return some links to a URL, those with words first."""
    found = [link for link in links if link.url == url]
    return sorted(found, key=lambda link: not link.anchor)[:MOST_LINKS]


def telling_of(folder: CrawlFolder, world: Path | None) -> ContentSource:
    """Return the source of content: a named or compared world, otherwise the ledger."""
    if world is None:
        told = options_of(folder).get("world")
        if not isinstance(told, str) or not Path(told).is_dir():
            return FromLedger(folder)
        world = Path(told)
    archive = open_world(world)
    return FromWorld(Recorded(archive, archive.start if archive.evolving else None))

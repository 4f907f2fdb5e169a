"""The worlds that `selection` could have run on, and what it could have meant, side by side.

The paper's fleets walked a hundred pages a path.  On a news site with the paper's exponents most
pages have no links, and most paths end at their first page.  Each reading changes one thing that
makes paths longer; in the last of them articles carry the navigation of their site, only first
versions are news, and there is about as little of it as the paper's fleets found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from foragers.evaluation.tables import Cell, Measured, Table
from foragers.papers.fleets.kinds import CONTROLS, KINDS, PAPERS_KINDS, FleetKind
from foragers.papers.fleets.measures import PAPER, PATHS
from foragers.papers.fleets.runs import FleetJob, seeds_of, terrain_of
from foragers.papers.fleets.webs import AS_IT_IS, Terrain, days_of, made_up
from foragers.papers.request import PaperRequest
from foragers.strategies.fleet.settings import FleetSettings
from foragers.strategies.fleet.simulation.web import NewsRules
from foragers.worlds.store import open_world

Change = Callable[[FleetSettings], FleetSettings]


@dataclass(frozen=True)
class PaperReading:
    """A reading of the paper: what fleets do, what is news, and the web if it is another one."""

    key: str
    title: str
    about: str
    change: Change = lambda one: one
    rules: NewsRules = field(default_factory=NewsRules)
    site: Mapping[str, float] | None = None

    def kind(self, name: str) -> FleetKind:
        """Return a kind of fleet as it is by this reading."""
        kind = KINDS[name]
        return replace(kind, settings=tuple(map(self.change, kind.settings)))


NAVIGATION = {"times": 3.0, "daily": 450.0, "navigation": 1.0, "related": 8.0}
"""Three times as many URLs as the paper found, and as much news as its fleets found.

Chosen among three on the site of seed 0 so that RL and WL together find about as much news a
download (0.0043; the paper 0.0045), news a URL found (0.10; 0.08 to 0.09) and URLs a download
(0.047; 0.05 to 0.058).  The sections, the home page and the desk are on every page.
"""

USUAL = PaperReading("", "as generated", "the published exponents hold for the whole site")
READINGS: Sequence[PaperReading] = (
    USUAL,
    PaperReading(
        "starts",
        "starts with links",
        "only pages with links join a weblog, be it selected or fixed",
        lambda one: replace(one, starts_with_links=True),
    ),
    PaperReading(
        "leaves",
        "no steps to dead ends",
        "a path does not step to a page without links (leaves=false)",
        lambda one: replace(one, leaves=False),
    ),
    PaperReading(
        "navigation",
        "navigation on every page",
        "another site: every page has its navigation, articles have related links, only first"
        " versions are news, and there is little of it",
        rules=NewsRules(changes=False),
        site=NAVIGATION,
    ),
)
FLEETS = (*PAPERS_KINDS, *CONTROLS)


def readings_for(request: PaperRequest) -> list[PaperReading]:
    """Return the readings that can be shown: recorded webs have the links that they have."""
    return [one for one in READINGS if one.site is None or not request.worlds]


def site_of(reading: PaperReading, path: Path, request: PaperRequest) -> Path:
    """Return the web of a reading."""
    if reading.site is None:
        return path
    return made_up(request, f"news-{reading.key}", **reading.site)


def terrain_under(reading: PaperReading, name: str, path: Path, request: PaperRequest) -> Terrain:
    """Return where fleets forage by a reading."""
    where = terrain_of(name, site_of(reading, path, request), AS_IT_IS, request)
    return replace(where, rules=reading.rules)


def reading_jobs(name: str, path: Path, request: PaperRequest) -> list[FleetJob]:
    """Return the simulations of all readings but the usual one, which are made anyway."""
    jobs = []
    for reading in readings_for(request)[1:]:
        terrain = terrain_under(reading, name, path, request)
        days = days_of(request, open_world(terrain.path))
        for fleet in FLEETS:
            kind = reading.kind(fleet)
            jobs += [
                FleetJob(terrain, kind, seed, days, label=reading.title)
                for seed in seeds_of(kind, request)
            ]
    return jobs


Values = Mapping[str, Mapping[str, Sequence[float]]]
COLUMNS = (
    "relevant",
    "sent efficiency",
    "download efficiency",
    "relevant / found URLs",
    "relative found URL",
    "freshness, by URL",
    "age (h), by URL",
    *PATHS,
)


def readings_table(suffix: str, found: Mapping[str, Values]) -> Table:
    """Return the paper's fleets and the controls by each reading, with the lengths of paths."""
    rows: list[tuple[Cell, ...]] = []
    for reading in READINGS:
        values = found.get(reading.key)
        for fleet in FLEETS if values is not None else ():
            assert values is not None
            rows.append(
                (reading.title, fleet, *(Measured.of(column(values[fleet], c)) for c in COLUMNS))
            )
    for fleet in PAPERS_KINDS:
        paper = {name.partition(",")[0]: value for name, value in PAPER[fleet].items()}
        cells = [paper.get(name.partition(",")[0]) for name in COLUMNS]
        cells[COLUMNS.index("relevant / found URLs")] = Measured(
            paper["relevant"].mean / paper["found URLs"].mean, 0.0, 1
        )
        rows.append(("the paper", fleet, *cells))
    note = " ".join(f"{one.title}: {one.about}." for one in READINGS if one.key in found)
    return Table(
        f"readings{suffix}",
        "What the paper could have run on: readings side by side",
        ("reading", "fleet", *COLUMNS),
        rows,
        f"Mean ± standard deviation of the runs. {note}",
    )


def column(values: Mapping[str, Sequence[float]], name: str) -> list[float]:
    """Return a measure of every run."""
    if name != "relevant / found URLs":
        return list(values[name])
    pairs = zip(values["relevant"], values["found URLs"], strict=True)
    return [relevant / max(urls, 1) for relevant, urls in pairs]

"""The pages of a fleet: its population, scores, family tree, territories and weblogs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec
import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foragers.core.display import host_name, plain
from foragers.core.population import ForagerStanding
from foragers.evaluation.metrics.counts import downloaded
from foragers.evaluation.plots.chart import COLOURS, Axis, EndNames, Line, Panel, chart
from foragers.evaluation.plots.widths import WIDE, at_both_widths
from foragers.reports import population as pictures
from foragers.reports.crawl_folder import CrawlFolder
from foragers.reports.family_tree import family, family_tree
from foragers.reports.population import agents_of, foragers_of
from foragers.serve.crawl_data import CrawlData, Snapshot
from foragers.serve.latest import LatestState
from foragers.serve.openapi import ApiPath
from foragers.serve.pages.territory import FleetMap, territory_picture
from foragers.serve.settings import ServeSettings
from foragers.serve.site import BusyError, SiteFrame
from foragers.storage.ledger.columns import Facts

WHERE = """
SELECT number, agent, urls.href, relevant FROM visits LEFT JOIN urls ON urls.id = visits.final
WHERE number > ? AND number <= ? AND status = 'ok' AND agent <> '' ORDER BY number LIMIT ?
"""
POINTS = 200


class TerritoryPart(msgspec.Struct):
    """How many pages an agent has fetched at a place, and how many of them were relevant."""

    agent: str
    place: str
    pages: int
    relevant: int


class FleetStatus(msgspec.Struct):
    """The agents of a crawl: how many live, how foragers stand, and who found what where."""

    living: int
    born: int
    died: int
    foragers: list[ForagerStanding]
    territory: list[TerritoryPart]


PATHS = (
    ApiPath("/api/fleet", "Agents, the weblogs of foragers, and territories", gives=FleetStatus),
)


@dataclass(frozen=True)
class ShownFleet:
    """A fleet as its page shows it; pictures are SVG, `tree` is HTML of our own."""

    began: int
    born: int
    died: int
    living: int
    lives: str
    energy: str
    scores: str
    finds: str
    drawing: str
    tree: str
    drawn: int
    territory: FleetMap
    map: str
    foragers: Sequence[ForagerStanding]


@dataclass
class FleetPages:
    """The pages of the agents of a crawl; a thread reads them again when the ledger has grown."""

    site: SiteFrame
    data: CrawlData
    _latest: LatestState[ShownFleet | None] = field(init=False)

    def __post_init__(self) -> None:
        self._latest = LatestState(self._read, self.data.settings)

    def routes(self) -> list[Route]:
        """Return the addresses of the pages."""
        guarded = self.site.guarded
        return [Route("/fleet", guarded(self.fleet)), Route("/api/fleet", guarded(self.api))]

    async def fleet(self, request: Request) -> Response:
        """Show the fleet."""
        read = await run_in_threadpool(self._latest.ask, self.data.latest.length)
        if read is None:
            return self.site.shown(request, "reading.html", what="agents of this crawl")
        if read.state is None:
            message = "This crawl has no agents, or has not written them down yet."
            return self.site.shown(request, "error.html", 404, message=message)
        return self.site.shown(request, "fleet.html", fleet=read.state, is_old=read.is_old)

    async def api(self, _request: Request) -> Response:
        """Return the foragers and their territories as JSON."""
        wait = self.data.settings.patience
        read = await run_in_threadpool(self._latest.ask, self.data.latest.length, wait)
        if read is None:
            raise BusyError("the agents are being read; ask again in a few seconds")
        found = read.state
        if found is None:
            return JSONResponse({"error": "the strategy of this crawl has no agents"}, 404)
        told = FleetStatus(
            found.living,
            found.born,
            found.died,
            list(found.foragers),
            [
                TerritoryPart(agent, place, pages, relevant)
                for (agent, place), (pages, relevant) in found.territory.pages.items()
            ],
        )
        return JSONResponse(msgspec.to_builtins(told))

    def _read(self) -> ShownFleet | None:
        """Return the fleet as it is now."""
        with self.data.reading() as folder:
            return fleet_of(folder, self.data.latest, self.data.settings)


def fleet_of(folder: CrawlFolder, now: Snapshot, settings: ServeSettings) -> ShownFleet | None:
    """Return the fleet of a crawl, None if it has none."""
    agents = agents_of(folder)
    if agents is None:
        return None
    facts = now.downloads
    births, living = int(agents.births.sum()), int(agents.population[-1])
    first = int(agents.first.sum())
    ordinals = np.cumsum(downloaded(now.facts)).astype(np.int64)
    _, drawn = family(agents, facts.times)
    land = territory_of(folder, settings)
    return ShownFleet(
        first,
        births - first,
        births - living,
        living,
        at_both_widths(lambda width: pictures.lives(agents, facts.times, width)),
        at_both_widths(lambda width: pictures.energy(agents, facts.times, width))
        if agents.has_energy
        else "",
        at_both_widths(lambda width: pictures.scores(agents, ordinals, settings.agents, width))
        if agents.has_scores and len(ordinals)
        else "",
        at_both_widths(lambda width: finds_picture(facts, settings.agents, width)),
        at_both_widths(lambda width: family(agents, facts.times, width)[0]),
        family_tree(agents, float(agents.times[0])),
        drawn,
        land,
        at_both_widths(lambda width: territory_picture(land, width)),
        foragers_of(folder),
    )


def finds_picture(facts: Facts, most: int, width: int = WIDE) -> str:
    """Draw the relevant pages that each of the best agents has found, over downloads."""
    names = np.array([name.partition(" ")[0] for name in facts.agents.tolist()], np.str_)
    good = facts.relevant & facts.ok & (names != "")
    # Each version counts once, for the agent that found it first.
    _, first = np.unique(facts.versions[good], return_index=True)
    rows = np.flatnonzero(good)[np.sort(first)]
    found = Counter(names[rows].tolist())
    best = [name for name, _ in found.most_common(most)]
    if not best:
        return ""
    grid = np.unique(np.linspace(0, len(facts), POINTS).astype(np.int64))
    panel = Panel(
        Axis("downloads", 0, max(1, len(facts)), whole=True),
        Axis("relevant pages found first", 0, 1.05 * found[best[0]], whole=True),
    )
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(best))]
    for name, colour in zip(best, colours, strict=True):
        places = rows[names[rows] == name]
        panel.marks.append(Line(grid, np.searchsorted(places, grid), colour))
    ends = EndNames([float(found[name]) for name in best], best, colours)
    panel.marks.append(ends)
    panel.right = ends.room
    return chart([panel], width, 360, "pages found by agent")


def territory_of(folder: CrawlFolder, settings: ServeSettings) -> FleetMap:
    """Return who found what where: pages by agent and host, or directory if there is one host."""
    by_host: Counter[tuple[str, str]] = Counter()
    by_path: Counter[tuple[str, str]] = Counter()
    good_host: Counter[tuple[str, str]] = Counter()
    good_path: Counter[tuple[str, str]] = Counter()
    hosts = set()
    for _, signed, href, relevant in folder.rows(WHERE):
        agent, url = plain(signed.partition(" ")[0], 30), href or ""
        host, directory = host_name(url), directory_of(url)
        hosts.add(host)
        by_host[agent, host] += 1
        by_path[agent, directory] += 1
        if relevant:
            good_host[agent, host] += 1
            good_path[agent, directory] += 1
    pages, good = (by_host, good_host) if len(hosts) > 1 else (by_path, good_path)
    counted = {key: (count, good[key]) for key, count in pages.items()}
    return FleetMap(counted).largest(settings.agents, settings.places)


def directory_of(url: str) -> str:
    """Return the first part of the path of a URL."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return "/"
    parts = path.split("/")
    return plain(f"/{parts[1]}/" if len(parts) > 2 else "/", 60)

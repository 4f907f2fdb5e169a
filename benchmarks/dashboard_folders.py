"""Folders for the benchmark of the web pages: a fleet, a watch, a comparison, papers."""

from __future__ import annotations

import random
import time
from pathlib import Path

import msgspec
import numpy as np

from foragers.cli.main import main
from foragers.core.population import ForagerStanding
from foragers.evaluation.tables import Exhibits, Table, Verdict
from foragers.papers.output import write_exhibits
from foragers.reports.population import FILE, FORAGERS
from foragers.watching.account import account_of
from foragers.watching.events import Event, EventKind
from foragers.watching.status import SiteStatus, WatchStatus, write_status

AGENTS, SITES = 200, 20
ROWS, TABLES, CLAIMS = 200, 12, 40
STRATEGIES = "best-first,random,infospiders"


def agent_of(number: int) -> str:
    """Return the agent that fetched a page."""
    return f"forager-{number % AGENTS}"


def write_fleet(folder: Path, pages: int, began: float) -> None:
    """Write the agents of a crawl: a tenth begin, the others are born, half of all die."""
    born = np.arange(AGENTS)
    births = began + born * (pages / 2 / AGENTS)
    deaths = began + pages / 2 + born[::2] * (pages / 2 / AGENTS)
    parents = np.where(born < AGENTS // 10, -1, born // 2)
    np.savez_compressed(
        folder / FILE,
        times=np.concatenate([births, deaths]),
        members=np.concatenate([born, born[::2]]),
        births=np.repeat([True, False], [AGENTS, len(deaths)]),
        parents=np.concatenate([parents, parents[::2]]),
        kind=np.zeros(AGENTS + len(deaths), dtype=np.int64),
        kinds=np.array(["forager"]),
    )
    weblog = tuple((f"https://host{one}.test/", float(one)) for one in range(10))
    each = pages // AGENTS
    standings = [
        ForagerStanding(agent_of(one), "forager", int(parents[one]), float(one), 9, each, 9, 10,
                        weblog)
        for one in range(AGENTS)
    ]  # fmt: skip
    (folder / FORAGERS).write_bytes(msgspec.json.encode(standings))


def write_watch(folder: Path, events: int) -> None:
    """Make a crawl a watch with many events, one a minute."""
    rng, now = random.Random(2), time.time()
    kinds = [EventKind.NEW, EventKind.NEW, EventKind.CHANGED]
    found = [
        Event(
            event=kinds[number % 3], url=f"https://host{number % SITES}.test/{number}",
            site=f"host{number % SITES}.test", found=now - 60 * (events - number), visit=number,
            title=f"Page {number}", summary="words " * 20, diff="- old\n+ new",
            since=now - 60 * (events - number) - rng.expovariate(1 / 600),
        )
        for number in range(events)
    ]  # fmt: skip
    (folder / "events.jsonl").write_bytes(b"".join(msgspec.json.encode(e) + b"\n" for e in found))
    (folder / "watch.json").write_text("{}")
    account, new = account_of(found), events * 2 // 3
    sites = [SiteStatus(f"host{one}.test", 1, 1, now) for one in range(SITES)]
    status = WatchStatus(found[0].found, now, True, events, events, new, 960, 4, account, account)
    write_status(folder, msgspec.structs.replace(status, sites=sites))


def write_comparison(folder: Path) -> Path:
    """Compare strategies on two generated worlds."""
    worlds = [str(folder / name) for name in ("one", "two")]
    for seed, world in enumerate(worlds):
        given = ["--preset", "topics", "--pages", "2000", "--seed", str(seed)]
        assert main(["world", "generate", world, *given]) == 0
    out = folder / "compared"
    how = ["--topic", "robot", "--strategies", STRATEGIES, "--budget", "1000", "--jobs", "1"]
    assert main(["compare", *worlds, *how, "--runs", "3", "--out", str(out)]) == 0
    return out


def write_papers(folder: Path) -> None:
    """Write the exhibits of two papers: long tables and many claims."""
    for paper in ("spider", "selection"):
        rows = [(f"row {row}", 1.5 * row, row) for row in range(ROWS)]
        tables = [
            Table(f"table-{one}", "A table", ("what", "value", "times"), rows)
            for one in range(TABLES)
        ]
        verdicts = [Verdict(f"claim {one}", one % 2 == 0, "t = 1") for one in range(CLAIMS)]
        write_exhibits(
            Exhibits(paper, "A paper", {"runs": "2"}, tables, [], verdicts), folder / paper
        )

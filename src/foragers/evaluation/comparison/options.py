"""The options of a comparison: each is one field, as those of a crawl are."""

from __future__ import annotations

from dataclasses import dataclass

from foragers.core.options import Target, option, options_of
from foragers.evaluation.comparison.ray_cluster import LOCAL

STRATEGIES = ("breadth-first", "random", "best-first", "shark-search", "auto", "optimal")
WORST, BEST = "breadth-first", "optimal"
LONGEST = 10_000_000
"""The largest number of seconds."""
COMPARED, TIME, RUNNING = "what is compared", "time and politeness", "where it runs"


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """How strategies are compared, on each world and for each target alike."""

    aim: Target = options_of(Target())
    strategies: str = option(
        ",".join(STRATEGIES),
        group=COMPARED,
        metavar="A,B(x=1),…",
        help="strategies to compare; 'foragers strategies' lists them",
    )
    budget: int = option(2000, least=1, group=COMPARED, metavar="N", help="downloads of each run")
    runs: int = option(
        1,
        least=1,
        group=COMPARED,
        metavar="K",
        help="runs of each strategy, with different random seeds",
    )
    seed: int = option(0, least=0, group=COMPARED, metavar="S", help="random seed of the first run")
    against: str = option(
        WORST, group=COMPARED, metavar="NAME", help="strategy to test the others against"
    )
    in_turn: bool = option(
        False,
        group=COMPARED,
        help="each run starts with what the runs before it learned (for strategies that learn)",
    )
    seeds: str | None = option(
        None, group=COMPARED, metavar="FILE", help="file with URLs to start from, one a line"
    )
    labels: str | None = option(
        None,
        group=COMPARED,
        metavar="FILE",
        help='labels of pages: {"url": …, "labels": […]} a line',
    )
    standings: bool = option(
        False,
        group=COMPARED,
        help="crawl each web to its end, for several of its labels or the given targets, and show"
        " the share closed at 10, 25 and 100 % of its pages and at 1,000 (--budget does not apply)",
    )
    until: float = option(
        1.0,
        above=0,
        most=1,
        group=COMPARED,
        metavar="SHARE",
        help="with --standings: crawl this share of each web, but at least 1,000 pages",
    )
    words: bool = option(
        False,
        group=COMPARED,
        help="with --standings: the name of each label is the topic of its crawls",
    )
    since: str | None = option(
        None,
        group=TIME,
        metavar="TIME",
        help="start of the replay: start, end (the web stands still) or an ISO date"
        " (default: end; with --new-within start)",
    )
    seconds_per_page: float | None = option(
        None,
        above=0,
        group=TIME,
        metavar="S",
        help="time of one download (default: the budget lasts for the whole recording)",
    )
    concurrency: int = option(1, least=1, group=TIME, metavar="C", help="downloads at once")
    delay: float | None = option(
        None,
        least=0,
        most=LONGEST,
        group=TIME,
        metavar="SECONDS",
        help="replay politely: one download at a time from each host and this pause after it,"
        " as a live crawl does (default: no politeness)",
    )
    latency: str | None = option(
        None,
        group=TIME,
        metavar="A-B",
        help="seconds that a download takes; each host has its own between A and B",
    )
    jobs: int | None = option(
        None,
        least=1,
        group=RUNNING,
        metavar="N",
        help="worker processes (default: one for each core)",
    )
    ray: str | None = option(
        None,
        group=RUNNING,
        metavar="ADDRESS",
        alone=LOCAL,
        help="run on a Ray cluster (HOST:PORT, or auto), or on a local Ray started for this",
        see="#on-ray",
    )

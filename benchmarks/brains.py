"""Several crawls, each for a group of hosts, on a simulated web, and what limits 10⁹ pages.

    python -m benchmarks.brains --pages 1e9

Each brain has the hosts whose names hash to it, and a strategy of its own.  A link to a host of
another brain is sent to that brain.  Every few seconds the brains exchange the sums from which they
learn.  Sizes of hosts follow Zipf's law, and a host gives a page each `--delay` seconds.  The
simulation goes in steps: in each, every host offers the pages that its delay allows, and brains,
nodes and databases take what they can.  The costs are those of docs/cluster.md; override them to
see what another machine, or a cheaper brain, changes.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DAY = 86_400.0
NAMES = (
    *("CPU of brains", "exchange of sums", "CPU of nodes"),
    *("databases", "memory of brains", "delays of hosts"),
)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Costs:
    """What a page costs, and what a machine can do."""

    brain: float = 0.0015  # CPU seconds of a brain for a page
    node: float = 0.002  # and of a node
    link: float = 3e-6  # to send or to receive a link
    links: float = 15.0  # new links of a page
    elsewhere: float = 0.3  # share of them that lead to hosts of others, were there many brains
    sums: float = 0.02  # CPU seconds to add the sums of another brain
    every: float = 5.0  # seconds between two exchanges
    database: float = 2300.0  # visits a second that a PostgreSQL takes by COPY
    bytes_known: float = 60.0  # memory of a known URL, with its place in the frontier
    known: float = 8.0  # known URLs for each page
    memory: float = 64e9  # of a machine of a brain


@dataclass(frozen=True)
class Outcome:
    """How long it took, and how much of each resource was used.

    Delays of hosts are the share of time in which a brain had too few hosts that were open.
    """

    days: float
    used: dict[str, float]

    @property
    def limit(self) -> str:
        """What was used most."""
        return max(self.used, key=lambda name: self.used[name])


def host_sizes(hosts: int, pages: float) -> Floats:
    """Return the pages of each host, by Zipf's law."""
    ranks: Floats = 1.0 / np.arange(1, hosts + 1, dtype=np.float64)
    sizes: Floats = ranks * (pages / float(ranks.sum()))
    return sizes


def simulated(
    pages: float, hosts: int, brains: int, cores: int, delay: float, costs: Costs
) -> Outcome:
    """Crawl a share of a web with some brains, and nodes with some cores."""
    # The web is twice as large as the crawl, so that the last pages are not those of one host.
    left = host_sizes(hosts, 2 * pages)
    owner = np.random.default_rng(1).integers(0, brains, hosts)
    sent = costs.elsewhere * (brains - 1) / brains
    work = costs.brain + 2 * costs.links * sent * costs.link
    spare = 1.0 - (brains - 1) * costs.sums / costs.every
    each = max(spare, 0.0) / work  # pages a second of a brain
    rest, passed, step = pages, 0.0, pages / 200 / min(brains * each, cores / costs.node)
    busy, waiting = np.zeros(brains), 0.0
    while rest > 0 and each > 0 and passed < 1e11:
        offered = np.minimum(left, step / delay)
        wanted = np.bincount(owner, offered, brains)
        taken = np.minimum(wanted, min(each, costs.database) * step)
        most = cores / costs.node * step
        taken *= min(1.0, most / max(taken.sum(), 1e-9))
        left -= offered * (taken / np.maximum(wanted, 1e-9))[owner]
        busy += taken
        waiting += step * float(np.mean(taken < 0.99 * each * step))
        rest -= float(taken.sum())
        passed += step
    rate = pages / passed
    return Outcome(
        passed / DAY,
        {
            "CPU of brains": spare * float(busy.mean()) / (each * passed) + 1.0 - spare,
            "exchange of sums": 1.0 - spare,
            "CPU of nodes": rate * costs.node / cores,
            "databases": rate / brains / costs.database,
            "memory of brains": pages * costs.known * costs.bytes_known / brains / costs.memory,
            "delays of hosts": waiting / passed,
        },
    )


def main() -> int:
    """Print a table with more and more brains."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=float, default=1e9)
    parser.add_argument("--hosts", type=int, default=1_000_000)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--brains", default="1,4,16,64,128", metavar="N,N")
    parser.add_argument("--brain-ms", type=float, default=1000 * Costs.brain)
    options = parser.parse_args()
    costs = Costs(brain=options.brain_ms / 1000)
    columns = ("brains", "cores of nodes", "days", "pages a second", "limit", *NAMES)
    print(f"| {' | '.join(columns)} |\n|{len(columns) * '---|'}")
    for brains in map(int, options.brains.split(",")):
        cores = max(1, round(1.5 * brains * costs.node / costs.brain))
        found = simulated(options.pages, options.hosts, brains, cores, options.delay, costs)
        cells = [f"{brains}", f"{cores}", f"{found.days:,.1f}"]
        cells += [f"{options.pages / found.days / DAY:,.0f}", found.limit]
        cells += [f"{100 * found.used[name]:.0f} %" for name in NAMES]
        print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

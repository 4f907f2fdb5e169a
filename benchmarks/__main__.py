"""Run all benchmarks, or those named on the command line."""

from __future__ import annotations

import sys

from benchmarks import (
    auto,
    automata,
    crawling,
    dashboard,
    energy,
    fleets,
    fleets_growth,
    importing,
    judging,
    main_text,
    memory,
    opening,
    politeness,
    replay,
    revisits,
    scale,
    standings,
    stopping,
    training,
    watching,
    watching_month,
    watching_promises,
)

BENCHMARKS = {
    "replay": replay,
    "importing": importing,
    "opening": opening,
    "politeness": politeness,
    "scale": scale,
    "auto": auto,
    "automata": automata,
    "energy": energy,
    "fleets": fleets,
    "fleets_growth": fleets_growth,
    "crawling": crawling,
    "dashboard": dashboard,
    "training": training,
    "memory": memory,
    "stopping": stopping,
    "standings": standings,
    "judging": judging,
    "main_text": main_text,
    "revisits": revisits,
    "watching": watching,
    "watching_month": watching_month,
    "watching_promises": watching_promises,
}


def main(names: list[str]) -> int:
    """Run benchmarks; the exit code tells whether all met their aims."""
    met = True
    for name in names or BENCHMARKS:
        print(f"== {name}: {(BENCHMARKS[name].__doc__ or '').partition(chr(10))[0]}", flush=True)
        met &= BENCHMARKS[name].run()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

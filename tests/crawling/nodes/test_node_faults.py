"""A cluster keeps its word whatever fails, judged by what servers saw.

    FORAGERS_FAULTS=1000 FORAGERS_SEED=11 python -m pytest -s tests -k whatever_fails

makes more faults, with other random numbers.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from support.faults import arena
from support.judging import check_complete, check_polite, told
from support.machines import can_isolate

HOSTS, PAGES, EPISODE = 6, 12, 25
"""Sites, their pages, and faults during one crawl of them."""


@pytest.mark.timeout(0 if os.environ.get("FORAGERS_FAULTS") else 1200)
def test_nothing_is_lost_and_no_host_is_hurried_whatever_fails(tmp_path: Path) -> None:
    seed, many = (int(os.environ.get(f"FORAGERS_{name}", 0)) for name in ("SEED", "FAULTS"))
    draw, done, episode = random.Random(seed), 0, 0
    with arena(HOSTS) as place:
        while done <= many:
            episode += 1
            with place.sites(HOSTS, PAGES) as servers:
                with place.crawl(tmp_path / f"{episode}", servers, draw) as processes:
                    possible = processes.faults()
                    faults = draw.sample(possible, len(possible))
                    faults += draw.choices(possible, k=EPISODE - len(faults))
                    processes.suffer(faults, (0.05, 0.5))
                    processes.mend(everything=True)
                    processes.finish()
                    done += sum(processes.done.values())
                    late = processes.said("crawl").rpartition("late ")[2].strip()
                    print(f"{done} faults, {late} late answers, {dict(processes.done)}", flush=True)
                check_complete(place.ledger(processes), servers, PAGES)
                check_polite(servers)


@pytest.mark.skipif(not can_isolate(), reason="network namespaces need root on Linux")
def test_a_standby_takes_over_from_a_machine_that_is_cut_off(tmp_path: Path) -> None:
    with arena(2) as place, place.sites(2, PAGES) as servers:
        with place.crawl(tmp_path, servers, random.Random(1)) as processes:
            processes.await_nodes(1)
            processes.start("standby")
            while len(told(place.ledger(processes))) < 4:
                time.sleep(0.05)
            assert place.machines is not None
            place.machines.cut(0, "db")  # for good: nobody tells PostgreSQL
            processes.finish()
            assert "nothing left to fetch" in processes.said("standby")
            assert "cannot be reached" not in processes.said("standby")
        check_complete(place.ledger(processes), servers, PAGES)
        check_polite(servers)

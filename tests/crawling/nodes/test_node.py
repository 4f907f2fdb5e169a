"""Nodes fetch for a crawl, politely whatever happens to them: judged by what servers saw."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from foragers.cli.main import main
from support.clusters import DELAY, SHORT, ClusterProcesses, cluster, sites
from support.crawling import gaps
from support.hostile_server import HostileServer
from support.postgres import PostgresServer, running_postgres

HOSTS, PAGES = 4, 8
TOLERANCE = 0.01
"""Seconds by which a server may see a request early: its clock is read after the request came."""


def told(url: str) -> list[tuple[str, str, str]]:
    with closing(psycopg.connect(url)) as connection:
        return connection.execute("SELECT url, final, status FROM pages ORDER BY number").fetchall()


def check_polite(servers: list[HostileServer]) -> None:
    """Check that no two requests were at a server at once, and none came before its time."""
    for server in servers:
        shortest = min(gaps(server.log), default=DELAY)
        assert shortest >= DELAY - TOLERANCE, f"{server.origin}: a gap of {shortest:.3f} s"


def check_complete(url: str, servers: list[HostileServer], pages: int = PAGES) -> None:
    """Check that every page is in the ledger, and none twice."""
    found = [final for _, final, status in told(url) if status == "ok"]
    expected = {server.url(f"/{k}") for server in servers for k in range(pages + 1)}
    assert len(found) == len(set(found)), "a page was told twice"
    assert set(found) == expected | {server.url() for server in servers}


def seeds_of(servers: list[HostileServer]) -> list[str]:
    return [server.url() for server in servers]


def test_nodes_find_what_one_machine_finds(database: str, tmp_path: Path) -> None:
    with sites(HOSTS, PAGES) as servers:
        with cluster(database, tmp_path, seeds_of(servers), nodes=2, budget=1) as processes:
            processes.finish()
            processes.await_nodes(2)
            processes.options["budget"] = 1000
            processes.start("crawl")
            processes.finish()
            assert processes.said("crawl").endswith("there is nothing left to fetch\nlate 0\n")
        check_complete(database, servers)
        check_polite(servers)
        paths = [path for server in servers for path in server.paths if path != "/robots.txt"]
        assert len(paths) == HOSTS * (2 * PAGES + 2), "each page once"
    with closing(psycopg.connect(database)) as connection:
        owners = connection.execute("SELECT count(DISTINCT node) FROM leases").fetchone()
        assert owners == (2,), "both nodes had hosts"
        alive = connection.execute("SELECT count(*) FROM nodes WHERE alive").fetchone()
        assert alive == (0,), "nodes leave when they are told to end"


def test_a_node_that_joins_gets_sites_and_one_that_leaves_hands_them_over(
    database: str, tmp_path: Path
) -> None:
    with sites(HOSTS, 15) as servers:
        with cluster(database, tmp_path, seeds_of(servers), nodes=1, budget=HOSTS) as processes:
            processes.finish()
            processes.start("node1")
            processes.await_nodes(2)
            processes.options["budget"] = 1000
            processes.start("crawl")
            with closing(psycopg.connect(database, autocommit=True)) as connection:
                query = "SELECT count(DISTINCT node) FROM leases WHERE node > 0"
                while connection.execute(query).fetchone() != (2,):
                    assert not processes.is_done, "the second node got no site"
                    time.sleep(0.02)
            processes.signal("node0", signal.SIGTERM)
            processes.finish()
        check_complete(database, servers, 15)
        check_polite(servers)


def test_hosts_at_one_address_are_one_nodes(database: str, tmp_path: Path) -> None:
    with sites(1, 4) as one, sites(1, 4) as two:
        # The servers of `one` and `two` are two hosts at one address.
        servers = [*one, *two]
        with cluster(database, tmp_path, seeds_of(servers), nodes=2, budget=1) as processes:
            processes.finish()
            processes.await_nodes(2)
            processes.options["budget"] = 1000
            processes.start("crawl")
            processes.finish()
        check_complete(database, servers, 4)
        log = [asked for server in servers for asked in server.log]
        assert min(gaps(log)) >= DELAY - TOLERANCE, "two nodes were at one address at once"


def test_a_node_that_was_stopped_finds_its_hosts_gone(database: str, tmp_path: Path) -> None:
    with sites(HOSTS, 20) as servers:
        with cluster(database, tmp_path, seeds_of(servers), nodes=2) as processes:
            processes.await_nodes(2)
            time.sleep(SHORT.lease)
            for _ in range(2):
                processes.signal("node0", signal.SIGSTOP)
                time.sleep(1.6 * SHORT.lease)  # the other node has its hosts now
                processes.signal("node0", signal.SIGCONT)
                time.sleep(0.5)
            processes.finish()
            assert processes.said("node0").count("it joins again") >= 1
        check_complete(database, servers, 20)
        check_polite(servers)


def test_a_standby_goes_on_when_the_crawl_is_killed(database: str, tmp_path: Path) -> None:
    with sites(HOSTS, 10) as servers:
        with cluster(database, tmp_path, seeds_of(servers), nodes=1) as processes:
            processes.await_nodes(1)
            processes.start("standby")
            while len(told(database)) < 8:
                time.sleep(0.02)
            processes.kill("crawl")
            del processes.running["crawl"]
            processes.finish()
            assert "nothing left to fetch" in processes.said("standby")
        check_complete(database, servers, 10)
        check_polite(servers)


FAULTS = ("kill node", "stop node", "kill crawl", "restart database", "stop database", "join")


def harm(
    fault: str, processes: ClusterProcesses, server: PostgresServer, draw: random.Random
) -> None:
    """Do something bad, and for stopped processes undo it a while later."""
    name = draw.choice([name for name in processes.running if name.startswith("node")])
    if fault == "kill node":
        processes.kill(name)
    elif fault == "stop node":
        processes.signal(name, signal.SIGSTOP)
        time.sleep(draw.uniform(0.5, 2.5) * SHORT.lease)
        processes.signal(name, signal.SIGCONT)
    elif fault == "kill crawl":
        if not processes.is_done:
            processes.kill("crawl")
    elif fault == "restart database":
        server.stop("immediate")
        time.sleep(draw.uniform(0.0, 0.5))
        server.start()
    elif fault == "stop database":
        server.signal(signal.SIGSTOP)
        time.sleep(draw.uniform(0.2, 1.3) * SHORT.lease)
        server.signal(signal.SIGCONT)
    elif len(processes.running) < 6:
        processes.start(f"node{len(processes.running)}")


def test_nothing_is_lost_and_no_host_is_hurried_whatever_dies(tmp_path: Path) -> None:
    seed, many = (int(os.environ.get(f"FORAGERS_{name}", 0)) for name in ("SEED", "FAULTS"))
    draw = random.Random(seed)
    faults = draw.choices(FAULTS, k=many) if many else draw.sample(FAULTS, len(FAULTS))
    pages, done = 15 + 3 * many, 0
    with running_postgres() as server, sites(HOSTS, pages) as servers:
        url = server.new_database()
        with cluster(url, tmp_path, seeds_of(servers), nodes=3, budget=10**6) as processes:
            for fault in faults:
                time.sleep(draw.uniform(0.3, 1.0))
                processes.restart()
                if processes.is_done:
                    break
                harm(fault, processes, server, draw)
                done += 1
            processes.finish(120.0 + many)
            print(f"{done} faults, {len(told(url))} visits, {processes.said('crawl')}")
        check_complete(url, servers, pages)
        check_polite(servers)


def test_wrong_databases_are_refused(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for url, why in (
        ("postgresql://crawler@127.0.0.1:1/none", "check the URL"),
        ("mysql://here", "not the URL of a database"),
    ):
        assert main(["node", "--join", url, "--out", str(tmp_path / "out")]) == 2
        assert why in capsys.readouterr().err
    with sites(1, 2) as servers:
        given = [servers[0].url(), "--out", str(tmp_path / "alone"), "--ledger", database]
        given += ["--allow-private", "127.0.0.0/8", "--budget", "1", "--delay", "0"]
        assert main(["crawl", *given]) == 0
    with closing(psycopg.connect(database, autocommit=True)) as connection:
        connection.execute("CREATE TABLE nodes (id BIGINT)")
        join = ["node", "--join", database, "--out", str(tmp_path / "out")]
        assert main(join) == 2
        assert "fetches by itself" in capsys.readouterr().err
        connection.execute(
            "UPDATE crawl SET options = replace(options, 'foragers\":\"', 'foragers\":\"9.')"
        )
        assert main(join) == 2
        assert "install the same everywhere" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

"""Nodes fetch for a crawl, politely whatever happens to them: judged by what servers saw."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from foragers.cli.main import main
from support.clusters import DELAY, HURRIED, SHORT, cluster, sites
from support.crawling import gaps
from support.hostile_server import HostileServer
from support.judging import TOLERANCE, check_complete, check_polite, told

HOSTS, PAGES = 4, 8


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
        check_complete(database, servers, PAGES)
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
        seeds = seeds_of(servers)
        with cluster(database, tmp_path, seeds, nodes=2, settings=HURRIED) as processes:
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
        connection.execute("CREATE TABLE tokens (proof BYTEA)")
        join = ["node", "--join", database, "--out", str(tmp_path / "out")]
        assert main(join) == 2
        assert "fetches by itself" in capsys.readouterr().err
        connection.execute(
            "UPDATE crawl SET options = replace(options, 'foragers\":\"', 'foragers\":\"9.')"
        )
        assert main(join) == 2
        assert "install the same everywhere" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

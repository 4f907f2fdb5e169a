"""Who may fetch for a crawl, and what a node can do to it."""

from __future__ import annotations

import shutil
import subprocess
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from foragers.cli.main import main
from foragers.fetching.remote.tables import CrawlTables, NodeTables, Report, Token
from foragers.fetching.settings import ClusterSettings
from foragers.storage.ledger.postgres import connect
from support.clusters import cluster, sites
from support.judging import told
from support.postgres import PostgresServer, running_postgres

SETTINGS = ClusterSettings()
ROLE = """
CREATE ROLE fetcher LOGIN;
GRANT USAGE ON SCHEMA {schema} TO fetcher;
GRANT SELECT ON {schema}.crawl, {schema}.tokens, {schema}.orders, {schema}.widened TO fetcher;
GRANT SELECT, INSERT ON {schema}.answers TO fetcher;
GRANT SELECT, INSERT, UPDATE ON {schema}.nodes, {schema}.leases TO fetcher;
"""
"""What docs/cluster.md grants to nodes."""


def test_messages_without_the_token_are_ignored(database: str) -> None:
    with closing(connect(database)) as base:
        base.prepare()
        crawl = CrawlTables(base, SETTINGS, Token("secret"))
        crawl.prepare()
        friend = NodeTables(base, 0.0, SETTINGS, Token("secret"))
        stranger = NodeTables(base, 0.0, SETTINGS, Token("guess"))
        one, two = friend.join("friend", 1), stranger.join("stranger", 1)
        crawl.give([(1, one, b"order"), (2, two, b"order")])
        assert friend.exchange(one, 1, 0, Report()).orders == [(1, b"order")]
        assert stranger.exchange(two, 1, 0, Report()).orders == [(2, b"")]
        friend.exchange(one, 1, 1, Report(answers=[(1, 1, b"answer")]))
        stranger.exchange(two, 1, 2, Report(answers=[(1, 2, b"answer")]))
        answers = crawl.answers({one: 0, two: 0})
        assert answers == [(one, 1, 1, b"answer"), (two, 1, 2, b"")]
        # A sealed answer is of no use as that of another node, or to another order.
        base.execute("INSERT INTO answers SELECT node, 7, 2, body FROM answers WHERE number = 1")
        assert [body for *_, body in crawl.answers({one: 1, two: 1})] == [b"", b""]


def test_a_node_without_the_token_is_refused(
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FORAGERS_TOKEN", "secret")
    with sites(1, 2) as servers, cluster(database, tmp_path, [servers[0].url()], 1) as processes:
        processes.finish()
        assert len(told(database)) > 2, "with the token it works"
        monkeypatch.setenv("FORAGERS_TOKEN", "guess")
        assert main(["node", "--join", database, "--out", str(tmp_path / "out")]) == 2
        assert "the crawl has another token" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert "secret" not in (tmp_path / "crawl" / "crawl.json").read_text()


def test_a_node_needs_few_rights_in_the_database(
    database: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    schema = database.rpartition("%3D")[2]
    with sites(2, 4) as servers:
        seeds = [server.url() for server in servers]
        with cluster(database, tmp_path, seeds, 0, budget=1000) as processes:
            with closing(psycopg.connect(database, autocommit=True)) as owner:
                while owner.execute("SELECT to_regclass('tokens')").fetchone() == (None,):
                    time.sleep(0.05)
                owner.execute(ROLE.format(schema=schema))
            processes.url = database.replace("crawler@", "fetcher@")
            processes.start("node0")
            processes.finish()
        assert len([1 for *_, status, _ in told(database) if status == "ok"]) == 2 * 6
    with closing(psycopg.connect(processes.url, autocommit=True)) as node:
        for harm in ("DELETE FROM visits", "UPDATE crawl SET options = ''", "DROP TABLE orders"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                node.execute(harm)


def test_every_node_guards_private_addresses(database: str, tmp_path: Path) -> None:
    with sites(1, 2) as servers:
        seeds = [servers[0].url()]
        with cluster(database, tmp_path, seeds, 1, allow_private=()) as processes:
            processes.finish()
        assert servers[0].log == []
    ((_, _, status, reason),) = told(database)
    assert status == "skipped"
    assert "private" in reason


def certificate(folder: Path) -> Path:
    """Make a certificate for localhost, signed by its own key."""
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made with the openssl command, which is not here")
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    made += " -addext subjectAltName=DNS:localhost -keyout server.key -out server.crt"
    subprocess.run(made.split(), cwd=folder, check=True, capture_output=True)
    return folder / "server.crt"


def test_databases_with_tls_and_a_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_postgres() as server:
        data = server.folder / "data"
        root = certificate(tmp_path)
        for file in (root, root.with_suffix(".key")):
            copy = data / file.name
            copy.write_bytes(file.read_bytes())
            copy.chmod(0o600)
            if server.user is not None:
                shutil.chown(copy, server.user)
        (data / "pg_hba.conf").write_text(
            "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"
        )
        with psycopg.connect(server.socket, autocommit=True) as owner:
            owner.execute("ALTER ROLE crawler PASSWORD 'secret'")
            owner.execute("ALTER SYSTEM SET ssl = on")
        server.stop()
        server.start()
        place = f"localhost:{server.port}/postgres"
        strict = f"?sslmode=verify-full&sslrootcert={root}&hostaddr=127.0.0.1"
        out = tmp_path / "out"
        for url, why in (
            (f"postgresql://crawler:guess@{place}{strict}", "password authentication failed"),
            (f"postgresql://crawler:secret@{place}?sslmode=disable&hostaddr=127.0.0.1", "no enc"),
            (f"postgresql://crawler:secret@{place}{strict}", ""),
        ):
            with sites(1, 1) as servers:
                given = [servers[0].url(), "--out", str(out), "--ledger", url, "--budget", "1"]
                ended = main(["crawl", *given, "--allow-private", "127.0.0.0/8"])
            said = capsys.readouterr()
            assert "secret" not in said.err + said.out
            if why:
                assert (ended, why in said.err) == (2, True), said.err
                assert not out.exists(), "nothing was written"
            else:
                assert ended == 0, said.err
        assert "secret" not in (out / "crawl.json").read_text()

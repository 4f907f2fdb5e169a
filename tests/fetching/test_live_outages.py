"""Hosts that cannot be reached for a while, one or all: no page is lost, and none is held up."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from foragers.crawling.session import Session
from foragers.crawling.settings import DEFAULT_SETTINGS, SessionSettings
from foragers.fetching.outages import OutageMonitor
from foragers.fetching.settings import FetchSettings, OutageSettings, ThrottleSettings
from foragers.fetching.throttle import Throttle
from support.crawling import LIMITS, Outcome, order_of, serving, with_backoff
from support.hostile_server import (
    ALLOW_ALL,
    Answer,
    Asked,
    Connection,
    HostileServer,
    page,
    redirect,
    reply,
)

PAGES = 12
UNIT = 0.05
"""Seconds that stand for one, in all pauses."""


def site(name: str, first: bytes | None = None) -> dict[str, Answer]:
    pages = {f"/{n}": page(f"/{n + 1}", words=f"{n} of {name}") for n in range(PAGES)}
    return {**pages, f"/{PAGES}": page(words=f"last of {name}"), "/robots.txt": first or ALLOW_ALL}


class Switched:
    """A server that stops to listen when it has answered so often, and comes back after a time.

    Without a time it comes back when it is told to.
    """

    def __init__(self, name: str, address: str, after: int, seconds: float = 1e9) -> None:
        self.site, self.address, self.seconds = site(name), address, seconds
        self.log: list[Asked] = []
        self.left = after
        self.site["/robots.txt"] = self._counted(ALLOW_ALL)
        for path in list(self.site):
            self.site[path] = self._counted(self.site[path])
        self.server = HostileServer(self.site, address=address, log=self.log).start()
        self.port = self.server.port

    def _counted(self, answer: Answer) -> Answer:
        def send(connection: Connection) -> None:
            self.left -= 1
            if self.left == 0:
                self.server.stop()
                connection.close()
                if self.seconds < 1000:
                    threading.Timer(self.seconds, self.back).start()
            if callable(answer):
                answer(connection)
            else:
                connection.send(answer)

        return send

    @property
    def is_away(self) -> bool:
        """Whether it has stopped, and has not come back."""
        return self.left == 0

    def back(self) -> None:
        """Listen again, and from now on for good."""
        self.left = -1
        self.server = HostileServer(self.site, address=self.address, port=self.port, log=self.log)
        self.server.start()

    def url(self, path: str) -> str:
        return f"http://{self.address}:{self.port}{path}"

    def stop(self) -> None:
        self.server.stop()


def run(
    folder: Path,
    *seeds: str,
    unit: float = UNIT,
    settings: SessionSettings = DEFAULT_SETTINGS,
    heard: Callable[[str], None] = lambda line: None,
    **options: object,
) -> tuple[Outcome, list[str]]:
    """Crawl with short pauses; return what came of it and what was said on the way."""
    order, settings = order_of(*seeds, **options), with_backoff(settings, unit)
    crawling = Session.open(order, folder, LIMITS, settings)
    said: list[str] = []
    try:
        for _ in crawling.steps():
            lines = crawling.notices()
            said.extend(lines)
            for line in lines:
                heard(line)
    finally:
        crawling.close()
    outcome = Outcome(folder)
    outcome.stopped = crawling.stopped
    return outcome, said


def fetched(outcome: Outcome) -> int:
    return sum(row[2] == "ok" for row in outcome.rows.values())


def test_nothing_is_lost_when_all_hosts_are_away_for_a_while(tmp_path: Path) -> None:
    servers = [Switched(f"site {n}", f"127.0.0.{n + 1}", 4 + n % 2) for n in range(5)]

    def heard(line: str) -> None:
        if "no host can be reached" in line:
            for server in servers:
                if server.is_away:
                    server.back()
                server.left = -1

    try:
        seeds = [server.url("/0") for server in servers]
        outcome, said = run(tmp_path, *seeds, budget=5 * (PAGES + 1), concurrency=3, heard=heard)
    finally:
        for server in servers:
            server.stop()
    assert fetched(outcome) == 5 * (PAGES + 1), "and what failed on the way cost nothing"
    assert outcome.stopped.startswith(("there is nothing left", "the budget of"))
    assert any("no host can be reached" in line for line in said)
    assert any("the network is back" in line for line in said)


def test_one_host_that_is_away_for_a_while_holds_up_no_other_and_loses_nothing(
    tmp_path: Path,
) -> None:
    switched, lock, said_so = Switched("one", "127.0.0.2", 4), threading.Lock(), threading.Event()

    def back_if_due() -> None:
        with lock:
            if said_so.is_set() and f"/{PAGES}" in other.paths and switched.is_away:
                switched.back()

    def heard(line: str) -> None:
        if "127.0.0.2" in line and "cannot be reached" in line:
            said_so.set()
            back_if_due()

    def last(connection: Connection) -> None:
        connection.send(page(words="last of other"))
        back_if_due()

    with serving({**site("other"), f"/{PAGES}": last}) as other:
        seeds = switched.url("/0"), other.url("/0")
        outcome, _ = run(tmp_path, *seeds, delay=0.02, heard=heard)
        switched.stop()
        assert fetched(outcome) == 2 * (PAGES + 1)
        back = next(asked.start for asked in switched.log[4:])
        assert max(asked.start for asked in other.log) < back, "the other went on meanwhile"
        assert said_so.is_set()


def test_a_host_that_stays_away_is_given_up_and_its_pages_are_not_each_tried(
    tmp_path: Path,
) -> None:
    links = [f"/{n}" for n in range(1, 9)]
    dead = Switched("dead", "127.0.0.2", 2)
    dead.site["/0"] = dead._counted(page(*links))
    with serving(site("other")) as other:
        outcome, _ = run(tmp_path, dead.url("/0"), other.url("/0"), unit=0.005)
        rows = [row for url, row in outcome.rows.items() if "127.0.0.2" in url]
        assert [row[2] for row in rows].count("failed") <= 1
        assert len(rows) <= 3
        assert outcome.stopped.startswith("no remaining host can be reached: 127.0.0.2")
        assert sum("127.0.0.1:" in url for url in outcome.rows) == PAGES + 1
        dead.back()
        outcome, _ = run(tmp_path, dead.url("/0"), other.url("/0"))
        dead.stop()
        rows = [row for url, row in outcome.rows.items() if "127.0.0.2" in url]
        assert {row[2] for row in rows} == {"ok"}
        assert len(rows) == PAGES + 1, "the same command asks again"


@pytest.mark.parametrize("keep", [True, False], ids=["checkpoint", "ledger alone"])
def test_pages_that_were_set_aside_are_asked_for_when_the_crawl_goes_on(
    keep: bool, tmp_path: Path
) -> None:
    server = Switched("one", "127.0.0.2", 5)
    crawling = Session.open(order_of(server.url("/0")), tmp_path, LIMITS)
    for _ in crawling.steps():
        if len(crawling.own_requests):
            break
    crawling.close()
    if not keep:
        (tmp_path / "checkpoint").unlink()
    server.back()
    outcome, _ = run(tmp_path, server.url("/0"))
    server.stop()
    assert fetched(outcome) == len(outcome.rows) == PAGES + 1


def test_a_redirect_to_a_host_that_is_away_does_not_hold_up_its_own(tmp_path: Path) -> None:
    away = Switched("away", "127.0.0.2", 1, 1.0)  # for the time of robots.txt
    own = {**site("own"), "/0": page("/moved", "/1"), "/moved": redirect(away.url("/3"))}
    with serving(own) as server:
        outcome, _ = run(tmp_path, server.url("/0"))
        away.stop()
        assert outcome.final("/moved") == away.url("/3")
        assert outcome.status("/moved") == "ok"
        assert server.paths.count("/moved") == 1, "it goes on from where it had come to"


def test_hosts_with_a_long_crawl_delay_leave_their_places_to_others(tmp_path: Path) -> None:
    slow = reply(b"User-agent: *\nCrawl-delay: 7200\n", kind="text/plain")
    with ExitStack() as stack:
        hosts = [
            stack.enter_context(serving(site("slow", slow), address=f"127.0.0.{n + 2}"))
            for n in range(4)
        ]
        good = stack.enter_context(serving(site("good")))
        seeds = [host.url("/0") for host in hosts]
        outcome, said = run(tmp_path, *seeds, good.url("/0"), concurrency=2)
        assert fetched(outcome) == PAGES + 1
        assert {tuple(host.paths) for host in hosts} == {("/robots.txt",)}
        assert "a pause of" in outcome.stopped or "deferred for" in outcome.stopped
        assert sum("s between requests" in line for line in said) == 4


def test_a_redirect_is_followed_at_a_host_with_a_long_crawl_delay(tmp_path: Path) -> None:
    settings = SessionSettings(FetchSettings(throttle=ThrottleSettings(max_wait=0.1)))
    slow = reply(b"User-agent: *\nCrawl-delay: 0.3\n", kind="text/plain")
    moved = {"/0": redirect("/1"), "/1": redirect("/2"), "/2": page(), "/robots.txt": slow}
    with serving(moved) as server:
        outcome, _ = run(tmp_path, server.url("/0"), settings=settings)
        assert outcome.status("/0") == "ok"
        assert server.paths == ["/robots.txt", "/0", "/1", "/2"]


def test_a_network_that_stays_away_ends_the_crawl_in_time(tmp_path: Path) -> None:
    settings = SessionSettings(patience=20.0)
    servers = [Switched(f"site {n}", f"127.0.0.{n + 1}", 4) for n in range(3)]
    outcome, _ = run(tmp_path, *(server.url("/0") for server in servers), settings=settings)
    assert outcome.stopped.startswith("no host can be reached for")
    assert {row[2] for row in outcome.rows.values()} == {"ok"}


def throttle_of(*answered: str) -> Throttle:
    found = Throttle()
    for host in answered:
        found.state(host).answered = True
    return found


def failing(outages: OutageMonitor, host: str, now: float) -> bool:
    outages.throttle.not_reached(host, (host,), now)
    return outages.failed(host, now)


def test_the_network_is_away_when_all_that_answered_lately_fall_silent() -> None:
    outages = OutageMonitor(throttle_of("a", "b", "c", "d"))
    for moment, host in enumerate("abcd"):
        outages.responded(host, float(moment))
    assert not failing(outages, "a", 5.0)
    assert not failing(outages, "a", 6.0), "one host alone is not the network"
    assert not failing(outages, "b", 7.0)
    outages.responded("d", 8.0)
    assert not failing(outages, "c", 9.0), "somebody has answered since the others"
    assert not failing(outages, "b", 10.0)
    assert failing(outages, "a", 11.0)
    assert outages.is_down
    assert outages.usable(16, 0, 11.5) == 0
    assert outages.usable(16, 0, 12.0) == 3
    assert outages.responded("a", 20.0) == 11.0
    assert outages.usable(16, 0, 20.0) == 16


def test_hosts_that_never_answered_do_not_say_that_the_network_is_away() -> None:
    outages = OutageMonitor(throttle_of("a"))
    outages.responded("a", 0.0)
    assert not any(failing(outages, host, 1.0) for host in "bcdefg")


def test_patience_is_longer_with_hosts_that_have_answered_and_counts_no_outage() -> None:
    outages = OutageMonitor(throttle_of("a", "b"))
    outages.responded("b", 0.0)
    failing(outages, "a", 0.0)
    assert not outages.gives_up("a", OutageSettings().give_up_known - 3)
    assert outages.gives_up("a", OutageSettings().give_up_known + 1)
    failing(outages, "new", 0.0)
    assert not outages.gives_up("new", OutageSettings().give_up_new - 3)
    assert outages.gives_up("new", OutageSettings().give_up_new + 1)
    failing(outages, "b", OutageSettings().give_up_known - 10)
    assert outages.is_down
    assert not outages.gives_up("a", OutageSettings().give_up_known + 1000)
    outages.responded("b", OutageSettings().give_up_known + 1000)
    assert not outages.gives_up("a", OutageSettings().give_up_known + 1001)


DNS = """
import pathlib, socket, struct, sys
state = pathlib.Path(sys.argv[1])
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.77", 53))
print("ready", flush=True)
while True:
    query, client = server.recvfrom(2000)
    said = state.read_text()
    if said == "silent":
        continue
    end = 12
    while query[end]:
        end += 1 + query[end]
    kind, = struct.unpack(">H", query[end + 1 : end + 3])
    code = {"up": 0, "unknown": 3, "broken": 2}[said]
    found = b""
    if not code and kind == 1:
        found = b"\\xc0\\x0c" + struct.pack(">HHIH4B", 1, 1, 1, 4, 127, 0, 0, 1)
    head = struct.pack(">HHHHH", 0x8180 | code, 1, bool(found), 0, 0)
    server.sendto(query[:2] + head + query[12 : end + 5] + found, client)
"""


@pytest.fixture
def names(tmp_path: Path) -> Iterator[Path]:
    """Run a name server that does as a file says; where that is not allowed, skip."""
    state = tmp_path / "state"
    state.write_text("up")
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.77\noptions timeout:1 attempts:1\n")
    if (
        shutil.which("unshare") is None
        or subprocess.run(
            ["unshare", "-m", "mount", "--bind", tmp_path / "resolv.conf", "/etc/resolv.conf"],
            capture_output=True,
        ).returncode
    ):
        pytest.skip("a name server of our own cannot be set here")
    server = subprocess.Popen([sys.executable, "-c", DNS, state], stdout=subprocess.PIPE, text=True)
    assert server.stdout
    if server.stdout.readline() != "ready\n":
        pytest.skip("a name server cannot be run here")
    yield state
    server.kill()
    server.wait()
    server.stdout.close()


@pytest.mark.parametrize("how", ["unknown", "silent"])
def test_nothing_is_lost_when_names_cannot_be_looked_up_for_a_while(
    how: str, names: Path, tmp_path: Path
) -> None:
    def closing(connection: Connection) -> None:
        """Answer on a connection that is not kept, so that each request looks the name up."""
        n = int(connection.path[1:])
        if n == 3:
            names.write_text(how)
        connection.send(page(f"/{n + 1}") if n < PAGES else page())
        connection.close()

    pages = {f"/{n}": closing for n in range(PAGES + 1)}
    with serving(pages) as server:
        command = [
            "unshare", "-m", "sh", "-c",
            'mount --bind "$0" /etc/resolv.conf && exec "$@"', str(tmp_path / "resolv.conf"),
            sys.executable, "-c", CRAWL, str(tmp_path / "crawl"), f"http://h.test:{server.port}/0",
        ]  # fmt: skip
        said = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for line in process.stdout:
                said.append(line)
                if "no host can be reached" in line:
                    names.write_text("up")
        assert process.returncode == 0
        assert any("the network is back" in line for line in said), (server.paths, said)
    with sqlite3.connect(tmp_path / "crawl" / "ledger.sqlite") as ledger:
        rows = ledger.execute("SELECT status, count(*) FROM visits GROUP BY status").fetchall()
    ledger.close()
    assert rows == [("ok", PAGES + 1)]


CRAWL = """
import sys
from pathlib import Path
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.crawling.settings import SessionSettings
from foragers.fetching.settings import FetchSettings, ThrottleSettings
from foragers.http.client import ClientSettings

fetching = FetchSettings(client=ClientSettings(dns_age=0), throttle=ThrottleSettings(backoff=0.1))
folder, seed = sys.argv[1:]
order = CrawlOptions(seeds=(seed,), strategy="breadth-first", delay=0.0,
              allow_private=("127.0.0.0/8",), traps=False, warc=False)
crawl = Session.open(order, Path(folder), settings=SessionSettings(fetching))
for _ in crawl.steps():
    for line in crawl.notices():
        print(line, flush=True)
crawl.close()
"""

"""Pages that are fetched again: whether they have changed, and that nothing is lost by asking."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders

from foragers.core.types import Choice, HostId, Page, Status, Visit
from foragers.crawling.session import Session
from foragers.strategies.baselines import BreadthFirst
from support.crawling import LIMITS, order_of, serving
from support.hostile_server import Answer, Connection, HostileServer, page, redirect, reply

HTML = '<title>{0}</title><p>{0}</p><a href="/linked">linked</a>'


class Again:
    """A strategy that chooses what it is given, and learns nothing."""

    def __init__(self) -> None:
        self.choices: deque[Choice] = deque()
        self.visits: list[Visit] = []

    def ask(self, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        taken = [choice for choice in self.choices if choice.host not in closed][:n]
        for choice in taken:
            self.choices.remove(choice)
        return taken

    def tell(self, visits: Sequence[Visit]) -> None:
        self.visits += visits


@contextmanager
def opened(folder: Path, server: HostileServer, **options: object) -> Iterator[Session]:
    """Open a session whose strategy asks for what it is told to."""
    session = Session.open(order_of(server.url("/"), **options), folder, LIMITS)
    session.crawl.strategy = Again()
    try:
        yield session
    finally:
        session.close()


def fetch(session: Session, *urls: str, agents: tuple[str, ...] = ("",)) -> list[Visit]:
    """Fetch pages, each for every agent, and return the visits."""
    strategy = session.crawl.strategy
    assert isinstance(strategy, Again)
    before = len(strategy.visits)
    for url in urls:
        number = session.live.table.intern(url)
        host = session.live.table.host(number)
        strategy.choices += [Choice(number, host, 1.0, agent, 0, 1) for agent in agents]
    while len(strategy.visits) < before + len(urls) * len(agents):
        assert session.crawl.step() is not None
    return strategy.visits[before:]


def with_validators(connection: Connection, etag: str, modified: str, words: str) -> None:
    known = connection.headers.get("if-none-match") == etag
    headers = {"etag": etag, "last_modified": modified}
    body = HTML.format(words)
    connection.send(
        reply(b"", "304 Not Modified", kind=None, **headers) if known else reply(body, **headers)
    )


MODIFIED = formatdate(1_700_000_000, usegmt=True)


def steady(connection: Connection) -> None:
    with_validators(connection, '"one"', MODIFIED, "steady")


def changing(connection: Connection) -> None:
    number = connection.count
    with_validators(connection, f'"{number}"', "", f"version {number}")


def asked(server: HostileServer, path: str, header: str) -> list[str | None]:
    return [one.headers.get(header) for one in server.log if one.path == path]


def test_a_page_that_has_not_changed_is_given_again_with_words_and_links(tmp_path: Path) -> None:
    with serving({"/it": steady}) as server, opened(tmp_path, server) as session:
        (first,) = fetch(session, server.url("/it"))
        (second,) = fetch(session, server.url("/it"))
        assert (first.page.status, second.page.status) == (Status.OK, Status.UNCHANGED)
        assert second.page.version == first.page.version >= 0
        assert second.page.born == first.page.born == 1_700_000_000
        assert second.page.document == first.page.document
        assert [link.href for link in second.links] == [server.url("/linked")]
        assert second.links.targets.tolist() == first.links.targets.tolist()
        assert asked(server, "/it", "if-none-match") == [None, '"one"']
        assert asked(server, "/it", "if-modified-since") == [None, MODIFIED]


def test_a_server_without_validators_is_compared_by_content(tmp_path: Path) -> None:
    def plain(connection: Connection) -> None:
        nonce = f"<!-- {connection.count} --><meta name=token content={connection.count}>"
        connection.send(reply(nonce + HTML.format("the same")))

    with serving({"/it": plain}) as server, opened(tmp_path, server) as session:
        first, second = (fetch(session, server.url("/it"))[0].page for _ in range(2))
        assert (second.status, second.reason) == (Status.UNCHANGED, "the same content")
        assert (second.version, second.born) == (first.version, first.born)
        assert asked(server, "/it", "if-none-match") == [None, None]


def test_a_page_that_has_changed_is_a_new_version_born_after_the_last(tmp_path: Path) -> None:
    old = reply(HTML.format("b"), last_modified=MODIFIED)

    def lies(connection: Connection) -> None:
        connection.send(old if connection.count else reply(HTML.format("a")))

    with serving({"/it": changing, "/lies": lies}) as server, opened(tmp_path, server) as session:
        first, second = (fetch(session, server.url("/it"))[0].page for _ in range(2))
        assert (first.status, second.status) == (Status.OK, Status.OK)
        assert first.version != second.version
        assert second.document.title == "version 1"
        assert first.time <= second.born <= second.time
        before, after = (fetch(session, server.url("/lies"))[0].page for _ in range(2))
        assert after.status is Status.OK
        assert after.born > before.time, "it cannot be older than what was there before"


def test_a_page_that_comes_back_to_an_earlier_version_has_its_number(tmp_path: Path) -> None:
    def flips(connection: Connection) -> None:
        connection.send(reply(HTML.format("ab"[connection.count % 2])))

    with serving({"/it": flips}) as server, opened(tmp_path, server) as session:
        one, two, three = (fetch(session, server.url("/it"))[0].page for _ in range(3))
        assert one.version == three.version != two.version
        assert three.status is Status.OK


def test_validators_are_known_after_the_crawl_is_taken_up_again(tmp_path: Path) -> None:
    for warc in (True, False):
        folder = tmp_path / str(warc)
        with serving({"/it": steady}) as server:
            with opened(folder, server, warc=warc) as session:
                (first,) = fetch(session, server.url("/it"))
            (folder / "checkpoint").unlink()
            with opened(folder, server, warc=warc) as session:
                (second,) = fetch(session, server.url("/it"))
                assert second.page.status is Status.UNCHANGED
                assert second.page.version == first.page.version
                assert [link.href for link in second.links] == [server.url("/linked")]
            assert asked(server, "/it", "if-none-match") == [None, '"one"']


@pytest.mark.parametrize("etag", ['"a\tb"', '"\x7f"', '"é"', '"' + "x" * 5000 + '"'])
def test_validators_that_cannot_be_sent_are_not(etag: str, tmp_path: Path) -> None:
    def answer(connection: Connection) -> None:
        connection.send(reply(HTML.format("x"), etag=etag, last_modified="some day"))

    with serving({"/it": answer}) as server, opened(tmp_path, server) as session:
        _, second = (fetch(session, server.url("/it"))[0].page for _ in range(2))
        assert second.status is Status.UNCHANGED
        assert asked(server, "/it", "if-none-match") == [None, None]
        assert asked(server, "/it", "if-modified-since") == [None, None]


def test_a_page_that_moved_is_asked_for_where_it_was_found(tmp_path: Path) -> None:
    site: dict[str, Answer] = {"/old": redirect("/it"), "/it": steady}
    with serving(site) as server, opened(tmp_path, server) as session:
        first, second = (fetch(session, server.url("/old"))[0].page for _ in range(2))
        assert (first.status, second.status) == (Status.OK, Status.UNCHANGED)
        assert second.href == server.url("/it")
        assert asked(server, "/old", "if-none-match") == [None, None]
        assert asked(server, "/it", "if-none-match") == [None, '"one"']


def test_a_page_that_is_gone_on_a_revisit_is_missing(tmp_path: Path) -> None:
    def gone(connection: Connection) -> None:
        lost = reply(b"<p>gone", "410 Gone")
        connection.send(lost if connection.count else reply(HTML.format("x"), etag='"1"'))

    with serving({"/it": gone}) as server, opened(tmp_path, server) as session:
        first, second = (fetch(session, server.url("/it"))[0].page for _ in range(2))
        assert (first.status, second.status) == (Status.OK, Status.MISSING)
        assert second.version == -1


def test_one_page_chosen_by_two_at_once_is_answered_to_both(tmp_path: Path) -> None:
    with serving({"/it": steady}) as server, opened(tmp_path, server) as session:
        number = session.live.table.intern(server.url("/it"))
        host = session.live.table.host(number)
        choices = [Choice(number, host, 1.0, agent, 0, 1) for agent in ("a", "b")]
        for choice in choices:
            session.live.start(choice)
        assert session.live.pending == choices
        pages: list[Page] = []
        while session.live.running:
            pages += session.live.finished()
        assert sorted(page.choice.agent for page in pages) == ["a", "b"]
        assert {page.status for page in pages} == {Status.OK}
        assert not session.live.pending


def test_what_was_under_way_is_fetched_again_though_its_page_was_fetched_before(
    tmp_path: Path,
) -> None:
    with serving({"/it": steady}) as server:
        with opened(tmp_path, server) as session:
            fetch(session, server.url("/it"), agents=("a",))
            number = session.live.table.intern(server.url("/it"))
            choice = Choice(number, session.live.table.host(number), 1.0, "b", 0, 1)
            session.live.start(choice)
            session.crawl.strategy = BreadthFirst()  # a class of a test cannot be loaded
        with opened(tmp_path, server) as session:
            assert [one.agent for one in session.live.pending] == ["b"]


def test_choices_that_wait_for_their_host_are_fetched_after_a_stop(tmp_path: Path) -> None:
    with serving({"/it": steady}) as server:
        with opened(tmp_path, server) as session:
            fetch(session, server.url("/it"), agents=("a",))
            number = session.live.table.intern(server.url("/it"))
            host = session.live.table.host(number)
            session.crawl.held += [Choice(number, host, 1.0, agent, 0, 1) for agent in "bc"]
            session.crawl.strategy = BreadthFirst()  # a class of a test cannot be loaded
        with opened(tmp_path, server) as session:
            # The first is sent at once, which closes the host for the second.
            assert [one.agent for one in session.live.pending] == ["b"]
            assert [one.agent for one in session.crawl.held] == ["c"]


def test_a_trap_does_not_close_behind_a_page_that_is_fetched_again(tmp_path: Path) -> None:
    words = " ".join(f"word{n}" for n in range(50))
    same = page("/x", words=words)
    first = page("/x", words="first " + words)

    def becomes_a_copy(connection: Connection) -> None:
        connection.send(same if connection.count else first)

    site: dict[str, Answer] = {"/a": becomes_a_copy, "/b": same}
    with serving(site) as server, opened(tmp_path, server, traps=True) as session:
        fetch(session, server.url("/a"), server.url("/b"))
        statuses = [fetch(session, server.url("/a"))[0].page.status for _ in range(60)]
        assert statuses == [Status.OK] + [Status.UNCHANGED] * 59


def test_revisits_are_records_that_refer_to_the_first(tmp_path: Path) -> None:
    same = reply(HTML.format("same"))
    with serving({"/it": steady, "/same": same}) as server:
        with opened(tmp_path, server, warc=True) as session:
            for _ in range(2):
                fetch(session, server.url("/it"), server.url("/same"))
        found: dict[str, list[StatusAndHeaders]] = {}
        for path in (tmp_path / "warc").glob("*.warc.gz"):
            with path.open("rb") as stream:
                for record in ArchiveIterator(stream, check_digests="raise"):
                    record.content_stream().read()
                    url = record.rec_headers.get_header("WARC-Target-URI") or ""
                    if record.rec_type in ("response", "revisit"):
                        found.setdefault(url.rpartition("/")[2], []).append(record.rec_headers)
        for name, profile in (("it", "server-not-modified"), ("same", "identical-payload-digest")):
            first, second = found[name]
            assert second.get_header("WARC-Profile").endswith(profile)
            refers = second.get_header("WARC-Refers-To")
            assert refers == first.get_header("WARC-Record-ID")


def test_the_words_of_an_unchanged_page_are_kept_once_and_read_again(tmp_path: Path) -> None:
    with serving({"/it": steady}) as server, opened(tmp_path, server) as session:
        for _ in range(5):
            fetch(session, server.url("/it"))
        documents = {visit.page.document.text for visit in session.ledger.read()}
        links = [[link.href for link in visit.links] for visit in session.ledger.read()]
        assert len(documents) == 1
        assert links == [[server.url("/linked")]] * 5
    with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
        rows = ledger.execute("SELECT status, words IS NULL FROM visits").fetchall()
    ledger.close()
    assert rows == [("ok", 0)] + [("unchanged", 1)] * 4

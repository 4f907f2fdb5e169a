"""The search in PostgreSQL finds what the search in SQLite finds, and outlives the server."""

from __future__ import annotations

from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("starlette") is None:
    pytest.skip("Starlette is not installed", allow_module_level=True)

from foragers.cli.main import main
from foragers.errors import DatabaseError
from foragers.reports.crawl_folder import opened
from foragers.serve.crawl_data import CrawlData
from foragers.serve.page_index import PAGES, PageIndex, Wishes
from foragers.serve.postgres_index import CONNECTIONS, PostgresIndex, search_in
from foragers.serve.settings import ServeSettings
from foragers.storage.ledger.postgres import connect
from support.crawling import serving
from support.hostile_server import page

SITE = {
    "/": page("/tea", "/coffee", "/odd", words="home of drinks"),
    "/tea": page("/green-leaves", words="green tea leaves are picked"),
    "/green-leaves": page(words="green tea leaves from Japan, green tea with rice"),
    "/coffee": page(words="coffee is roasted, the tea-house closes at 5.30"),
    "/odd": page(words="o'clock Größe naïve 漢字 <b>&lt;script&gt;</b> " + "x" * 5000),
}
SETTINGS = ServeSettings()


@pytest.fixture
def crawl(tmp_path: Path, database: str) -> Path:
    folder = tmp_path / "tea"
    with serving(SITE) as server:
        given = ["--topic", "green tea", "--delay", "0", "--allow-private", "127.0.0.0/8"]
        command = ["crawl", server.url("/"), *given, "--ledger", database, "--out", str(folder)]
        assert main(command) == 0
    return folder


def filled(index: PageIndex | PostgresIndex, folder: Path) -> None:
    with opened(folder) as read:
        index.add(read)


@pytest.mark.parametrize(
    "wishes",
    [
        Wishes(),
        Wishes(every=True),
        Wishes(every=True, order="time"),
        Wishes(words="green tea"),
        Wishes(words="GREEN japan"),
        Wishes(words="leaves"),
        Wishes(words="odd"),
        Wishes(words="/odd"),
        Wishes(words="house 30"),
        Wishes(words="tea-house 5.30"),
        Wishes(words="naive"),
        Wishes(words="grösse"),
        Wishes(words="größe"),
        Wishes(words="漢字"),
        Wishes(words='"'),
        Wishes(words="\0"),
        Wishes(words="green\0japan"),
        Wishes(words="NOT & | ! ( tea:*"),
        Wishes(words="tea' OR 1=1 --"),
        Wishes(words="tea", host="none.test"),
        Wishes(words="tea", least=0.99),
        Wishes(every=True, host="none\0.test"),
        Wishes(every=True, until=1.0),
        Wishes(every=True, page=9),
    ],
)
def test_both_searches_find_the_same_pages(crawl: Path, database: str, wishes: Wishes) -> None:
    with closing(PageIndex(SETTINGS)) as ours, closing(PostgresIndex(database, SETTINGS)) as theirs:
        for index in (ours, theirs):
            filled(index, crawl)
        (wanted, total), (found, count) = ours.find(wishes), theirs.find(wishes)
        assert count == total
        assert {one.number: one for one in found} == {one.number: one for one in wanted}
        if not wishes.words:
            assert found == wanted
        assert theirs.choices("host") == ours.choices("host")
        assert theirs.get(2) == ours.get(2)
        assert theirs.get(10**30) is theirs.get(999) is None


def test_titles_come_before_texts_and_the_index_is_used(crawl: Path, database: str) -> None:
    with closing(PostgresIndex(database, SETTINGS)) as index, closing(connect(database)) as there:
        filled(index, crawl)
        there.execute("UPDATE search_pages SET words = setweight(words, 'A') WHERE number = 3")
        found, _ = index.find(Wishes(words="tea"))
        assert found[0].number == 3
        there.execute("SET enable_seqscan = off")
        plan = there.execute(
            "EXPLAIN SELECT 1 FROM search_pages WHERE words @@ plainto_tsquery('simple', 'tea')"
        )
        assert "search_by_words" in "\n".join(row[0] for row in plan.fetchall())


def test_the_next_server_goes_on_and_another_crawl_begins_anew(crawl: Path, database: str) -> None:
    with closing(PostgresIndex(database, SETTINGS)) as first:
        filled(first, crawl)
        assert first.last == 5
        with closing(PostgresIndex(database, SETTINGS)) as second:  # beside it
            filled(second, crawl)
            assert second.last == 5
            assert not second._writes
    with closing(connect(database)) as there:
        there.execute("DELETE FROM search_pages WHERE number = 2")
        with closing(PostgresIndex(database, SETTINGS)) as third:
            filled(third, crawl)
            assert third.get(2) is None  # what was done is not done again
            there.execute("UPDATE visits SET time = time + 1 WHERE number = 1")
            filled(third, crawl)
            assert third.get(2) is not None


def test_a_server_without_the_lock_adds_nothing(crawl: Path, database: str) -> None:
    with (
        closing(PostgresIndex(database, SETTINGS)) as first,
        closing(PostgresIndex(database, SETTINGS)) as second,
        opened(crawl) as folder,
    ):
        first.add(folder, -1.0)  # takes the lock, and has no time for pages
        second.add(folder)
        assert second.last == 0
        assert second.find(Wishes(every=True)) == ([], 0)


def test_a_shorter_ledger_is_another_crawl(crawl: Path, database: str) -> None:
    with closing(connect(database)) as there, closing(PostgresIndex(database, SETTINGS)) as index:
        filled(index, crawl)
        there.execute("DELETE FROM visits WHERE number > 3")
        there.execute("UPDATE search_state SET last = 9")
        filled(index, crawl)
        assert index.last == 3
        assert index.find(Wishes(every=True))[1] == 3


def test_more_words_than_postgresql_takes_are_cut_off(crawl: Path, database: str) -> None:
    settings = ServeSettings(searched=3_000_000)
    with closing(PostgresIndex(database, settings)) as index, opened(crawl) as folder:
        row = folder.connection.execute(PAGES, (0, 1, 1)).fetchone()
        index._index(row, " ".join(f"word{number}" for number in range(200_000)))
        assert index.find(Wishes(words="word7"))[1] == 1
        assert index.find(Wishes(words="word199999"))[1] == 0


def test_readers_cannot_write_and_a_broken_connection_is_replaced(database: str) -> None:
    with closing(PostgresIndex(database, SETTINGS)) as index:
        with pytest.raises(DatabaseError), index._reading() as reader:
            reader.execute("INSERT INTO search_state VALUES (1, 1.0)")
        for _ in range(2 * CONNECTIONS):
            with pytest.raises(DatabaseError), index._reading() as reader:
                reader.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            with index._reading() as reader:
                assert reader.execute("SELECT 7").fetchone()[0] == 7


def test_pages_that_are_added_together_are_added_all_or_not_at_all(
    crawl: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresIndex(database, SETTINGS)) as index, opened(crawl) as folder:
        add, added = PostgresIndex._index, list[int]()

        def failing(self: PostgresIndex, row: Any, text: str) -> None:
            add(self, row, text)
            added.append(1)
            if len(added) == 3:
                raise ZeroDivisionError

        monkeypatch.setattr(PostgresIndex, "_index", failing)
        with pytest.raises(ZeroDivisionError):
            index.add(folder)
        assert index.find(Wishes(every=True)) == ([], 0)
        index.add(folder)
        assert index.find(Wishes(every=True))[1] == 5


def test_pages_are_searched_in_the_database_or_beside_it_without_the_right(
    crawl: Path, database: str
) -> None:
    data = CrawlData(crawl)
    data.open()
    assert isinstance(data.index, PostgresIndex)
    assert data.index.find(Wishes(words="rice"))[1] == 1
    data.close()
    with closing(connect(database)) as there:
        there.execute("CREATE ROLE reader LOGIN")
        there.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        there.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        there.execute("DROP TABLE search_pages, search_state")
    assert search_in(database.replace("crawler@", "reader@"), SETTINGS) is None

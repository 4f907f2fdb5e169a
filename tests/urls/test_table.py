"""A table of very many addresses, against a dictionary."""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.urls import digests
from foragers.urls import strings as letters
from foragers.urls import table as url_table
from foragers.urls.digests import Digests, digest
from foragers.urls.parse import host_of, normalise, resolve
from foragers.urls.strings import StringsFile
from foragers.urls.table import UrlTable
from foragers.urls.table import UrlTable as UrlTableByItsOldName

PATHS = st.lists(
    st.text("ab%7e?&=./é#;", max_size=6).map(lambda path: f"http://h{len(path) % 3}.org/{path}"),
    max_size=60,
)
SMALL = mock.patch.multiple(letters, BLOCK=4, OPEN_BLOCKS=2)
SHORT_MEMORY = mock.patch.object(url_table, "RECENT", 3)


def address(number: int) -> str:
    return f"https://www.site-{number % 97}.example/section/{number}/page-about-things.html"


def test_the_table_is_found_under_its_old_name() -> None:
    assert UrlTableByItsOldName is UrlTable


@settings(deadline=None)
@given(PATHS, st.data())
def test_table_answers_like_a_dictionary_of_keys(urls: list[str], data: st.DataObject) -> None:
    keys: dict[str, int] = {}
    shown: list[str] = []
    with SMALL, SHORT_MEMORY, mock.patch.object(url_table, "BLOCK", 4):
        table = UrlTable()
        for url in urls:
            key = normalise(url)
            if key not in keys:
                keys[key] = len(keys)
                shown.append(resolve(url).partition("#")[0])
            assert table.intern(url) == keys[key]
            if data.draw(st.integers(0, 9)) == 0:
                table = pickle.loads(pickle.dumps(table))
        assert [table.href(number) for number in range(len(table))] == shown
        assert [table.find(url) for url in urls] == [keys[normalise(url)] for url in urls]
        names = [table.host_name(table.host(table.intern(url))) for url in urls]
        assert names == [host_of(url) for url in urls]
        assert table.is_sound()


def test_what_was_forgotten_is_found_again_in_the_store() -> None:
    with SHORT_MEMORY:
        table = UrlTable()
        ids, hosts = table.intern_many([address(n) for n in range(1000)])
        assert ids.tolist() == list(range(1000))
        assert table.intern_many([address(n) for n in range(0, 1000, 7)])[0].tolist() == list(
            range(0, 1000, 7)
        )
        assert all(table.href(n) == address(n) for n in range(0, 1000, 13))
        assert hosts[5] == table.host(5 + 97)


def test_no_addresses_are_no_trouble() -> None:
    ids, hosts = UrlTable().intern_many([])
    assert (len(ids), len(hosts), hosts.dtype) == (0, 0, np.dtype(np.int32))


def test_an_address_that_is_none_leaves_the_table_as_it_was() -> None:
    table = UrlTable()
    table.intern(address(1))
    for bad in ("mailto:a@b.c", "http://\ud800/", "http://[::1"):
        with pytest.raises(ValueError):
            table.intern(bad)
    assert len(table) == 1
    assert table.intern(address(2)) == 1
    assert table.href(1) == address(2)


def test_a_lone_surrogate_in_a_path_is_one_address() -> None:
    table = UrlTable()
    assert table.intern("http://a.b/\ud800") == table.intern("http://a.b/%EF%BF%BD") == 0


def test_an_address_takes_few_bytes() -> None:
    tracemalloc.start()
    with mock.patch.object(url_table, "RECENT", 64):
        table = UrlTable()
        table.intern_many([address(n) for n in range(1000)])  # all hosts, and what is at hand
        before = tracemalloc.get_traced_memory()[0]
        for start in range(1000, 21_000, 100):
            table.intern_many([address(n) for n in range(start, start + 100)])
    taken = (tracemalloc.get_traced_memory()[0] - before) / 20_000
    tracemalloc.stop()
    assert taken < 60


class TestDigests:
    @given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40), unique=True, max_size=200))
    def test_numbers_are_given_in_turn_and_found_again(self, some: list[int]) -> None:
        with mock.patch.object(digests, "FIRST_SIZE", 4), mock.patch.object(digests, "CHUNK", 7):
            known = Digests()
            for number, one in enumerate(some):
                assert known.find(one) is None
                assert known.add(one) == number
            copy: Digests = pickle.loads(pickle.dumps(known))
            for each in (known, copy):
                assert [each.find(one) for one in some] == list(range(len(some)))
                assert each.find(2**64 - 1 if 2**64 - 1 not in some else 41) is None
                assert len(each) == len(some)

    @given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40), max_size=200))
    def test_a_digest_that_is_new_gets_the_next_number(self, some: list[int]) -> None:
        with mock.patch.object(digests, "FIRST_SIZE", 4):
            known, expected = Digests(), dict[int, int]()
            for one in some:
                assert known.number(one) == expected.setdefault(one, len(expected))
            assert len(known) == len(expected)

    def test_a_digest_is_the_same_in_every_process(self) -> None:
        # BLAKE2b with eight bytes, as RFC 7693 has it.
        assert digest("") == int.from_bytes(bytes.fromhex("e4a6a0577479b2b4"), "little")


class TestLettersFile:
    def table(self, folder: Path, count: int) -> UrlTable:
        table = UrlTable(StringsFile(folder / "addresses"))
        table.intern_many([address(n) for n in range(count)])
        return table

    def test_letters_are_in_the_file_and_not_in_the_pickle(self, tmp_path: Path) -> None:
        table = self.table(tmp_path, 5000)
        assert (tmp_path / "addresses").stat().st_size > 5000
        packed = pickle.dumps(table)
        assert packed.count(b"page-about-things") < letters.BLOCK
        assert len(packed) < 5000 * 20

    def test_what_was_written_after_the_checkpoint_is_cut_off(self, tmp_path: Path) -> None:
        table = self.table(tmp_path, 1000)
        packed = pickle.dumps(table)
        size = (tmp_path / "addresses").stat().st_size
        table.intern_many([f"https://other.example/{n}" for n in range(1000)])
        again: UrlTable = pickle.loads(packed)
        assert isinstance(again.store, StringsFile)
        again.store.move(tmp_path / "addresses")
        assert again.is_sound()
        assert (tmp_path / "addresses").stat().st_size == size
        again.intern_many([address(n) for n in range(1000, 2000)])
        assert [again.href(n) for n in range(2000)] == [address(n) for n in range(2000)]

    def test_a_file_that_lost_something_is_noticed(self, tmp_path: Path) -> None:
        packed = pickle.dumps(self.table(tmp_path, 1000))
        file = tmp_path / "addresses"
        whole = file.read_bytes()
        file.write_bytes(whole[:-1])
        again: UrlTable = pickle.loads(packed)
        assert isinstance(again.store, StringsFile)
        with pytest.raises(ValueError):
            again.store.move(file)
        file.write_bytes(whole[:-50] + bytes(50))
        again.store.move(file)
        assert not again.is_sound()
        file.unlink()
        with pytest.raises(ValueError):
            again.store.move(file)

    def test_letters_of_another_crawl_are_noticed(self, tmp_path: Path) -> None:
        packed = pickle.dumps(self.table(tmp_path, 1000))
        (tmp_path / "other").mkdir()
        other = UrlTable(StringsFile(tmp_path / "other" / "addresses"))
        other.intern_many([f"https://other.example/{n}/{'x' * 90}" for n in range(2000)])
        again: UrlTable = pickle.loads(packed)
        assert isinstance(again.store, StringsFile)
        again.store.move(tmp_path / "other" / "addresses")
        assert not again.is_sound()

"""Seeds and labels from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.errors import UsageError
from foragers.worlds.labels import read_labels, read_lines, read_seeds
from support.worlds_by_hand import small_world, url_id

WORLD = small_world({"a": ["b", "c"]})
BOOK = WORLD.book


def test_labels_are_sets_of_urls(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(
        '{"url": "http://site.test/c", "labels": ["x"], "more": 1}\n\n'
        '{"url": "http://site.test/a", "labels": ["x", "y"]}\n'
        '{"url": "http://site.test/a#part", "labels": ["x"]}\n'
    )
    labels = read_labels(file, BOOK).urls
    a, c = url_id(WORLD, "a"), url_id(WORLD, "c")
    assert {name: urls.tolist() for name, urls in labels.items()} == {"x": sorted((a, c)), "y": [a]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1"),
        ('{"labels": ["x"]}', "line 1"),
        ('{"url": "http://site.test/zzz", "labels": ["x"]}', "not in this world"),
        ('{"url": "not an address", "labels": ["x"]}', "not in this world"),
    ],
)
def test_wrong_labels_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(text + "\n")
    with pytest.raises(UsageError, match=message):
        read_labels(file, BOOK)


def test_seeds_keep_their_order_and_stand_once() -> None:
    hrefs = ["http://site.test/c", "http://site.test/a", "HTTP://SITE.test/c"]
    seeds = read_seeds(hrefs, BOOK, "--seeds")
    assert [BOOK.href(url) for url in seeds] == ["http://site.test/c", "http://site.test/a"]


def test_no_seeds_are_refused() -> None:
    with pytest.raises(UsageError, match="contains no URL"):
        read_seeds([], BOOK, "--seeds s.txt")


def test_comments_and_empty_lines_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("# where to start\n\n  http://site.test/a  \n")
    assert read_lines(tmp_path / "s.txt", "--seeds") == ["http://site.test/a"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"--seeds .*s\.txt"):
        read_lines(tmp_path / "s.txt", "--seeds")

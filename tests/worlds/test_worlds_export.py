"""A world written as WARC, read back by other tools and by the import."""

from __future__ import annotations

import gzip
import io
import os
from base64 import b32encode
from hashlib import sha1
from pathlib import Path

import numpy as np
import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from rich.console import Console
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from foragers.cli.world.commands import export_world
from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.export import export_warc
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import import_world
from foragers.worlds.labels import read_labels, read_lines, read_seeds
from foragers.worlds.rewired import rewire
from foragers.worlds.store import COLUMNS, open_world
from support.worlds_by_hand import small_world, versions_of

SHARED = Path(os.environ.get("FORAGERS_SHARED", Path(__file__).resolve().parents[3] / "shared"))
MADE = {"topics": 200, "news": 500, "departments": 400}


def imported(file: Path, name: str = "again") -> Archive:
    path = file.with_name(name)
    import_world(path, [file])
    return open_world(path)


def hrefs(world: Archive) -> list[str]:
    return [world.book.href(url) for url in range(len(world.book))]


def by_name(world: Archive) -> dict[str, list[tuple[float, int, str, list[str], str, str]]]:
    """Return all that a world says, with names for numbers; a page links to another once."""
    names = hrefs(world)
    said: dict[str, list[tuple[float, int, str, list[str], str, str]]] = {}
    for url, name in enumerate(names):
        for version in versions_of(world, url):
            onward = int(world.redirects[version])
            targets = world.targets[world.links_of(version)].tolist()
            document = world.texts.document(version)
            there = world.codes[version] < 300
            said.setdefault(name, []).append(
                (
                    round(float(world.times[version]), 3),
                    int(world.codes[version]),
                    names[onward] if onward >= 0 else "",
                    [names[target] for target in dict.fromkeys(targets) if target != url],
                    document.title if there else "",
                    document.text if there else "",
                )
            )
    return said


@pytest.fixture
def world() -> Archive:
    return small_world(
        {"a": ["b", "c", "http://other.test:81/%C3%A9?q=1&r"], "b": ["a"], "gone": []},
        redirects={"old": "b"},
        born={"b": 60.25},
        later=[(120.0, "a", ["b"]), (120.0000001, "a", ["c"]), (180.0, "gone", None)],
        texts={"a": "words & <words> of a"},
        labels={"good": ["a", "b"], "bad": ["b"]},
    )


def test_a_world_comes_back_as_it_was(world: Archive, tmp_path: Path) -> None:
    file = tmp_path / "w.warc.gz"
    assert export_warc(world, file) == world.versions
    assert by_name(imported(file)) == by_name(world)


def test_versions_keep_their_order_within_a_microsecond(world: Archive, tmp_path: Path) -> None:
    file = tmp_path / "w.warc.gz"
    export_warc(world, file)
    again = imported(file)
    versions = versions_of(again, again.book.find("http://site.test/a") or 0)
    shown = [len(again.texts.outlinks(version)) for version in versions]
    assert shown == [3, 1, 1]
    assert again.times[versions[2]] > again.times[versions[1]]


def test_the_same_world_gives_the_same_bytes(world: Archive, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        export_warc(world, tmp_path / folder / "w.warc.gz")
    first, second = (tmp_path / folder / "w.warc.gz" for folder in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()


def test_plain_and_compressed_files_hold_the_same_records(world: Archive, tmp_path: Path) -> None:
    for name in ("w.warc", "x.warc.gz"):
        export_warc(world, tmp_path / name)
    plain, packed = ((tmp_path / name).read_bytes() for name in ("w.warc", "x.warc.gz"))
    records = gzip.decompress(packed)
    # Only the record that says what the file is differs, by the name of the file.
    begin = b"WARC-Type: response"
    assert plain[plain.index(begin) :] == records[records.index(begin) :]
    assert packed.count(b"\x1f\x8b\x08") >= 1 + world.versions


def test_warcio_reads_it_and_finds_the_digests_right(world: Archive, tmp_path: Path) -> None:
    file = tmp_path / "w.warc.gz"
    export_warc(world, file)
    with file.open("rb") as stream:
        records = [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.rec_headers.get_header("WARC-Date"),
                record.http_headers and record.http_headers.get_statuscode(),
                record.http_headers and record.http_headers.get_header("Location"),
                record.content_stream().read(),
                record.rec_headers.get_header("WARC-Payload-Digest"),
            )
            for record in ArchiveIterator(stream, check_digests="raise")
        ]
    assert [record[0] for record in records] == ["warcinfo"] + ["response"] * world.versions
    for *_, body, digest in records[1:]:
        assert digest == f"sha1:{b32encode(sha1(body).digest()).decode()}"
    known = {record[1:5] for record in records}
    site = "http://site.test/"
    assert (f"{site}old", "1970-01-01T00:00:00Z", "301", f"{site}b") in known
    assert (f"{site}b", "1970-01-01T00:01:00.250000Z", "200", None) in known
    assert (f"{site}a", "1970-01-01T00:02:00.000001Z", "200", None) in known
    assert (f"{site}gone", "1970-01-01T00:03:00Z", "404", None) in known


def test_warcio_has_nothing_to_complain_of(world: Archive, tmp_path: Path) -> None:
    file = tmp_path / "w.warc.gz"
    export_warc(world, file)

    class Command:
        inputs = (str(file),)
        verbose = False

    checker = Checker(Command())
    checker.process_all()
    assert checker.exit_value == 0


def test_fastwarc_reads_it_and_finds_the_digests_right(world: Archive, tmp_path: Path) -> None:
    file = tmp_path / "w.warc.gz"
    export_warc(world, file)
    with file.open("rb") as stream:
        found = 0
        for record in FastIterator(stream, record_types=WarcRecordType.response):
            found += 1
            assert record.verify_payload_digest()
    assert found == world.versions
    ids = set()
    with file.open("rb") as stream:
        for record in FastIterator(stream, parse_http=False):
            assert record.verify_block_digest() or record.record_type == WarcRecordType.warcinfo
            ids.add(record.record_id)
    assert len(ids) == 1 + world.versions


def test_seeds_and_labels_stand_beside_it(world: Archive, tmp_path: Path) -> None:
    file = tmp_path / "w.warc.gz"
    export_warc(world, file)
    again = imported(file)
    seeds = read_seeds(read_lines(tmp_path / "w.seeds.txt", "--seeds"), again.book, "--seeds")
    assert [again.book.href(url) for url in seeds] == ["http://site.test/a"]
    labels = read_labels(tmp_path / "w.labels.jsonl", again.book)
    named = {
        label: {again.book.href(url) for url in urls.tolist()}
        for label, urls in labels.urls.items()
    }
    a, b = "http://site.test/a", "http://site.test/b"
    assert named == {"good": {a, b}, "bad": {b}}


def test_a_world_without_labels_has_no_file_of_labels(tmp_path: Path) -> None:
    export_warc(small_world({"a": []}), tmp_path / "w.warc")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["w.seeds.txt", "w.warc"]


def test_what_exists_is_not_overwritten(world: Archive, tmp_path: Path) -> None:
    (tmp_path / "w.seeds.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"w\.seeds\.txt exists already"):
        export_warc(world, tmp_path / "w.warc.gz")
    with pytest.raises(UsageError, match=r"named \.warc\.gz or \.warc"):
        export_warc(world, tmp_path / "w.zip")
    with pytest.raises(UsageError, match="cannot be written"):
        export_warc(world, tmp_path / "none" / "w.warc")


def test_a_failed_export_leaves_nothing_behind(
    world: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(version: int) -> None:
        raise RuntimeError("no body")

    monkeypatch.setattr(world.texts, "body", fail)
    with pytest.raises(RuntimeError, match="no body"):
        export_warc(world, tmp_path / "w.warc.gz")
    assert list(tmp_path.iterdir()) == []


def test_the_command_prints_what_it_wrote(world: Archive, tmp_path: Path) -> None:
    written = io.StringIO()
    export_world(world, tmp_path / "w.warc.gz", Console(file=written, width=200))
    said = written.getvalue()
    assert "w.warc.gz: 7 versions of 3 pages" in said
    assert "w.seeds.txt" in said
    assert "w.labels.jsonl" in said


@pytest.mark.parametrize("preset", MADE)
def test_generated_worlds_come_back_with_their_graph_and_words(preset: str, tmp_path: Path) -> None:
    made = generate(preset, seed=2, pages=MADE[preset])
    file = tmp_path / "w.warc.gz"
    export_warc(made, file)
    assert by_name(imported(file)) == by_name(made)


def test_anchors_and_headings_and_dates_come_back_too(tmp_path: Path) -> None:
    made = generate("news", seed=2, pages=500)
    file = tmp_path / "w.warc.gz"
    export_warc(made, file)
    again = imported(file)
    for url, name in enumerate(hrefs(made)):
        other = again.book.find(name)
        assert other is not None
        pairs = zip(versions_of(made, url), versions_of(again, other), strict=True)
        for mine, theirs in pairs:
            ours, read = made.texts.document(mine), again.texts.document(theirs)
            assert read.headings == ours.headings
            assert read.published == ours.published
            assert read.language == ours.language
            anchors = [out.anchor for out in made.texts.outlinks(mine)]
            assert [out.anchor for out in again.texts.outlinks(theirs)] == anchors


def test_rewired_worlds_come_back(tmp_path: Path) -> None:
    made = rewire(generate("topics", seed=3, pages=200), seed=1)
    file = tmp_path / "w.warc.gz"
    export_warc(made, file)
    assert by_name(imported(file)) == by_name(made)


def test_a_recorded_world_comes_back_number_for_number(tmp_path: Path) -> None:
    source = SHARED / "worlds" / "departments.warc.gz"
    if not source.exists():
        pytest.skip("the recorded worlds are not here")
    import_world(tmp_path / "first", [source])
    first = open_world(tmp_path / "first")
    file = tmp_path / "w.warc.gz"
    export_warc(first, file)
    again = imported(file)
    assert hrefs(again) == hrefs(first)
    for column in COLUMNS:
        assert np.array_equal(getattr(again, column), getattr(first, column)), column
    for version in range(0, first.versions, 7):
        assert again.texts.document(version) == first.texts.document(version)
        assert again.texts.outlinks(version) == first.texts.outlinks(version)
        assert again.texts.body(version) == first.texts.body(version)

"""From WARC files, good and bad, to a world."""

from __future__ import annotations

import gzip
import zlib
from base64 import b32encode
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

import brotli
import pytest
import zstandard

from foragers.core.types import Status
from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.importing.importer import ImportOptions, ImportSummary, import_world
from foragers.worlds.store import open_world
from support.warc_files import (
    START,
    Headers,
    Warc,
    five_pages,
    html,
    imported,
    linked,
    refusal,
    show,
)
from support.worlds_by_hand import address, versions_of


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_pages_become_a_world(name: str, tmp_path: Path) -> None:
    with Warc(tmp_path / name) as warc:
        warc.info()
        warc.answer("a", 0, "GET / HTTP/1.1", kind="request")
        warc.page("a", 0, html("first", "b", "c"))
        warc.page("b", 1, html("second", "a"))
        warc.answer("c", 2, "404 Not Found", html("sorry", "a"))
    archive, summary = imported(tmp_path, tmp_path / name)
    assert summary == ImportSummary(records=5, captures=3)
    assert (archive.pages, archive.versions) == (2, 3)
    first = show(archive, "a")
    assert (first.status, first.document.title) == (Status.OK, "first")
    assert "first" in first.document.text
    assert linked(archive, first) == ["b", "c"]
    assert [link.anchor for link in first.links] == ["b", "c"]
    assert show(archive, "c").status is Status.MISSING
    assert archive.seeds == (archive.book.find(address("a")),)
    assert (archive.start, archive.end) == (START, START + 2)
    assert not archive.evolving
    assert archive.texts.body(int(archive.latest[first.final])).data == html("first", "b", "c")


def test_several_files_become_one_world_in_any_order(tmp_path: Path) -> None:
    files = [tmp_path / "one.warc", tmp_path / "two.warc.gz", tmp_path / "three.warc"]
    for number, file in enumerate(files):
        with Warc(file) as warc:
            warc.info()
            warc.page(f"p{number}", 10 - number, html(f"page {number}", f"p{(number + 1) % 3}"))
    archive, summary = imported(tmp_path, *files)
    assert (summary.records, summary.captures, archive.pages) == (6, 3, 3)
    assert [linked(archive, show(archive, f"p{n}")) for n in range(3)] == [["p1"], ["p2"], ["p0"]]


def test_versions_out_of_order_are_sorted_and_repeats_are_no_versions(tmp_path: Path) -> None:
    one, two = html("one", "b"), html("two", "c")
    for name, captures in (
        ("x.warc.gz", [(30, one), (10, one), (20, two)]),
        ("y.warc", [(25, two), (15, one), (0, one)]),
    ):
        with Warc(tmp_path / name) as warc:
            for at, body in captures:
                warc.page("a", at, body)
    archive, summary = imported(tmp_path, tmp_path / "x.warc.gz", tmp_path / "y.warc")
    assert summary.captures == 6
    url = archive.book.find(address("a"))
    assert url is not None
    versions = versions_of(archive, url)
    assert [archive.times[version] - START for version in versions] == [0, 20, 30]
    assert archive.same_as[list(versions)].tolist() == [0, 1, 0]
    assert [show(archive, "a", at).document.title for at in (0, 19, 20, 29, 30)] == [
        "one",
        "one",
        "two",
        "two",
        "one",
    ]
    assert show(archive, "a", 30).version == show(archive, "a", 0).version
    assert archive.evolving


def test_same_content_is_written_once(tmp_path: Path) -> None:
    sizes = []
    for repeats in (1, 50):
        with Warc(tmp_path / f"{repeats}.warc.gz") as warc:
            for at in range(repeats):
                warc.page("a", 2 * at, html("one"))
                warc.page("a", 2 * at + 1, html("two"))
        import_world(tmp_path / f"world{repeats}", [tmp_path / f"{repeats}.warc.gz"])
        sizes.append((tmp_path / f"world{repeats}" / "words.bin").stat().st_size)
    assert sizes[0] == sizes[1]
    assert open_world(tmp_path / "world50").versions == 100


def test_revisit_of_an_unchanged_page_is_no_new_version(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.page("a", 0, html("one"))
        warc.revisit("a", 10, 0)
        warc.answer("a", 20, "304 Not Modified")
    archive, summary = imported(tmp_path, tmp_path / "a.warc.gz")
    assert (summary.captures, summary.repeated) == (1, 2)
    assert archive.versions == 1
    assert show(archive, "a", 15).document.title == "one"


def test_revisit_of_an_older_version_brings_it_back(tmp_path: Path) -> None:
    digest = "sha1:" + b32encode(sha1(html("one")).digest()).decode()
    with Warc(tmp_path / "a.warc.gz") as warc:
        # The revisit stands before what it refers to: files need not be in order.
        warc.revisit("a", 20, 0, digest)
        warc.page("a", 0, html("one"))
        warc.page("a", 10, html("two"))
    archive, summary = imported(tmp_path, tmp_path / "a.warc.gz")
    assert (summary.captures, summary.repeated, archive.versions) == (3, 0, 3)
    assert [show(archive, "a", at).document.title for at in (5, 15, 25)] == ["one", "two", "one"]
    assert show(archive, "a", 5).version == show(archive, "a", 25).version


def test_revisit_of_another_pages_content_is_read_for_its_own_address(tmp_path: Path) -> None:
    body = b'<title>same</title><a href="next">on</a>'
    digest = "sha1:" + b32encode(sha1(body).digest()).decode()
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.page("one/a", 0, body)
        warc.revisit("two/a", 5, 0, digest)
    archive, summary = imported(tmp_path, tmp_path / "a.warc.gz")
    assert (summary.captures, summary.repeated) == (2, 0)
    assert show(archive, "two/a").document.title == "same"
    assert [link.href for link in show(archive, "two/a").links] == [address("two/next")]


def test_a_file_compressed_as_a_whole_is_whole(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc") as warc:
        for number in range(30):
            warc.page(f"a{number}", number, html(f"page {number}"))
    whole = gzip.compress((tmp_path / "a.warc").read_bytes())
    (tmp_path / "whole.warc.gz").write_bytes(whole)
    archive, summary = imported(tmp_path, tmp_path / "whole.warc.gz")
    assert (archive.pages, summary.broken) == (30, 0)
    (tmp_path / "cut.warc.gz").write_bytes(whole[:-100])
    with pytest.raises(UsageError, match="cut off"):
        import_world(tmp_path / "cut", [tmp_path / "cut.warc.gz"])


def test_plain_text_is_read_as_it_is(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        plain = {"Content-Type": "text/plain; charset=utf-8"}
        warc.answer("a", 0, "200 OK", "if a < b and <p> ü\n".encode(), plain)
    archive, _ = imported(tmp_path, tmp_path / "a.warc.gz")
    assert show(archive, "a").document.text == "if a < b and <p> ü"


def test_redirects_lead_on(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.page("a", 0, html("one", "old"))
        for name, code, location in (
            ("old", "301 Moved", address("a")),
            ("relative", "302 Found", "a?x=1"),
            ("rooted", "307 Temporary", "/a"),
            ("chain", "308 Permanent", address("old")),
            ("lost", "303 See Other", "/nowhere"),
        ):
            warc.answer(name, 0, code, b"moved", {"Location": location})
        warc.answer("no-location", 0, "301 Moved", html("no way"))
        warc.answer("wrong", 0, "302 Found", b"", {"Location": "http://[bad/"})
        warc.answer("mail", 0, "302 Found", b"", {"Location": "mailto:someone@site.test"})
    archive, _ = imported(tmp_path, tmp_path / "a.warc.gz")
    for name in ("old", "rooted", "chain"):
        assert show(archive, name).final == archive.book.find(address("a"))
    assert show(archive, "relative").final == archive.book.find(address("a?x=1"))
    assert show(archive, "lost").final == archive.book.find(address("nowhere"))
    assert show(archive, "no-location").status is Status.FAILED


def test_errors_are_versions_too(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.page("a", 0, html("one"))
        warc.answer("a", 10, "404 Not Found", b"gone")
        warc.answer("a", 15, "404 Not Found", b"gone, other words")
        warc.page("a", 20, html("one"))
        warc.answer("b", 0, "503 Unavailable")
        warc.answer("c", 0, "403 Forbidden")
    archive, _ = imported(tmp_path, tmp_path / "a.warc.gz")
    statuses = [show(archive, "a", at).status for at in (5, 12, 16, 25)]
    assert statuses == [Status.OK, Status.MISSING, Status.MISSING, Status.OK]
    assert archive.versions == 3 + 2
    assert show(archive, "b").status is Status.FAILED
    assert show(archive, "c").status is Status.REFUSED


def chunked(body: bytes) -> bytes:
    parts = [body[at : at + 10] for at in range(0, len(body), 10)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


CODINGS: dict[str, tuple[Headers, Callable[[bytes], bytes]]] = {
    "gzip": ({"Content-Encoding": "gzip"}, gzip.compress),
    "x-gzip": ({"Content-Encoding": "X-GZip"}, gzip.compress),
    "deflate": ({"Content-Encoding": "deflate"}, zlib.compress),
    "br": ({"Content-Encoding": "br"}, brotli.compress),
    "zstd": ({"Content-Encoding": "zstd"}, zstandard.compress),
    "chunked": ({"Transfer-Encoding": "chunked"}, chunked),
    "both": (
        {"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"},
        lambda body: chunked(gzip.compress(body)),
    ),
    "twice": (
        {"Content-Encoding": "gzip, br"},
        lambda body: brotli.compress(gzip.compress(body)),
    ),
    "gzip that is none": ({"Content-Encoding": "gzip"}, lambda body: body),
    "br that is none": ({"Content-Encoding": "br"}, lambda body: body),
    "zstd that is none": ({"Content-Encoding": "zstd"}, lambda body: body),
    "chunked that is not": ({"Transfer-Encoding": "chunked"}, lambda body: body),
    "unknown": ({"Content-Encoding": "sparkle"}, lambda body: body),
    "wrong length": ({"Content-Length": "3"}, lambda body: body),
}


@pytest.mark.parametrize("name", CODINGS)
@pytest.mark.parametrize("file", ["a.warc", "a.warc.gz"])
def test_bodies_are_decoded_as_far_as_their_headers_are_true(
    name: str, file: str, tmp_path: Path
) -> None:
    headers, encode = CODINGS[name]
    with Warc(tmp_path / file) as warc:
        warc.page("a", 0, encode(html("one", "b")), headers)
        warc.page("b", 1, encode(html("two", "a")), headers)
    archive, summary = imported(tmp_path, tmp_path / file)
    assert summary.broken == 0
    assert (show(archive, "a").document.title, show(archive, "b").document.title) == ("one", "two")
    assert linked(archive, show(archive, "a")) == ["b"]


def test_same_words_compressed_differently_are_one_version(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc") as warc:
        for at, name in enumerate(["gzip", "br", "chunked", "gzip that is none"]):
            headers, encode = CODINGS[name]
            warc.page("a", at, encode(html("one")), headers)
    archive, _ = imported(tmp_path, tmp_path / "a.warc")
    assert archive.versions == 1


def test_only_html_and_text_have_words_and_only_html_has_links(tmp_path: Path) -> None:
    body = html("words", "b")
    kinds = {
        "html": "TEXT/HTML; charset=utf-8",
        "xhtml": "application/xhtml+xml",
        "untold": "",
        "text": "text/plain",
        "image": "image/png",
        "pdf": "application/pdf",
        "json": "application/json",
    }
    with Warc(tmp_path / "a.warc") as warc:
        for name, kind in kinds.items():
            warc.answer(name, 0, "200 OK", body, {"Content-Type": kind} if kind else {})
        warc.answer("binary", 0, "200 OK", b"\x00\x01\xff" * 50)
    archive, _ = imported(tmp_path, tmp_path / "a.warc")
    for name in (*kinds, "binary"):
        page = show(archive, name)
        assert page.status is Status.OK
        assert (len(page.links) == 1) == (name in ("html", "xhtml", "untold")), name
        assert ("words" in page.document.text) == (name in ("html", "xhtml", "untold", "text")), (
            name
        )


def test_resource_records_are_pages_without_http(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.resource("a", 0, html("one", "b"), "text/html")
        warc.resource("b", 0, b"\x89PNG", "image/png")
    archive, _ = imported(tmp_path, tmp_path / "a.warc.gz")
    assert linked(archive, show(archive, "a")) == ["b"]
    assert show(archive, "b").document.text == ""


def test_addresses_that_differ_only_in_spelling_are_one_page(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.page("http://SITE.test:80/a/../b#top", 0, html("one"))
        warc.page("http://site.test/b", 1, html("two"))
    archive, _ = imported(tmp_path, tmp_path / "a.warc.gz")
    assert (archive.pages, archive.versions) == (1, 2)


def changing(path: Path) -> Path:
    """Write a page that changes every ten seconds, five times."""
    with Warc(path) as warc:
        for at in (0, 10, 20, 30, 40):
            warc.page("a", at, html(f"at {at}"))
        warc.page("b", 35, html("late"))
    return path


def test_window_keeps_what_is_there_at_its_start_and_drops_what_comes_after(tmp_path: Path) -> None:
    options = ImportOptions(window=(START + 15, START + 32))
    archive, _ = imported(tmp_path, changing(tmp_path / "a.warc"), options=options)
    assert (archive.start, archive.end) == (START + 15, START + 32)
    titles = [show(archive, "a", at).document.title for at in (15, 20, 30, 99)]
    assert titles == ["at 10", "at 20", "at 30", "at 30"]
    url = archive.book.find(address("b"))
    assert url is None or show(archive, "b").status is Status.MISSING


def test_window_before_everything_is_refused(tmp_path: Path) -> None:
    options = ImportOptions(window=(START - 100, START - 50))
    assert "--window" in refusal(tmp_path, [changing(tmp_path / "a.warc")], options)


def test_time_scale_makes_time_run_faster(tmp_path: Path) -> None:
    options = ImportOptions(time_scale=10.0)
    archive, _ = imported(tmp_path, changing(tmp_path / "a.warc"), options=options)
    assert (archive.start, archive.end) == (START, START + 4)
    titles = [show(archive, "a", at).document.title for at in (0, 0.9, 1, 3.5, 4)]
    assert titles == ["at 0", "at 0", "at 10", "at 30", "at 40"]


def test_evolving_can_be_said(tmp_path: Path) -> None:
    file = changing(tmp_path / "a.warc")
    for said, expected in ((None, True), (True, True), (False, False)):
        path = tmp_path / f"world {said}"
        import_world(path, [file], ImportOptions(evolving=said))
        assert open_world(path).evolving is expected


def test_seed_is_the_root_of_the_largest_site(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc") as warc:
        warc.page("http://alone.test/", 0, html("alone", "http://big.test/b", "http://big.test/b"))
        warc.page("http://big.test/a", 0, html("one", "http://big.test/b"))
        warc.page("http://big.test/b", 0, html("two"))
    with Warc(tmp_path / "root.warc") as warc:
        warc.page("http://big.test/", 0, html("root"))
    archive, _ = imported(tmp_path, tmp_path / "a.warc", tmp_path / "root.warc")
    assert [archive.book.href(url) for url in archive.seeds] == ["http://big.test/"]
    import_world(tmp_path / "rootless", [tmp_path / "a.warc"])
    archive = open_world(tmp_path / "rootless")
    assert [archive.book.href(url) for url in archive.seeds] == ["http://big.test/b"]


def test_finish_may_change_what_is_written(tmp_path: Path) -> None:
    def finish(archive: Archive) -> Archive:
        archive.seeds = (1,)
        return archive

    import_world(tmp_path / "world", [changing(tmp_path / "a.warc")], finish=finish)
    assert open_world(tmp_path / "world").seeds == (1,)


def test_watch_sees_how_far_each_file_is(tmp_path: Path) -> None:
    seen: list[tuple[Path, int]] = []
    five_pages(path := tmp_path / "a.warc.gz")
    import_world(tmp_path / "world", [path], watch=lambda *progress: seen.append(progress))
    places = [place for _, place in seen]
    assert {file for file, _ in seen} == {path}
    assert places == sorted(places)
    assert len(places) == 5
    assert 0 < places[-1] < path.stat().st_size


def test_same_files_give_the_same_world(tmp_path: Path) -> None:
    files = [changing(tmp_path / "a.warc.gz"), five_pages(tmp_path / "b.warc").path]
    for name in ("one", "two"):
        import_world(tmp_path / name, files)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name

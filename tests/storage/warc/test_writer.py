"""What a live crawl fetched, recorded, read back by other tools, and killed at any moment."""

from __future__ import annotations

import errno
import gzip
import os
import random
import resource
import shutil
import subprocess
import sys
from base64 import b32encode
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from fastwarc.warc import ArchiveIterator as FastArchiveIterator
from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main as warcio

from foragers.errors import UsageError
from foragers.http.messages import FetchError, Request, Response
from foragers.storage.warc.cdxj import NAME, Entry, entries, sort
from foragers.storage.warc.dedup import Payloads
from foragers.storage.warc.playback import read_record, recordings, taken_apart
from foragers.urls.surt import surt
from foragers.worlds.importing.importer import import_world
from foragers.worlds.store import open_world
from support.recorded_replies import (
    START,
    check,
    chunked,
    members,
    page,
    record_all,
    recorder,
    reply,
)
from support.worlds_by_hand import versions_of

URL = "http://www.site.test/a?b=1"
HTML = ("Content-Type", "text/html")
IN_CHUNKS = (HTML, ("Transfer-Encoding", "chunked"))


def headers_of(folder: Path, kind: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for path in recordings(folder):
        with path.open("rb") as file:
            records = ArchiveIterator(file, no_record_parse=True)
            found += [dict(one.rec_headers.headers) for one in records if one.rec_type == kind]
    return found


def sha(data: bytes) -> str:
    return "sha1:" + b32encode(sha1(data).digest()).decode()


def test_an_answer_with_very_long_headers_does_not_end_the_reading_of_others(
    tmp_path: Path,
) -> None:
    flood = reply(URL, b"<p>a", headers=(HTML, ("X-Flood", "x" * 40_000)))
    places = record_all(tmp_path, [flood, reply(URL + "2", b"<p>b")])
    assert read_record(tmp_path, places[0]).body == b"<p>a"
    with recordings(tmp_path)[0].open("rb") as file:
        found = [one.headers["WARC-Type"] for one in FastArchiveIterator(file, parse_http=True)]
    assert found == ["warcinfo", "request", "response", "request", "response"]


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\nX: y\n\n", b"http/1.1 200 ok\r\nX: y\r\n\r\n"])
def test_no_reader_finds_fault_with_an_answer_that_is_written_oddly(
    head: bytes, tmp_path: Path
) -> None:
    odd = Response(Request(URL), START, 0.1, "127.0.0.1", head, b"<p>a", 200, (("X", "y"),))
    (place,) = record_all(tmp_path, [odd])
    assert (read_record(tmp_path, place).code, read_record(tmp_path, place).body) == (200, b"<p>a")
    with recordings(tmp_path)[0].open("rb") as file:
        (answer,) = (
            one
            for one in FastArchiveIterator(file, parse_http=True)
            if one.headers["WARC-Type"] == "response"
        )
        assert "WARC-Payload-Digest" not in answer.headers
    (headers,) = headers_of(tmp_path, "response")
    assert headers["WARC-Block-Digest"] == sha(head + b"<p>a")


def test_a_page_comes_back_as_it_was_sent(tmp_path: Path) -> None:
    body = b"<p>" + bytes(range(256))
    replies = [
        reply(URL, body),
        reply(URL + "2", gzip.compress(body), headers=(HTML, ("Content-Encoding", "gzip"))),
        reply(URL + "3", chunked(body, 100), headers=IN_CHUNKS),
    ]
    for one, place in zip(replies, record_all(tmp_path, replies), strict=True):
        answer = read_record(tmp_path, place)
        assert (answer.url, answer.time, answer.code) == (one.request.url, START, 200)
        assert (answer.headers, answer.body) == (one.headers, body)


@pytest.mark.parametrize("compress", [True, False])
def test_other_readers_accept_every_kind_of_answer(tmp_path: Path, compress: bool) -> None:
    replies = [page(n) for n in range(12)]
    replies += [reply("http://site.test/none", b"", code=404), reply(URL, b"", code=304)]
    replies += [reply("http://site.test/", b"", code=301, headers=(("Location", "/é"),))]
    replies += [page(n, size=100_000) for n in (20, 21)]
    places = record_all(tmp_path / "crawl", replies, compress=compress)
    indexed = check(tmp_path / "crawl")
    assert [f"{e.filename}#{e.offset}" for r in replies for e in indexed[r.request.url]] == places
    with pytest.raises(SystemExit) as end:
        warcio(["check", *map(str, recordings(tmp_path / "crawl"))])
    assert end.value.code == 0


def test_every_record_is_a_gzip_member_and_the_index_tells_its_place(tmp_path: Path) -> None:
    record_all(tmp_path, [page(n) for n in range(9)])
    (path,) = recordings(tmp_path)
    found = dict(members(path))
    kinds = [taken_apart(content)["WARC-Type"] for content in found.values()]
    assert kinds == ["warcinfo", *["request", "response"] * 9]
    ends = [*found, path.stat().st_size][1:]
    spans = dict(zip(found, ends, strict=True))
    for entry in entries(tmp_path / NAME):
        assert spans[int(entry.offset)] == entry.end
        assert taken_apart(found[int(entry.offset)])["WARC-Target-URI"] == entry.url


def test_digests_are_over_what_stands_in_the_record(tmp_path: Path) -> None:
    one = reply(URL, chunked(b"words", 2), headers=IN_CHUNKS)
    record_all(tmp_path, [one])
    (headers,) = headers_of(tmp_path, "response")
    assert headers["WARC-Block-Digest"] == sha(one.head + one.body)
    assert headers["WARC-Payload-Digest"] == sha(one.body)
    (entry,) = entries(tmp_path / NAME)
    assert (entry.digest, entry.content) == (sha(one.body), sha(b"words"))


def test_the_headers_of_records_are_those_of_the_standard(tmp_path: Path) -> None:
    record_all(tmp_path, [reply(URL)])
    (asked,), (answered,) = headers_of(tmp_path, "request"), headers_of(tmp_path, "response")
    assert asked["WARC-Concurrent-To"] == answered["WARC-Record-ID"] != asked["WARC-Record-ID"]
    named = f"response {URL} 1700000000250 {answered['WARC-Payload-Digest']}"
    assert answered["WARC-Record-ID"] == f"<urn:uuid:{uuid5(NAMESPACE_URL, named)}>"
    for headers in (asked, answered):
        assert headers["WARC-Date"] == "2023-11-14T22:13:20.250Z"
        assert headers["WARC-IP-Address"] == "192.0.2.7"
        assert headers["WARC-Target-URI"] == URL


def test_the_request_is_recorded_as_it_was_sent(tmp_path: Path) -> None:
    place = record_all(tmp_path, [reply("http://site.test:81/a?b#c")])[0]
    (path,) = recordings(tmp_path)
    asked = taken_apart(members(path)[1][1]).body
    assert place == f"{path.name}#{members(path)[2][0]}"
    assert asked.split(b"\r\n") == [
        b"GET /a?b HTTP/1.1",
        b"Host: site.test:81",
        b"User-Agent: test-bot",
        b"Accept: */*",
        b"Accept-Encoding: gzip",
        b"",
        b"",
    ]


def test_a_file_says_who_wrote_it_and_by_what_rules(tmp_path: Path) -> None:
    record_all(tmp_path / "my crawl!", [page(1)], robots="ignore")
    (path,) = recordings(tmp_path / "my crawl!")
    assert path.name == "my-crawl-00000.warc.gz"
    info = members(path)[0][1]
    for line in (
        b"software: foragers/test",
        b"robots: ignore",
        b"http-header-user-agent: test-bot",
    ):
        assert line + b"\r\n" in info


def test_the_same_replies_give_the_same_bytes(tmp_path: Path) -> None:
    for parent in ("one", "two"):
        record_all(tmp_path / parent / "crawl", [page(n % 7) for n in range(9)], limit=3000)
    one, two = (recordings(tmp_path / parent / "crawl") for parent in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_the_same_content_is_written_once(tmp_path: Path) -> None:
    body = b"<p>the same</p>" * 50
    replies = [
        reply(URL, chunked(body, 10), START, headers=IN_CHUNKS),
        reply(URL, chunked(body, 33), START + 60, headers=IN_CHUNKS),
        reply(URL, body, START + 120),
        reply("http://other.test/", body, START + 180),
    ]
    places = record_all(tmp_path, replies)
    assert [read_record(tmp_path, place).body for place in places] == [body] * 4
    assert read_record(tmp_path, places[2]).time == START + 120
    first, other = headers_of(tmp_path, "response")
    again = headers_of(tmp_path, "revisit")
    assert other["WARC-Target-URI"] == "http://other.test/"
    assert len(again) == 2
    for headers in again:
        assert headers["WARC-Profile"].endswith("/1.1/revisit/identical-payload-digest")
        assert headers["WARC-Refers-To"] == first["WARC-Record-ID"]
        assert headers["WARC-Refers-To-Date"] == first["WARC-Date"]
        assert headers["WARC-Refers-To-Target-URI"] == URL
        assert headers["WARC-Payload-Digest"] == first["WARC-Payload-Digest"]
    check(tmp_path)


def test_a_page_that_was_not_modified_refers_to_its_last_content(tmp_path: Path) -> None:
    replies = [
        reply(URL, b"old", START),
        reply(URL, b"new", START + 1),
        reply(URL, b"old", START + 2),
        reply(URL, b"", START + 3, code=304, headers=(("ETag", '"x"'),)),
        reply("http://unknown.test/", b"", START + 4, code=304, headers=()),
    ]
    places = record_all(tmp_path, replies)
    again, unchanged, unknown = headers_of(tmp_path, "revisit")
    assert unchanged["WARC-Profile"].endswith("/1.1/revisit/server-not-modified")
    assert unchanged["WARC-Refers-To"] == again["WARC-Refers-To"]
    assert "WARC-Refers-To" not in unknown
    answer = read_record(tmp_path, places[3])
    assert (answer.code, answer.body, answer.header("etag")) == (304, b"old", '"x"')
    assert read_record(tmp_path, places[4]).body == b""
    check(tmp_path)


def test_errors_redirects_and_parts_are_never_taken_for_a_page_again(tmp_path: Path) -> None:
    replies = [reply(URL, b"gone", START + n, code=404) for n in range(2)]
    replies += [reply(URL, b"part", START + n, error=FetchError.TOO_LARGE) for n in range(2, 4)]
    replies += [reply(URL, b"part", START + 4)]
    record_all(tmp_path, replies)
    assert headers_of(tmp_path, "revisit") == []


def test_what_is_known_survives_and_is_bounded(tmp_path: Path) -> None:
    record_all(tmp_path, [page(n) for n in range(10)])
    with recorder(tmp_path, payloads=Payloads(3)) as out:
        for n in (9, 8, 7, 0):
            out.record(page(n))
    again = {headers["WARC-Target-URI"][-1] for headers in headers_of(tmp_path, "revisit")}
    assert again == {"9", "8", "7"}


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (FetchError.TOO_LARGE, "length"),
        (FetchError.TIMEOUT, "time"),
        (FetchError.BROKEN, "disconnect"),
        (None, "unspecified"),
    ],
)
def test_a_body_that_is_not_whole_says_why(
    tmp_path: Path, error: FetchError | None, word: str
) -> None:
    record_all(tmp_path, [reply(URL, b"part", error=error, cut=error is None)])
    assert headers_of(tmp_path, "response")[0]["WARC-Truncated"] == word
    assert [entry.truncated for entry in entries(tmp_path / NAME)] == [word]
    check(tmp_path)


def test_no_answer_is_no_record(tmp_path: Path) -> None:
    nothing = Response(Request(URL), START, 0.1, error=FetchError.NO_HOST)
    half = Response(
        Request(URL), START, 0.1, head=b"HTTP/1.1 200 OK\r\nA: b", error=FetchError.TIMEOUT
    )
    assert record_all(tmp_path, [nothing, half]) == ["", ""]
    assert recordings(tmp_path) == []


def test_a_full_file_is_followed_by_another(tmp_path: Path) -> None:
    places = record_all(tmp_path / "crawl", [page(n) for n in range(20)], limit=8000)
    paths = recordings(tmp_path / "crawl")
    assert [path.name for path in paths] == [f"crawl-{n:05d}.warc.gz" for n in range(len(paths))]
    assert len(paths) > 4
    assert all(path.stat().st_size <= 8000 for path in paths)
    assert {place.partition("#")[0] for place in places} == {path.name for path in paths}
    check(tmp_path / "crawl")


def test_an_answer_larger_than_the_limit_gets_a_file_of_its_own(tmp_path: Path) -> None:
    record_all(tmp_path, [page(n) for n in range(3)], limit=100)
    assert len(recordings(tmp_path)) == 3
    check(tmp_path)


def test_the_index_is_sorted_at_the_end_and_can_be_added_to(tmp_path: Path) -> None:
    order = random.Random(1).sample(range(30), 30)
    record_all(tmp_path, [page(n) for n in order[:15]])
    record_all(tmp_path, [page(n) for n in order[15:]])
    lines = (tmp_path / NAME).read_bytes().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 30
    assert lines[0].startswith(b'test,site)/0 20231114221320 {"url":"http://www.site.test/0"')
    assert len(recordings(tmp_path)) == 1
    check(tmp_path)


def test_a_long_index_is_sorted_in_pieces(tmp_path: Path) -> None:
    lines = [b"%d line\n" % n for n in random.Random(2).sample(range(1000), 95)]
    for batch in (1, 10, 95, 1000):
        (tmp_path / NAME).write_bytes(b"".join(lines))
        sort(tmp_path / NAME, batch)
        assert (tmp_path / NAME).read_bytes() == b"".join(sorted(lines))
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.com:80/Path/?b=2&a=1#f", "com,example)/path?a=1&b=2"),
        ("https://www2.example.co.uk:443", "uk,co,example)/"),
        ("https://user:word@example.com:8443/a b", "com,example:8443)/a%20b"),
        ("http://127.0.0.1:8000/x", "127.0.0.1:8000)/x"),
        ("http://[::1]:8000/x?", "[::1]:8000)/x"),
        ("http://[bad/x", "[bad)/x"),
        ("about:blank", "about:blank"),
    ],
)
def test_keys_put_the_pages_of_a_domain_together(url: str, key: str) -> None:
    assert surt(url) == key


def test_two_crawls_cannot_write_to_one_folder(tmp_path: Path) -> None:
    with (
        recorder(tmp_path),
        pytest.raises(UsageError, match="being written by another crawl"),
    ):
        recorder(tmp_path).record(page(1))
    recorder(tmp_path).record(page(1))


@pytest.fixture
def small_files() -> Iterator[None]:
    """Let no file grow over 20,000 bytes, which fails as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("small_files")
def test_a_file_that_cannot_grow_stays_whole(tmp_path: Path) -> None:
    out = recorder(tmp_path)
    kept = 0
    with suppress(UsageError):
        for kept in range(100):
            out.record(page(kept))
    assert len(check(tmp_path)) == kept < 99
    with pytest.raises(UsageError, match=r"cannot be written: File too large; .* make room"):
        out.record(page(kept))
    assert len(check(tmp_path)) == kept
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    out.record(page(kept))
    out.close()
    assert len(check(tmp_path)) == kept + 1


FILLER = """
import sys
from pathlib import Path
from foragers.errors import UsageError
from support.recorded_replies import check, page
from foragers.storage.warc.writer import Recorder
folder, n = Path("full/crawl"), 0
filler = Path("full/filler")
filler.parent.mkdir(exist_ok=True)
filler.write_bytes(bytes(50_000))
out = Recorder(folder, "foragers/test", limit=int(sys.argv[1]))
try:
    while True:
        out.record(page(n, 5000))
        n += 1
except UsageError as error:
    print(error)
assert len(check(folder)) == n > 5
filler.unlink()
for more in range(3):
    out.record(page(n + more))
out.close()
assert len(check(folder)) == n + 3
"""


@pytest.mark.parametrize("limit", [10_000, 1_000_000])
def test_a_full_disk_leaves_all_that_was_kept_and_the_crawl_goes_on(
    tmp_path: Path, limit: int
) -> None:
    mount = "mkdir -p full && mount -t tmpfs -o size=200k none full"
    private = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*private, mount], cwd=tmp_path).returncode:
        pytest.skip("no small disk can be made here")
    command = f"{mount} && \"{sys.executable}\" -W ignore -c '{FILLER}' {limit}"
    done = subprocess.run(
        [*private, command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert os.strerror(errno.ENOSPC) in done.stdout
    assert done.stdout.count("\n") == 1


def test_a_recording_imported_is_the_world_that_was_crawled(tmp_path: Path) -> None:
    replies = [page(n) for n in range(6)]
    replies += [reply("http://www.site.test/old", b"", START, 301, (("Location", "/2"),))]
    replies += [page(3), reply("http://www.site.test/6", b"", START, 404)]
    record_all(tmp_path / "crawl", replies, limit=6000)
    summary = import_world(tmp_path / "world", recordings(tmp_path / "crawl"))
    assert summary.broken == 0
    world = open_world(tmp_path / "world")
    for n in range(6):
        url = world.book.find(f"http://www.site.test/{n}")
        assert url is not None
        (version,) = versions_of(world, url)
        body = world.texts.body(version).data
        assert body == read_record(tmp_path / "crawl", place_of(tmp_path / "crawl", n)).body
        targets = world.targets[world.links_of(version)].tolist()
        assert [world.book.href(link) for link in targets] == [f"http://www.site.test/{n + 1}"]
    old, new = (world.book.find(f"http://www.site.test/{name}") for name in ("old", "2"))
    assert old is not None
    assert [world.redirects[version] for version in versions_of(world, old)] == [new]


def place_of(folder: Path, number: int) -> str:
    def named(entry: Entry) -> bool:
        return entry.url.endswith(f"/{number}") and entry.mime == "text/html"

    found = next(entry for entry in entries(folder / NAME) if named(entry))
    return f"{found.filename}#{found.offset}"

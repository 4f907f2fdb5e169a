"""Replies as a client gives them, and checks of what was recorded of them."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from random import Random
from typing import TypedDict, Unpack

from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator

from foragers.http.messages import FetchError, Request, Response
from foragers.storage.warc.cdxj import NAME, Entry, entries
from foragers.storage.warc.dedup import Payloads
from foragers.storage.warc.playback import recordings
from foragers.storage.warc.writer import Recorder

START = 1_700_000_000.25


def reply(
    url: str,
    body: bytes = b"<p>words</p>",
    time: float = START,
    code: int = 200,
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),),
    error: FetchError | None = None,
    cut: bool = False,
) -> Response:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"HTTP/1.1 {code} Some Reason\r\n{lines}\r\n".encode("latin-1")
    request = Request(url, (("Accept-Encoding", "gzip"),))
    return Response(
        request, time, 0.1, "192.0.2.7", head, body, code, headers, error=error, cut=cut
    )


def chunked(body: bytes, size: int) -> bytes:
    parts = [body[i : i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def page(number: int, size: int = 2000) -> Response:
    """Give one of many different replies: plain, compressed, in chunks, or both."""
    text = f"<a href='/{number + 1}'>next</a> <p>page {number}</p>".encode()
    text += Random(number).randbytes(size // 2).hex().encode()
    headers = [("Content-Type", "text/html; charset=latin-1")]
    if number % 2:
        text = gzip.compress(text, mtime=0)
        headers.append(("Content-Encoding", "gzip"))
    if number % 3 == 0:
        text = chunked(text, 500)
        headers.append(("Transfer-Encoding", "chunked"))
    url = f"http://www.site.test/{number}"
    return reply(url, text, START + number, headers=tuple(headers))


def members(path: Path) -> list[tuple[int, bytes]]:
    """Take a file apart into its gzip members, which must follow each other without a gap."""
    data, place, found = path.read_bytes(), 0, []
    while place < len(data):
        inflate = zlib.decompressobj(wbits=31)
        content = inflate.decompress(data[place:])
        assert inflate.eof, f"{path} ends within the record at {place}"
        found.append((place, content))
        place = len(data) - len(inflate.unused_data)
    return found


def check(folder: Path) -> dict[str, list[Entry]]:
    """Have other readers check all files and the index, and return its entries by address."""
    answers: dict[tuple[str, int], str] = {}
    for path in recordings(folder):
        answers |= checked_by_warcio(path)
        checked_by_fastwarc(path)
    indexed: dict[str, list[Entry]] = {}
    for entry in entries(folder / NAME):
        assert answers.pop((entry.filename, int(entry.offset))) == entry.url
        indexed.setdefault(entry.url, []).append(entry)
    assert not answers, f"not in the index: {answers}"
    return indexed


def checked_by_warcio(path: Path) -> dict[tuple[str, int], str]:
    answers = {}
    with path.open("rb") as file:
        iterator = ArchiveIterator(file, check_digests=True)
        kinds = []
        for record in iterator:
            place = iterator.get_record_offset()
            raw = record.raw_stream
            while raw.read(1 << 16):
                pass
            assert record.digest_checker.passed is not False, record.digest_checker.problems
            kinds.append(record.rec_type)
            if record.rec_type in ("response", "revisit"):
                answers[path.name, place] = record.rec_headers.get_header("WARC-Target-URI")
        assert iterator.err_count == 0
    assert kinds[0] == "warcinfo"
    assert kinds[1::2] == ["request"] * len(answers), "each answer follows its request"
    return answers


def checked_by_fastwarc(path: Path) -> None:
    for record in FastIterator(
        str(path), parse_http=False, record_types=WarcRecordType.any_type, max_header_len=1 << 18
    ):
        if record.record_type == WarcRecordType.warcinfo:
            continue
        assert record.verify_block_digest()
        if record.record_type == WarcRecordType.response:
            record.parse_http(max_header_len=1 << 18)
            assert record.verify_payload_digest()


class RecorderKeywords(TypedDict, total=False):
    compress: bool
    limit: int
    robots: str
    payloads: Payloads


def recorder(folder: Path, **options: Unpack[RecorderKeywords]) -> Recorder:
    return Recorder(folder, "foragers/test", user_agent="test-bot", **options)


def record_all(
    folder: Path, replies: list[Response], **options: Unpack[RecorderKeywords]
) -> list[str]:
    with recorder(folder, **options) as out:
        return [out.record(one) for one in replies]

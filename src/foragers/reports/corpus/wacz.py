"""WACZ 1.1.1: a crawl as one file that replayweb.page and pywb open.

A WACZ is a zip with the WARC records, an index of them, a list of pages, and a description of
all that with digests.  Files are stored as they are, so that a browser can read parts of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO, cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import msgspec

from foragers.reports.crawl_folder import CrawlFolder
from foragers.reports.warc_export import write_warc
from foragers.storage.warc.cdxj import REVISIT, Entry
from foragers.storage.warc.playback import first, taken_apart
from foragers.storage.warc.records import record_at

if TYPE_CHECKING:
    from foragers.reports.export import Exported, Selection

WARC, INDEX = "archive/data.warc.gz", "indexes/index.cdx"
PAGES, PACKAGE, DIGEST = "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json"
VERSION = "1.1.1"
CHUNK = 1 << 20
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of all entries: the same crawl gives the same file."""


@dataclass(frozen=True)
class PackedFile:
    """A file in the zip, as the description names it."""

    name: str
    path: str
    hash: str
    bytes: int


def write_wacz(
    folder: CrawlFolder, out: BinaryIO, selection: Selection, pages: Iterable[Exported]
) -> tuple[int, int]:
    """Write a WACZ; return how many pages it lists, and how many records were lost."""
    with (
        TemporaryFile() as warc,
        TemporaryFile() as listed,
        ZipFile(out, "w", ZIP_STORED) as zipped,
    ):
        name = WARC.rpartition("/")[2]
        steps = deque(write_warc(folder, cast(BinaryIO, warc), name, selection), maxlen=1)
        lost = steps[0].lost if steps else 0
        number = _write_pages(listed, pages)
        resources = [
            _add(zipped, WARC, warc),
            _add_bytes(zipped, INDEX, b"".join(sorted(_index(cast(BinaryIO, warc))))),
            _add(zipped, PAGES, listed),
        ]
        package = _package(folder, resources)
        _add_bytes(zipped, PACKAGE, package)
        digest = {"path": PACKAGE, "hash": f"sha256:{sha256(package).hexdigest()}"}
        _add_bytes(zipped, DIGEST, msgspec.json.encode(digest))
    return number, lost


def _write_pages(out: IO[bytes], pages: Iterable[Exported]) -> int:
    """Write the list of pages, with their texts for the search of a replay."""
    encode = msgspec.json.Encoder().encode
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": True}
    out.write(encode(head) + b"\n")
    number = 0
    for number, page in enumerate(pages, 1):
        line = {
            "id": f"{number}",
            "url": page.final_url,
            "ts": (page.fetched or "")[:19] + "Z",
            "title": page.title or page.final_url,
            **({"text": page.text} if isinstance(page.text, str) else {}),
        }
        out.write(encode(line) + b"\n")
    return number


def _index(warc: BinaryIO) -> Iterable[bytes]:
    """Yield a line of the index for each response in a WARC file."""
    start = 0
    while found := record_at(warc, start):
        record, end = found
        parts = taken_apart(record)
        kind = parts["WARC-Type"]
        if kind in ("response", "revisit"):
            mime = first(parts.fields, "Content-Type").partition(";")[0].strip()
            entry = Entry(
                url=parts["WARC-Target-URI"],
                mime=REVISIT if kind == "revisit" else mime or "unk",
                status=str(parts.code or 200),
                digest=parts["WARC-Payload-Digest"],
                length=str(end - start),
                offset=str(start),
                filename=WARC.rpartition("/")[2],
                date=parts["WARC-Date"],
            )
            yield entry.line()
        start = end


def _add(zipped: ZipFile, path: str, file: IO[bytes]) -> PackedFile:
    """Add a file to the zip."""
    size, digest = 0, sha256()
    file.seek(0)
    with zipped.open(ZipInfo(path, EARLIEST), "w", force_zip64=True) as out:
        while part := file.read(CHUNK):
            out.write(part)
            digest.update(part)
            size += len(part)
    return PackedFile(path.rpartition("/")[2], path, f"sha256:{digest.hexdigest()}", size)


def _add_bytes(zipped: ZipFile, path: str, content: bytes) -> PackedFile:
    """Add bytes to the zip."""
    zipped.writestr(ZipInfo(path, EARLIEST), content)
    digest = f"sha256:{sha256(content).hexdigest()}"
    return PackedFile(path.rpartition("/")[2], path, digest, len(content))


def _package(folder: CrawlFolder, resources: list[PackedFile]) -> bytes:
    """Return the description of all files."""
    last = folder.connection.execute("SELECT max(time) FROM visits").fetchone()[0]
    told = folder.told()
    described = {
        "profile": "data-package",
        "resources": msgspec.to_builtins(resources),
        "wacz_version": VERSION,
        "created": datetime.fromtimestamp(last or 0.0, UTC).isoformat().replace("+00:00", "Z"),
        "software": f"foragers/{version('foragers')}",
        "title": f"Crawl of {', '.join(told.seeds[:3]) or folder.path.name}",
    }
    return msgspec.json.format(msgspec.json.encode(described), indent=2)

"""WARC files written record by record, and what importing them comes to."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from foragers.core.types import Choice, Page
from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.importing.importer import DEFAULTS, ImportOptions, ImportSummary, import_world
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world
from support.worlds_by_hand import address

START = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
Headers = dict[str, str]


def html(text: str, *links: str) -> bytes:
    anchors = "".join(f'<li><a href="{address(link)}">{link}</a></li>' for link in links)
    return f"<html><title>{text}</title><p>{text}</p><ul>{anchors}</ul></html>".encode()


class Warc:
    """Writes WARC files record by record, and knows where each record begins."""

    def __init__(self, path: Path, compressed: bool | None = None) -> None:
        self.path = path
        self._buffer = io.BytesIO()
        self._compressed = path.suffix == ".gz" if compressed is None else compressed
        self._writer = WARCWriter(self._buffer, gzip=self._compressed)
        self._writer._create_temp_file = io.BytesIO  # its own stay open
        self.starts: list[int] = []

    def __enter__(self) -> Warc:
        return self

    def __exit__(self, *_: object) -> None:
        self.path.write_bytes(self._buffer.getvalue())

    def page(self, name: str, at: float, body: bytes, headers: Headers | None = None) -> None:
        """Write a page that was fetched so many seconds after the start."""
        self.answer(name, at, "200 OK", body, {"Content-Type": "text/html", **(headers or {})})

    def answer(
        self,
        name: str,
        at: float,
        status: str,
        body: bytes = b"",
        headers: Headers | None = None,
        kind: str = "response",
    ) -> None:
        """Write any answer of a server."""
        self.starts.append(self._buffer.tell())
        record = self._writer.create_warc_record(
            address(name),
            kind,
            payload=io.BytesIO(body),
            http_headers=StatusAndHeaders(status, list((headers or {}).items()), "HTTP/1.1"),
            warc_headers_dict={"WARC-Date": moment(at)},
        )
        self._writer.write_record(record)

    def resource(self, name: str, at: float, body: bytes, kind: str) -> None:
        """Write a record without HTTP headers."""
        self.starts.append(self._buffer.tell())
        record = self._writer.create_warc_record(
            address(name),
            "resource",
            payload=io.BytesIO(body),
            warc_content_type=kind,
            warc_headers_dict={"WARC-Date": moment(at)},
        )
        self._writer.write_record(record)

    def info(self) -> None:
        """Write what most files begin with."""
        self.starts.append(self._buffer.tell())
        self._writer.write_record(self._writer.create_warcinfo_record("test", {"software": "x"}))

    def revisit(self, name: str, at: float, of: float, digest: str = "sha1:X") -> None:
        """Write that a page was found unchanged."""
        self.starts.append(self._buffer.tell())
        record = self._writer.create_revisit_record(
            address(name),
            digest,
            address(name),
            moment(of),
            http_headers=StatusAndHeaders("200 OK", [("Content-Type", "text/html")], "HTTP/1.1"),
            warc_headers_dict={"WARC-Date": moment(at)},
        )
        self._writer.write_record(record)

    def raw(self, data: bytes) -> None:
        """Write bytes that are no record."""
        self.starts.append(self._buffer.tell())
        self._buffer.write(data)


def moment(at: float) -> str:
    return datetime.fromtimestamp(START + at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def imported(
    tmp_path: Path, *files: Path, options: ImportOptions = DEFAULTS
) -> tuple[Archive, ImportSummary]:
    summary = import_world(tmp_path / "world", list(files), options)
    return open_world(tmp_path / "world"), summary


def show(archive: Archive, name: str, at: float | None = None) -> Page:
    """Return what a page shows at the end, or so many seconds after the start."""
    url = archive.book.find(address(name))
    assert url is not None, f"{name} is not in the world"
    return Recorded(archive, None if at is None else START + at).answer(Choice(url, 0))


def linked(archive: Archive, page: Page) -> list[str]:
    hrefs = [archive.book.href(url) for url in page.links.targets.tolist()]
    assert [link.href for link in page.links] == hrefs
    return [href.rpartition("/")[2] for href in hrefs]


def refusal(tmp_path: Path, files: Sequence[Path], options: ImportOptions = DEFAULTS) -> str:
    with pytest.raises(UsageError) as caught:
        import_world(tmp_path / "world", files, options)
    message = str(caught.value)
    assert "\n" not in message
    assert not (tmp_path / "world").exists()
    assert not list(tmp_path.glob(".*"))
    return message


def five_pages(path: Path) -> Warc:
    with Warc(path) as warc:
        for number in range(5):
            warc.page(f"p{number}", number, html(f"page {number}", *map(str, range(200))))
    return warc

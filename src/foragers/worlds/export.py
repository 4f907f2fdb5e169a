"""A world as a WARC file, which any tool for web archives can read, and `import_world` too.

Every version becomes a response at its time.  The same world gives the same bytes: record ids
follow from URL and time, and no date is that of the writing.  Records are in an order in which an
import numbers URLs as this world does, as far as there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http import HTTPStatus
from importlib.metadata import version as version_of
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.files import replacing
from foragers.errors import UsageError
from foragers.storage.warc.records import MICROSECONDS, date, digest, record
from foragers.worlds.archive import Archive
from foragers.worlds.labels import LabelLine

ENDINGS = (".warc.gz", ".warc")
PHRASES = {status.value: status.phrase for status in HTTPStatus}
Watch = Callable[[int], None]


def export_warc(archive: Archive, path: Path, watch: Watch | None = None) -> int:
    """Write a world, with its seeds and labels beside it, and return its number of versions."""
    seeds, labels = beside(path, "seeds.txt"), beside(path, "labels.jsonl")
    for file in (path, seeds, labels):
        if file.exists():
            raise UsageError(f"{file} exists already; choose another name or delete it first")
    with replacing(path) as out:
        compress = path.name.endswith(".gz")
        out.write(record(info_headers(archive, path), info(archive), compress))
        for count, (headers, block) in enumerate(responses(archive), 1):
            out.write(record(headers, block, compress))
            if watch:
                watch(count)
    write_seeds(archive, seeds)
    if archive.labels.urls:
        write_labels(archive, labels)
    return archive.versions


def beside(path: Path, ending: str) -> Path:
    """Return the file beside a WARC file with another extension."""
    for suffix in ENDINGS:
        if path.name.endswith(suffix):
            return path.with_name(f"{path.name.removesuffix(suffix)}.{ending}")
    raise UsageError(f"{path}: a WARC file is named .warc.gz or .warc; add one of these endings")


def responses(archive: Archive) -> Iterator[tuple[dict[str, str], bytes]]:
    """Yield the headers and the block of every version's record."""
    urls = np.repeat(np.arange(len(archive.book)), np.diff(archive.version_starts)).tolist()
    moments = distinct_moments(archive, urls)
    for version in import_order(archive, urls):
        yield response(archive, version, urls[version], moments[version])


def import_order(archive: Archive, urls: list[int]) -> list[int]:
    """Return the versions in an order in which URLs are first seen by increasing number.

    First come the fewest versions that together show all URLs in their order, as far as possible;
    then those that show no new URL, by URL and time.
    """
    spans = [span_shown(archive, version, url) for version, url in enumerate(urls)]
    leading: dict[int, None] = {}
    shown = reach = best = -1
    for version in sorted(range(len(spans)), key=spans.__getitem__):
        first, last = spans[version]
        if first > shown + 1 and reach > shown:
            leading[best] = None
            shown = reach
        if last > reach:
            best, reach = version, last
    if best >= 0:
        leading[best] = None
    return [*leading, *(version for version in range(len(spans)) if version not in leading)]


def span_shown(archive: Archive, version: int, url: int) -> tuple[int, int]:
    """Return the last range of URLs that a version shows one after the other.

    A reader that knows all URLs below the range sees its URLs for the first time in the order of
    their numbers.
    """
    first = last = url
    links = archive.targets[archive.links_of(version)].tolist()
    for seen in (int(archive.redirects[version]), *links):
        if seen > last:
            first = first if seen == last + 1 else seen
            last = seen
    return first, last


def distinct_moments(archive: Archive, urls: list[int]) -> list[int]:
    """Return the time of each version in microseconds, later than the version before it."""
    moments: list[int] = np.rint(archive.times * MICROSECONDS).astype(np.int64).tolist()
    for version in range(1, len(moments)):
        if urls[version] == urls[version - 1]:
            moments[version] = max(moments[version], moments[version - 1] + 1)
    return moments


def info_headers(archive: Archive, path: Path) -> dict[str, str]:
    """Return the headers of the record that describes the file."""
    return {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, path.name)}>",
        "WARC-Filename": path.name,
        "WARC-Date": date(round(archive.end * MICROSECONDS)),
        "Content-Type": "application/warc-fields",
    }


def info(archive: Archive) -> bytes:
    """Return the description of the file: its software, and the time it covers."""
    fields = {
        "software": f"foragers/{version_of('foragers')}",
        "format": "WARC File Format 1.1",
        "world-start": date(round(archive.start * MICROSECONDS)),
        "world-end": date(round(archive.end * MICROSECONDS)),
    }
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()


def response(archive: Archive, version: int, url: int, moment: int) -> tuple[dict[str, str], bytes]:
    """Return the headers and the block of the record of a version."""
    href, code = archive.book.href(url), int(archive.codes[version])
    onward = int(archive.redirects[version])
    http = [f"HTTP/1.1 {code:03d} {PHRASES.get(code, '')}".rstrip()]
    data = b""
    if onward >= 0:
        http.append(f"Location: {archive.book.href(onward)}")
    elif 200 <= code < 300:
        body = archive.texts.body(version)
        data = body.data
        if body.content_type:
            http.append(f"Content-Type: {' '.join(body.content_type.split())}")
    http.append(f"Content-Length: {len(data)}")
    block = "\r\n".join(http).encode("utf-8", "replace") + b"\r\n\r\n" + data
    headers = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{href} {moment}')}>",
        "WARC-Target-URI": href,
        "WARC-Date": date(moment),
        "WARC-Payload-Digest": digest(data),
        "WARC-Block-Digest": digest(block),
        "Content-Type": "application/http; msgtype=response",
    }
    return headers, block


def mentioned(archive: Archive) -> NDArray[np.bool_]:
    """Return for each URL whether the file mentions it, as a page or as a link."""
    there = np.diff(archive.version_starts) > 0
    there[archive.targets] = True
    there[archive.redirects[archive.redirects >= 0]] = True
    return there


def write_seeds(archive: Archive, path: Path) -> None:
    """Write the seeds, one URL per line."""
    there = mentioned(archive)
    with replacing(path) as file:
        for url in archive.seeds:
            if there[url]:
                file.write(f"{archive.book.href(url)}\n".encode())


def write_labels(archive: Archive, path: Path) -> None:
    """Write the labels, one URL per line."""
    there = mentioned(archive)
    labels: dict[int, list[str]] = {}
    for label, urls in archive.labels.urls.items():
        for url in urls[there[urls]].tolist():
            labels.setdefault(url, []).append(label)
    with replacing(path) as file:
        for url in sorted(labels):
            line = LabelLine(archive.book.href(url), tuple(labels[url]))
            file.write(msgspec.json.encode(line) + b"\n")

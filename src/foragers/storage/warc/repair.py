"""Repair of a recording that a killed crawl left behind.

Up to the end of the last record in the index, a file is complete.  Complete responses after that
get the line that they lack, and the rest of the last file is cut off.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from heapq import nlargest
from pathlib import Path

from foragers.parsing.content_coding import unchunked
from foragers.storage.warc import cdxj as capture_index
from foragers.storage.warc.cdxj import REVISIT, Entry
from foragers.storage.warc.dedup import Payloads
from foragers.storage.warc.exchange import EarlierResponse, digest
from foragers.storage.warc.playback import first, recordings, taken_apart
from foragers.storage.warc.records import record_at, records_from


def mend(folder: Path, payloads: Payloads) -> None:
    """Make the files and index of a folder complete and consistent, and load their responses."""
    index = folder / capture_index.NAME
    if index.exists():
        capture_index.drop_torn_line(index)
    paths = recordings(folder)
    ends = {path.name: 0 for path in paths}
    for entry in capture_index.entries(index):
        ends[entry.filename] = max(ends.get(entry.filename, 0), entry.end)
    if paths:
        ends[paths[-1].name] = drop_unwritten(index, paths[-1])
    for path in paths:
        if ends[path.name] < path.stat().st_size:
            mend_file(path, ends[path.name], index, last=path == paths[-1])
    recall(index, payloads)


def drop_unwritten(index: Path, path: Path) -> int:
    """Drop lines whose records did not reach the disk, and return where the complete ones end."""
    entries = [entry for entry in capture_index.entries(index) if entry.filename == path.name]
    entries.sort(key=lambda entry: entry.end)
    wrong: set[bytes] = set()
    with path.open("rb") as file:
        while entries and record_at(file, int(entries[-1].offset)) is None:
            wrong.add(entries.pop().line())
    if wrong:
        with index.open("rb") as old:
            capture_index.rewrite(index, (line for line in old if line not in wrong))
    return entries[-1].end if entries else 0


def mend_file(path: Path, start: int, index: Path, last: bool) -> None:
    """Index the responses after `start`, and cut off everything after the last of them."""
    lines: list[bytes] = []
    whole = start
    with path.open("rb") as file:
        for offset, record, end in records_from(file, start):
            kind, entry = entry_of(record, path.name, offset, end)
            if entry:
                lines.append(entry.line())
            # A request without its response is useless.
            whole = whole if kind == "request" else end
    if lines:
        with index.open("ab") as out:
            out.writelines(lines)
    if last and whole < path.stat().st_size:
        os.truncate(path, whole)


def entry_of(record: bytes, name: str, offset: int, end: int) -> tuple[str, Entry | None]:
    """Return the type of a record, and its entry if it is a response."""
    parts = taken_apart(record)
    kind = parts["WARC-Type"]
    if kind not in ("response", "revisit"):
        return kind, None
    mime, content = REVISIT, ""
    if kind == "response":
        mime = first(parts.fields, "Content-Type").partition(";")[0].strip().lower() or "unk"
        if "chunked" in first(parts.fields, "Transfer-Encoding").lower():
            content = digest(unchunked(parts.body))
    return kind, Entry(
        parts["WARC-Target-URI"],
        mime,
        str(parts.code),
        parts["WARC-Payload-Digest"] or "-",
        str(end - offset),
        str(offset),
        name,
        parts["WARC-Date"],
        content,
        parts["WARC-Truncated"],
    )


def recall(index: Path, payloads: Payloads) -> None:
    """Load the responses that were recorded last."""
    latest = nlargest(payloads.most, responses(index), key=lambda triple: triple[2].moment)
    for url, content, response in reversed(latest):
        payloads.add(url, content, response)


def responses(index: Path) -> Iterator[tuple[str, str, EarlierResponse]]:
    """Yield the complete pages in an index that later responses may refer to."""
    for entry in capture_index.entries(index):
        whole = entry.mime != REVISIT and not entry.truncated
        if whole and entry.status.startswith("2") and entry.date:
            moment = round(1000 * datetime.fromisoformat(entry.date).timestamp())
            content = entry.content or entry.digest
            yield entry.url, content, EarlierResponse(moment, entry.digest)

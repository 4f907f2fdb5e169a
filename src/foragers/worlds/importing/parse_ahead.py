"""Parsing of captures in worker processes, ahead of storing them.

Results come in the order of the captures, whatever the number of processes, so that the world is
the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from foragers.core.links import ParsedLink, hrefs_of
from foragers.core.processes import in_order
from foragers.core.types import Document
from foragers.parsing.encoding import to_utf8
from foragers.parsing.html.parse import parse
from foragers.storage.warc.reader import Capture
from foragers.worlds.archive import Body
from foragers.worlds.texts import Packed, pack

BATCH = 32
AHEAD = 4
"""The number of batches in progress for each process."""


class Reading(msgspec.Struct, frozen=True):
    """A capture, the digest of its content, and the parsed content if it is new."""

    capture: Capture
    digest: int = 0
    packed: Packed | None = None
    hrefs: list[str] = []


def words_of(capture: Capture) -> tuple[Document, Sequence[ParsedLink]]:
    """Return the document and links of a capture; none if it is neither HTML nor text."""
    kind = capture.content_type.partition(";")[0].strip().lower()
    if "html" in kind or (not kind and capture.body.lstrip()[:1] == b"<"):
        parsed = parse(capture.body, capture.url, capture.content_type)
        return parsed.document, parsed.links
    if kind == "text/plain":
        text = to_utf8(capture.body, capture.content_type).decode("utf-8", "replace")
        return Document(text=" ".join(text.split())), ()
    return Document(), ()


def read(capture: Capture) -> tuple[Packed, list[str]]:
    """Parse a capture and pack its content."""
    document, outlinks = words_of(capture)
    packed = pack(document, outlinks, Body(capture.content_type, capture.body))
    return packed, hrefs_of(outlinks)


def read_batch(captures: list[Capture]) -> list[tuple[Packed, list[str]]]:
    """Parse captures in a worker."""
    return [read(capture) for capture in captures]


def readings(captures: Iterable[Capture], processes: int) -> Iterator[Reading]:
    """Parse captures with a page, each distinct content of a URL once."""
    seen: set[tuple[str, int]] = set()
    noted = (note(capture, seen) for capture in captures)
    if processes < 2:
        for reading, fresh in noted:
            yield complete(reading, read(reading.capture)) if fresh else reading
        return
    batches = iter(lambda: list(islice(noted, BATCH)), [])
    work = ((batch, [reading.capture for reading, fresh in batch if fresh]) for batch in batches)
    for batch, parsed in in_order(read_batch, work, processes, AHEAD):
        yield from results(batch, parsed)


def note(capture: Capture, seen: set[tuple[str, int]]) -> tuple[Reading, bool]:
    """Return whether a capture must be parsed: it has a page, with new content."""
    if capture.revisit or not 200 <= capture.code < 300:
        return Reading(capture), False
    # Python's own hash has a secret key, so nobody can make two contents of a URL collide.  It
    # takes a fifth of the time of BLAKE2b, and is not written.
    digest = hash(capture.body)
    known = len(seen)
    seen.add((capture.url, digest))
    return Reading(capture, digest), len(seen) > known


def results(
    batch: list[tuple[Reading, bool]], parsed: list[tuple[Packed, list[str]]]
) -> Iterator[Reading]:
    """Yield the readings of a batch with the results of the worker."""
    left = iter(parsed)
    for reading, fresh in batch:
        yield complete(reading, next(left)) if fresh else reading


def complete(reading: Reading, parsed: tuple[Packed, list[str]]) -> Reading:
    """Add the parsed content to a reading."""
    return Reading(reading.capture, reading.digest, *parsed)

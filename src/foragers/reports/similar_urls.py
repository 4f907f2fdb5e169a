"""URLs that were not fetched: pages that link to them, and similar known URLs."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest

import msgspec

from foragers.core.content import StoredContent
from foragers.core.packing import decoder_of, unpacked
from foragers.reports.crawl_folder import CrawlFolder
from foragers.reports.export import reader
from foragers.urls.parse import normalise, resolve

SHOWN = 10
"""The number of pages listed that link to a URL."""

ALIKE = 0.5
"""The least share of common characters of similar URLs."""

STEP = 500
WORDS = """
SELECT number, u.href, words, relevance FROM visits LEFT JOIN urls u ON u.id = visits.final
WHERE number > ? AND number <= ? AND words IS NOT NULL ORDER BY number LIMIT ?
"""


class Linking(msgspec.Struct, frozen=True):
    """A page that links to a URL, and the words of the link."""

    url: str
    anchor: str
    around: str
    relevance: float


def spellings(asked: str) -> set[str]:
    """Return the spellings of a URL in a ledger."""
    found = {asked}
    for spelling in (resolve, normalise):
        try:
            found.add(spelling(asked).partition("#")[0])
        except ValueError:
            continue
    return found


def links_to(folder: CrawlFolder, asked: str) -> tuple[tuple[Linking, ...], int]:
    """Return the first pages that link to a URL, and how many do."""
    wanted = spellings(asked)
    needles = [spelling.encode("utf-8", "replace") for spelling in wanted]
    decode = decoder_of(StoredContent)
    found: list[Linking] = []
    count = 0
    for _, href, packed, relevance in folder.rows(WORDS, STEP):
        raw = unpacked(packed)
        # Most pages are skipped without unpacking their links.
        if not any(needle in raw for needle in needles):
            continue
        links = [link for link in decode(raw).links if link.href in wanted]
        count += bool(links)
        if links and len(found) < SHOWN:
            link = next((link for link in links if link.anchor), links[0])
            found.append(Linking(href or "", link.anchor, link.around, relevance))
    return tuple(found), count


def nearest(folder: CrawlFolder, asked: str, number: int = 3) -> list[str]:
    """Return the known URLs that are most similar to one."""
    try:
        wanted = resolve(asked)
    except ValueError:
        wanted = asked
    scored = ((likeness(wanted, href), href) for href in known(folder))
    return [href for score, href in nlargest(number, scored) if score >= ALIKE]


def known(folder: CrawlFolder) -> Iterator[str]:
    """Yield all URLs that were fetched or linked to, each once."""
    seen: set[int] = set()
    for href in hrefs(folder):
        # Hashes instead of URLs, since there may be many millions.
        if (mark := hash(href)) not in seen:
            seen.add(mark)
            yield href


def hrefs(folder: CrawlFolder) -> Iterator[str]:
    """Yield all URLs that were fetched or linked to."""
    yield from (href for (href,) in folder.connection.execute("SELECT href FROM urls"))
    read = reader()
    for _, _, packed, _ in folder.rows(WORDS, STEP):
        yield from read(packed).hrefs


def likeness(one: str, other: str) -> float:
    """Return the share of characters that two URLs have in common at both ends."""
    shorter = min(len(one), len(other))
    start = common(one, other, shorter)
    end = common(one[::-1], other[::-1], shorter - start)
    return (start + end) / max(len(one), len(other), 1)


def common(one: str, other: str, limit: int) -> int:
    """Return how many characters two texts share from the start, up to a limit."""
    return next((place for place in range(limit) if one[place] != other[place]), limit)

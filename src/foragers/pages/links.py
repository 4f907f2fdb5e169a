"""The links of a page: which elements are links, where they lead, and with what words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import chain, islice

from selectolax.lexbor import LexborNode

from foragers.pages.head import Head
from foragers.pages.tree import tag_path
from foragers.pages.words import Words
from foragers.types import Outlink
from foragers.urls import Origin, normalise

MAX_LINKS = 120_000
MAX_DESCRIBED = 10_000
"""How many links of a page are told with the words around them and their place."""
MAX_HREF_LETTERS = 8192
_MOST_INSIDE = 64
_BLANK = "\t\n\f\r "

_LOOSE_LINKS = [
    re.compile(
        rb"%b\s*+=\s*+(?:\"([^\"<>]{0,8192})\"|'([^'<>]{0,8192})'|([^\s<>\"']{1,8192}))" % name
    )
    for name in (b"href", b"HREF")
]
_LOOSE_START = re.compile(rb"<(?:a|area)\s", re.IGNORECASE)
_LOOSE_TAG_BYTES = 1000

Found = tuple[LexborNode, str, dict[str, str | None]]
"""A link: its element, where it leads as it is written, and its attributes."""


@dataclass(slots=True)
class Targets:
    """Where the links of a page lead."""

    base: str
    folder: str | None = None

    def target(self, href: str) -> str | None:
        """Return the absolute address without its fragment, if it can be fetched."""
        if not href or href[0] in "#? \t\n\f\r":
            return _target(self.base, href)
        if self.folder is None:
            self.folder = _folder(self.base)
        # Most links of a page are on its neighbours too.
        return _known_target(self.folder, href)


def _folder(base: str) -> str:
    """Return the folder of a base: enough to resolve a link that names a file."""
    try:
        return Origin.of(base).folders[0] or base
    except ValueError:
        return base


def _target(base: str, href: str) -> str | None:
    if len(href) > MAX_HREF_LETTERS:
        return None
    if "#" in href:
        href = href[: href.index("#")]
    try:
        address = Origin.of(base).resolve(href.strip(_BLANK))
        # Some addresses that can be resolved have no key by which to tell them apart.
        normalise(address)
    except ValueError:
        return None
    if not address.startswith(("http://", "https://")):
        return None
    # Only a link to the page itself can still have a fragment: the base's.
    return address.partition("#")[0] if "#" in address else address


_known_target = lru_cache(maxsize=16_384)(_target)


def outlinks(found: list[Found], targets: Targets, words: Words, position: int) -> list[Outlink]:
    """Return the links of a page with their words, in document order from a position on."""
    links: list[Outlink] = []
    paths: dict[int, str] = {}
    target, speak = targets.target, words.of_link
    for index, (node, href, attributes) in enumerate(islice(found, MAX_LINKS)):
        address = target(href)
        if address is None:
            continue
        rel = attributes.get("rel")
        rel = rel.lower() if rel else ""
        if index < MAX_DESCRIBED:
            anchor, around = speak(index)
            path = tag_path(node, attributes, paths)
            anchor = anchor or _spoken(node, attributes)
            links.append(Outlink(address, anchor, around, path, position, rel))
        else:
            anchor = " ".join(node.text()[:MAX_HREF_LETTERS].split())
            links.append(Outlink(address, anchor, position=position, rel=rel))
        position += 1
    return links


def _spoken(node: LexborNode, attributes: dict[str, str | None]) -> str:
    """Return what stands in for the words of a link that has none: its images' or its own label."""
    if node.first_child is not None:
        inside = islice(node.traverse(), _MOST_INSIDE)
        alts = [inner.attributes.get("alt") for inner in inside if inner.tag == "img"]
        spoken = " ".join(" ".join(alt.split()) for alt in alts if alt)
        if spoken:
            return spoken[:MAX_HREF_LETTERS]
    label = attributes.get("alt") or attributes.get("aria-label") or attributes.get("title") or ""
    return " ".join(label.split())


def head_links(head: Head, targets: Targets) -> list[tuple[str, str]]:
    """Return the links of a page's head that can be fetched, with their relations."""
    pairs = [(targets.target(href), relation) for href, relation in head.links]
    return [(address, relation) for address, relation in pairs if address]


def loose_links(markup: bytes, targets: Targets, most: int) -> list[str]:
    """Return what looks like links in markup that is not parsed."""
    found = map(targets.target, _loose_hrefs(markup))
    return list(islice((address for address in found if address), max(0, most)))


def _loose_hrefs(markup: bytes) -> Iterator[str]:
    found = chain.from_iterable(pattern.finditer(markup) for pattern in _LOOSE_LINKS)
    for link in islice(found, 4 * MAX_LINKS):
        position = link.start()
        start = markup.rfind(b"<", max(0, position - _LOOSE_TAG_BYTES), position)
        raw = link[1] or link[2] or link[3]
        if raw and start >= 0 and _LOOSE_START.match(markup, start):
            yield unescape(raw.decode("utf-8", "replace"))

"""The links of a page: which elements are links, where they lead, and with what words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import chain, compress, islice

from selectolax.lexbor import LexborNode

from foragers.outlinks import Outlinks
from foragers.pages.head import Head
from foragers.pages.targets import MAX_HREF_LETTERS, Targets
from foragers.pages.tree import Paths
from foragers.pages.words import ANCHOR_LETTERS, MARK, Words

MAX_LINKS = 120_000
MAX_DESCRIBED = 10_000
"""How many links of a page are told with the words around them and their place."""
_MOST_INSIDE = 64
# Regions inside a link are marked in its text.
_MARKS = re.compile(f"{MARK}[a-z]")
# Stands between the words of links; no page has it there, and one that has is read slowly.
_BETWEEN = " \x02 "

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


def add_links(links: Outlinks, found: list[Found], targets: Targets, words: Words) -> None:
    """Add the links of a page with their words, in document order."""
    addresses = targets.many([href for _, href, _ in found[:MAX_LINKS]])
    text, path_of, missing = words.all, Paths().of, max(0, len(found) - len(words.starts))
    starts, ends = words.starts + [-1] * missing, words.ends + [-1] * missing
    told = zip(found[:MAX_DESCRIBED], addresses, starts, ends, strict=False)
    for (node, _, attributes), address, start, end in told:
        if address is not None:
            links.hrefs.append(address)
            anchor = text[start : min(end, start + ANCHOR_LETTERS)].rstrip()
            links.anchors.append(anchor or _spoken(node, attributes))
            links.starts.append(start)
            links.ends.append(end)
            links.paths.append(path_of(node, attributes))
            links.rels.append((attributes.get("rel") or "").lower())
    _add_rest(links, found[MAX_DESCRIBED:], addresses[MAX_DESCRIBED:])


def add_plain_links(links: Outlinks, found: list[Found], targets: Targets) -> None:
    """Add the links of a page with their own words, in document order."""
    addresses = targets.many([href for _, href, _ in found[:MAX_LINKS]])
    told = found[:MAX_DESCRIBED]
    if None in addresses:
        told = list(compress(told, addresses))
    links.hrefs += [address for address in addresses[:MAX_DESCRIBED] if address is not None]
    links.anchors += _anchors(told)
    links.rels += [(has["rel"] or "").lower() if "rel" in has else "" for _, _, has in told]
    links.paths = [""] * len(links)
    _add_rest(links, found[MAX_DESCRIBED:], addresses[MAX_DESCRIBED:])


def _anchors(found: list[Found]) -> list[str]:
    """Return the words of links, or what stands in for them."""
    texts = [node.text(True, " ") for node, _, _ in found]
    # All at once: with one link at a time it takes twice as long.
    whole = _BETWEEN.join(texts)
    anchors = [words.strip() for words in _tidy(whole).split(_BETWEEN.strip())]
    if len(anchors) != len(found):
        anchors = [_tidy(text) for text in texts]
    if max(map(len, anchors), default=0) > ANCHOR_LETTERS:
        anchors = [words[:ANCHOR_LETTERS].rstrip() for words in anchors]
    if "" in anchors:
        pairs = zip(anchors, found, strict=True)
        anchors = [words or _spoken(node, has) for words, (node, _, has) in pairs]
    return anchors


def _tidy(text: str) -> str:
    """Return text with single spaces between its words, without marks."""
    return " ".join((_MARKS.sub(" ", text) if MARK in text else text).split())


def _add_rest(links: Outlinks, found: list[Found], addresses: list[str | None]) -> None:
    """Add the links of a page that has more than can be described."""
    for (node, _, attributes), address in zip(found, addresses, strict=False):
        if address is not None:
            anchor = _tidy(node.text()[:MAX_HREF_LETTERS])
            links.add(address, anchor, rel=(attributes.get("rel") or "").lower())


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

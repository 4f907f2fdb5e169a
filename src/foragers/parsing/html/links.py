"""Where the links of a page lead.

Most links of a page stand on its neighbours too.  So where a link leads is remembered for
all pages of its folder, and for the whole host if it does not depend on the folder.

The links of a page: which elements are links, where they lead, and with what words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from itertools import chain, compress, islice, repeat

from selectolax.lexbor import LexborNode

from foragers.core.links import ParsedLinks
from foragers.parsing.html.head import Head
from foragers.parsing.html.text import ANCHOR_LETTERS, MARK, PageText
from foragers.parsing.html.tree import TagPaths
from foragers.urls.parse import Origin, normalise, resolve

MAX_HREF_LETTERS = 8192
_BLANK = "\t\n\f\r "
_OF_THE_PAGE_ITSELF = "?" + _BLANK
_OF_THE_HOST = ("/", "http://", "https://")
_UNKNOWN = ""
_NO_HOME = "nowhere"

Known = dict[str, str | None]
"""Addresses by what was written; None for what cannot be fetched."""


@dataclass(slots=True)
class AnchorMemory:
    """What is known of the links in some folders: so many links, then it begins anew."""

    most: int = 65_536
    letters: int = 512
    folders: dict[str, Known] = field(default_factory=dict)
    links: int = 0

    def of(self, folder: str) -> Known:
        """Return what is known of the links in a folder."""
        known = self.folders.get(folder)
        if known is None:
            known = {}
            if len(folder) <= self.letters:
                self._make_room()
                self.folders[folder] = known
        return known

    def add(self, known: Known, href: str, address: str | None) -> None:
        """Remember where a link leads."""
        if len(href) <= self.letters:
            self._make_room()
            known[href] = address

    def _make_room(self) -> None:
        # Pages can have any number of links, so that something has to be forgotten.
        self.links += 1
        if self.links > self.most:
            self.links = 1
            for known in self.folders.values():
                known.clear()
            self.folders.clear()


_MEMORY = AnchorMemory()


class Targets:
    """Where the links of a page lead."""

    __slots__ = ("_folder", "_here", "_home", "_known", "base")

    def __init__(self, base: str) -> None:
        self.base = base
        self._folder, self._home = _folder_and_home(_without_leaf(base))
        self._known = _MEMORY.of(self._folder)
        self._here: str | None = _UNKNOWN

    def many(self, hrefs: list[str]) -> list[str | None]:
        """Return the addresses of many links, most of which were met in this folder before."""
        known = self._known.get
        found = list(map(known, hrefs, repeat(_UNKNOWN)))
        if _UNKNOWN in found:
            for place, address in enumerate(found):
                if address == _UNKNOWN:
                    href = hrefs[place].partition("#")[0]
                    address = known(href, _UNKNOWN)
                    found[place] = self._resolved(href) if address == _UNKNOWN else address
        return found

    def target(self, href: str) -> str | None:
        """Return the absolute address without its fragment, if it can be fetched."""
        address = self._known.get(href, _UNKNOWN)
        return self._resolved(href) if address == _UNKNOWN else address

    def _resolved(self, href: str) -> str | None:
        """Find out where a link leads that was not met in this folder before."""
        if not href or href[0] == "#":
            if self._here == _UNKNOWN:
                self._here = self._itself()
            return self._here
        if href[0] in _OF_THE_PAGE_ITSELF:
            return resolved(self.base, href, self._home)
        if "#" in href:
            return self.target(href[: href.index("#")])
        known = self._known
        if href.startswith(_OF_THE_HOST):
            known = _MEMORY.of(self._home)
            address = known.get(href, _UNKNOWN)
            if address != _UNKNOWN:
                _MEMORY.add(self._known, href, address)
                return address
        address = resolved(self._folder, href, self._home)
        _MEMORY.add(known, href, address)
        return address

    def _itself(self) -> str | None:
        """Return the address of the page itself, which is its base if that is spelled as usual."""
        base = self.base
        if "#" not in base and base.startswith(self._home) and resolve(base) == base:
            return base
        return resolved(base, "", self._home)


def _without_leaf(base: str) -> str:
    """Return a base without the name of its file, which most pages of a folder differ in."""
    path = base.partition("?")[0].partition("#")[0]
    cut = path.rfind("/") + 1
    # What begins with a dot or an escape may be a folder; and no host may be cut off.
    is_leaf = path[cut : cut + 1] not in (".", "%") and path.find("/", 8) > 0
    return path[:cut] if is_leaf and path.startswith(("http://", "https://")) else base


@lru_cache(maxsize=1024)
def _folder_and_home(base: str) -> tuple[str, str]:
    """Return the folder of a base, enough to resolve a link that names a file, and its host's."""
    try:
        origin = Origin.of(base)
        return origin.folders[0] or base, normalise(f"{origin.origin}/")
    except ValueError:
        return base, _NO_HOME


def resolved(base: str, href: str, home: str = _NO_HOME) -> str | None:
    """Return the absolute address of a link without its fragment, if it can be fetched.

    What is at home, below the root of a host that is sound, need not be looked at closely.
    """
    if len(href) > MAX_HREF_LETTERS:
        return None
    if "#" in href:
        href = href[: href.index("#")]
    try:
        address = Origin.of(base).resolve(href.strip(_BLANK))
        if not address.startswith(home):
            # Some addresses that can be resolved have no key by which to tell them apart.
            normalise(address)
    except ValueError:
        return None
    if not address.startswith(("http://", "https://")):
        return None
    # Only a link to the page itself can still have a fragment: the base's.
    return address.partition("#")[0] if "#" in address else address


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


def add_links(links: ParsedLinks, found: list[Found], targets: Targets, words: PageText) -> None:
    """Add the links of a page with their words, in document order."""
    addresses = targets.many([href for _, href, _ in found[:MAX_LINKS]])
    text, path_of, missing = words.all, TagPaths().of, max(0, len(found) - len(words.starts))
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


def add_plain_links(links: ParsedLinks, found: list[Found], targets: Targets) -> None:
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


def _add_rest(links: ParsedLinks, found: list[Found], addresses: list[str | None]) -> None:
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

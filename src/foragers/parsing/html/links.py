"""The links of a page: which elements are links, their targets, and their texts.

Most links of a page stand on its neighbours too.  So resolved links are cached for all pages of a
directory, and for the whole host if they do not depend on the directory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from html import unescape
from itertools import chain, islice, repeat
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from foragers.compiled import compiled
from foragers.core.links import ParsedLinks
from foragers.parsing.html.head import Attributes, Head
from foragers.parsing.html.text import ANCHOR_CHARS, MARK, PageText
from foragers.parsing.html.tree import TagPaths
from foragers.urls.parse import Origin, normalise, resolve

LIBRARY = compiled("foragers.parsing.html._targets")
"""Resolves plain links and chooses among links, if it was built."""
MAX_HREF_CHARS = 8192
_BLANK = "\t\n\f\r "
_OF_THE_PAGE_ITSELF = "?" + _BLANK
_OF_THE_HOST = ("/", "http://", "https://")
_UNKNOWN = ""
_NO_HOME = "nowhere"
_WHOLE_HOST = "host "

ResolvedLinks = dict[str, str | None]
"""Resolved URLs by the text of the attribute; None for links that cannot be fetched."""


@dataclass(slots=True)
class AnchorMemory:
    """Cached links of some directories; a full cache is cleared."""

    most: int = 65_536
    letters: int = 512
    folders: dict[str, ResolvedLinks] = field(default_factory=dict)
    links: int = 0

    def of(self, folder: str) -> ResolvedLinks:
        """Return the cached links of a directory."""
        cached = self.folders.get(folder)
        if cached is None:
            cached = {}
            if len(folder) <= self.letters:
                self._make_room()
                self.folders[folder] = cached
        return cached

    def add(self, cached: ResolvedLinks, href: str, address: str | None) -> None:
        """Cache the target of a link."""
        if len(href) <= self.letters:
            self._make_room()
            cached[href] = address

    @property
    def room(self) -> int:
        """How many more links can be cached before the cache is cleared."""
        return self.most - self.links

    def _make_room(self) -> None:
        # Pages can have any number of links, so the cache must be bounded.
        self.links += 1
        if self.links > self.most:
            self.links = 1
            for cached in self.folders.values():
                cached.clear()
            self.folders.clear()


_MEMORY = AnchorMemory()


class Targets:
    """The targets of the links of a page."""

    __slots__ = ("_folder", "_here", "_home", "_known", "_of_host", "base")

    def __init__(self, base: str) -> None:
        self.base = base
        self._folder, self._home = _folder_and_home(_without_leaf(base))
        # Links of the host's root directory depend on the directory: they are cached apart.
        self._of_host = _MEMORY.of(f"{_WHOLE_HOST}{self._home}")
        self._known = _MEMORY.of(self._folder)
        self._here: str | None = _UNKNOWN

    def many(self, hrefs: list[str]) -> list[str | None]:
        """Return the URLs of many links, most of which are cached for the host or the directory."""
        urls = self._quick(hrefs)
        if urls is None:
            urls = list(map(self._of_host.get, hrefs, repeat(_UNKNOWN)))
        if _UNKNOWN in urls:
            target = self.target
            urls = [
                target(href) if url == _UNKNOWN else url
                for url, href in zip(urls, hrefs, strict=True)
            ]
        return urls

    def _quick(self, hrefs: list[str]) -> list[str | None] | None:
        """Return the URLs of links by the compiled module; it leaves some unknown, or all."""
        if LIBRARY is None:
            return None
        here = self.target("")
        quick: tuple[list[str | None], int] | None = LIBRARY.targets(
            hrefs,
            self._of_host,
            self._known,
            self._folder,
            self._home,
            here,
            _MEMORY.room,
            _UNKNOWN,
        )
        if quick is None:
            return None
        urls, added = quick
        _MEMORY.links += added
        return urls

    def target(self, href: str) -> str | None:
        """Return the absolute URL without its fragment, if it can be fetched."""
        address = self._known.get(href, _UNKNOWN)
        return self._resolved(href) if address == _UNKNOWN else address

    def _resolved(self, href: str) -> str | None:
        """Resolve a link that is not cached for this directory."""
        if "#" in href:
            href = href[: href.index("#")]
            address = self._known.get(href, _UNKNOWN)
            if address != _UNKNOWN:
                return address
        if not href:
            if self._here == _UNKNOWN:
                self._here = self._itself()
            return self._here
        if href[0] in _OF_THE_PAGE_ITSELF:
            return resolved(self.base, href, self._home)
        cached = self._known
        if href.startswith(_OF_THE_HOST):
            cached = self._of_host
            address = cached.get(href, _UNKNOWN)
            if address != _UNKNOWN:
                return address
        address = resolved(self._folder, href, self._home)
        _MEMORY.add(cached, href, address)
        return address

    def _itself(self) -> str | None:
        """Return the URL of the page itself, which is its base if that is normalised."""
        base = self.base
        if "#" not in base and base.startswith(self._home) and resolve(base) == base:
            return base
        return resolved(base, "", self._home)


def _without_leaf(base: str) -> str:
    """Return a base without its file name, in which most pages of a directory differ."""
    path = base.partition("?")[0].partition("#")[0]
    cut = path.rfind("/") + 1
    # A name that begins with a dot or an escape may be a directory; and no host may be cut off.
    is_leaf = path[cut : cut + 1] not in (".", "%") and path.find("/", 8) > 0
    return path[:cut] if is_leaf and path.startswith(("http://", "https://")) else base


@lru_cache(maxsize=1024)
def _folder_and_home(base: str) -> tuple[str, str]:
    """Return the directory of a base, enough to resolve a link to a file, and that of its host."""
    try:
        origin = Origin.of(base)
        return origin.folders[0] or base, normalise(f"{origin.origin}/")
    except ValueError:
        return base, _NO_HOME


def resolved(base: str, href: str, home: str = _NO_HOME) -> str | None:
    """Return the absolute URL of a link without its fragment, if it can be fetched.

    A URL below the root of a valid host needs fewer checks.
    """
    if len(href) > MAX_HREF_CHARS:
        return None
    if "#" in href:
        href = href[: href.index("#")]
    try:
        address = Origin.of(base).resolve(href.strip(_BLANK))
        if not address.startswith(home):
            # Some URLs that can be resolved have no key for deduplication.
            normalise(address)
    except ValueError:
        return None
    if not address.startswith(("http://", "https://")):
        return None
    # Only a link to the page itself can still have a fragment: the base's.
    return address.partition("#")[0] if "#" in address else address


MAX_LINKS = 120_000
MAX_DESCRIBED = 10_000
"""The largest number of links with the words around them and their position."""
_MOST_INSIDE = 64
# Characters of links to the same targets that are compared; links can be nested.
_MAX_COMPARED = 1_000_000
# Regions inside a link are marked in its text.
_MARKS = re.compile(f"{MARK}[a-z]")
# A separator between the texts of links; a page that contains it is read slowly.
_BETWEEN = " \x02 "

_LOOSE_LINKS = [
    re.compile(
        rb"%b\s*+=\s*+(?:\"([^\"<>]{0,8192})\"|'([^'<>]{0,8192})'|([^\s<>\"']{1,8192}))" % name
    )
    for name in (b"href", b"HREF")
]
_LOOSE_START = re.compile(rb"<(?:a|area)\s", re.IGNORECASE)
_LOOSE_TAG_BYTES = 1000

FoundLink = tuple[LexborNode, str, Attributes]
"""A link: its element, its target as written, and its attributes."""


def targets_of(head: Head, url: str) -> tuple[Targets, str | None]:
    """Return the targets of the links of a page, and the target of one to the page itself."""
    targets = Targets(head.base)
    return targets, (targets if head.base == url else Targets(url)).target("")


class Chosen(NamedTuple):
    """The links of a page that are kept, as indexes in document order, and their targets."""

    indexes: list[int]
    urls: list[str]


FirstLinks = dict[str | None, int]
"""The index of the link that is kept for each target."""


def choose(
    hrefs: list[str],
    targets: Targets,
    itself: str | None,
    prefer: Callable[[FirstLinks, list[str | None]], None],
) -> Chosen:
    """Choose one link for each target but the page `itself`: the first one that has a text.

    `prefer` replaces links without a text by later ones to the same target that have one.
    """
    urls = targets.many(hrefs)
    first: FirstLinks = dict(zip(reversed(urls), range(len(urls) - 1, -1, -1), strict=True))
    first.pop(itself, None)
    first.pop(None, None)
    if len(first) < len(urls):
        prefer(first, urls)
    indexes = sorted(first.values())
    return Chosen(indexes, [url for index in indexes if (url := urls[index]) is not None])


def choose_spoken(hrefs: list[str], targets: Targets, itself: str | None, spoken: bytes) -> Chosen:
    """Choose among links as `choose` does, given for each whether it has a text."""
    if LIBRARY is None:
        return choose(hrefs, targets, itself, partial(prefer_spoken, spoken))
    return Chosen(*LIBRARY.chosen(targets.many(hrefs), itself, spoken))


def prefer_spoken(spoken: bytes, first: FirstLinks, urls: list[str | None]) -> None:
    """Prefer links with a text, given for each link whether it has one."""
    if 0 not in spoken:
        return
    silent = {url for url, index in first.items() if not spoken[index]}
    for index, url in enumerate(urls if silent else ()):
        if spoken[index] and url in silent:
            first[url] = index
            silent.discard(url)


def prefer_text(elements: list[FoundLink], first: FirstLinks, urls: list[str | None]) -> None:
    """Prefer links with a text, until too many characters were compared."""
    counts, left = Counter(urls), _MAX_COMPARED
    silent: set[str | None] = set()
    for index, url in enumerate(urls):
        if counts[url] > 1 and left > 0 and url in first and (first[url] == index or url in silent):
            text = elements[index][0].text()
            left -= 1 + len(text)
            if not (_tidy(text) if MARK in text else text.strip()):
                silent.add(url)
            elif url in silent:
                silent.discard(url)
                first[url] = index


def add_links(
    links: ParsedLinks, elements: list[FoundLink], urls: list[str], words: PageText
) -> None:
    """Add the links of a page with their texts, in document order."""
    text, path_of, missing = words.all, TagPaths().of, max(0, len(elements) - len(words.starts))
    starts, ends = words.starts + [-1] * missing, words.ends + [-1] * missing
    for (node, _, attributes), start, end in zip(
        elements[:MAX_DESCRIBED], starts, ends, strict=False
    ):
        anchor = text[start : min(end, start + ANCHOR_CHARS)].rstrip()
        links.anchors.append(anchor or _spoken(node, attributes))
        links.starts.append(start)
        links.ends.append(end)
        links.paths.append(path_of(node, attributes))
        links.rels.append((attributes.get("rel") or "").lower())
    links.hrefs += urls[:MAX_DESCRIBED]
    _add_rest(links, elements, urls)


def add_plain_links(links: ParsedLinks, elements: list[FoundLink], urls: list[str]) -> None:
    """Add the links of a page with only their own texts, in document order."""
    described = elements[:MAX_DESCRIBED]
    links.hrefs += urls[:MAX_DESCRIBED]
    links.anchors += _anchors(described)
    links.rels += [(has["rel"] or "").lower() if "rel" in has else "" for _, _, has in described]
    links.paths = [""] * len(links)
    _add_rest(links, elements, urls)


def _anchors(elements: list[FoundLink]) -> list[str]:
    """Return the texts of links, or a replacement for them."""
    texts = [node.text(True, " ") for node, _, _ in elements]
    # All at once: one link at a time takes twice as long.
    whole = _BETWEEN.join(texts)
    anchors = [words.strip() for words in _tidy(whole).split(_BETWEEN.strip())]
    if len(anchors) != len(elements):
        anchors = [_tidy(text) for text in texts]
    if max(map(len, anchors), default=0) > ANCHOR_CHARS:
        anchors = [words[:ANCHOR_CHARS].rstrip() for words in anchors]
    if "" in anchors:
        pairs = zip(anchors, elements, strict=True)
        anchors = [words or _spoken(node, has) for words, (node, _, has) in pairs]
    return anchors


def _tidy(text: str) -> str:
    """Return text with single spaces between its words, without marks."""
    return " ".join((_MARKS.sub(" ", text) if MARK in text else text).split())


def _add_rest(links: ParsedLinks, elements: list[FoundLink], urls: list[str]) -> None:
    """Add the links of a page that has more than can be described."""
    rest = zip(elements[MAX_DESCRIBED:], urls[MAX_DESCRIBED:], strict=True)
    for (node, _, attributes), url in rest:
        anchor = _tidy(node.text()[:MAX_HREF_CHARS])
        links.add(url, anchor, rel=(attributes.get("rel") or "").lower())


def _spoken(node: LexborNode, attributes: Attributes) -> str:
    """Return a replacement for the text of a link without one."""
    alts: list[str | None] = []
    if node.first_child is not None:
        inside = islice(node.traverse(), _MOST_INSIDE)
        alts = [inner.attributes.get("alt") for inner in inside if inner.tag == "img"]
    return label(alts, attributes)


def label(alts: Iterable[str | None], attributes: Attributes) -> str:
    """Return the label of a link's images, or else its own."""
    spoken = " ".join(" ".join(alt.split()) for alt in alts if alt)
    if spoken:
        return spoken[:MAX_HREF_CHARS]
    own = attributes.get("alt") or attributes.get("aria-label") or attributes.get("title") or ""
    return " ".join(own.split())


def head_links(head: Head, targets: Targets, known: Collection[str | None]) -> dict[str, str]:
    """Return the relations of the links of a page's head that are not known, by target."""
    relations: dict[str, str] = {}
    for href, relation in head.links:
        url = targets.target(href)
        if url and url not in known:
            relations.setdefault(url, relation)
    return relations


def loose_links(
    markup: bytes, targets: Targets, most: int, known: Collection[str | None]
) -> list[str]:
    """Return possible links in markup that is not parsed, those that are not known, once."""
    urls = dict.fromkeys(islice(map(targets.target, _loose_hrefs(markup)), max(0, most)))
    return [url for url in urls if url and url not in known]


def _loose_hrefs(markup: bytes) -> Iterator[str]:
    matches = chain.from_iterable(pattern.finditer(markup) for pattern in _LOOSE_LINKS)
    for link in islice(matches, 4 * MAX_LINKS):
        position = link.start()
        start = markup.rfind(b"<", max(0, position - _LOOSE_TAG_BYTES), position)
        raw = link[1] or link[2] or link[3]
        if raw and start >= 0 and _LOOSE_START.match(markup, start):
            yield unescape(raw.decode("utf-8", "replace"))

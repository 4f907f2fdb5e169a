"""Crawler traps: URLs without end that bring nothing new.

The life of a URL: `refuse` is asked once, just before the download.  It decides by the URL
itself (`url_problem`, `canonical`), by its parts without effect (`idle_parameters`), by the
hidden links that it lies behind (`hidden`), by the chain of pages that led to it, and by its
shape (`reputation`).  `learn` is told the page: is it a copy (`fingerprint`, `duplicates`),
an error page (`soft404`), does it have content of its own (`boilerplate`), and has that been shown
before (`new_content`)?

A chain begins with a page without new content, and continues through all URLs that were first
seen on its pages without new content.  So an empty calendar ends although full days have the
same shape, and the full days in the other direction are not affected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from msgspec import Struct

from foragers.filters.traps.boilerplate import (
    Boilerplate,
    OwnContent,
    PageLinks,
    crc_of,
    links_of,
)
from foragers.filters.traps.bounded import RecentDict, SeenKeys
from foragers.filters.traps.duplicates import ExactDuplicates, NearDuplicates
from foragers.filters.traps.fingerprint import Fingerprint, fingerprint
from foragers.filters.traps.hidden import HiddenLinks
from foragers.filters.traps.idle_parameters import IdleParameters
from foragers.filters.traps.new_content import NewContent
from foragers.filters.traps.reputation import PatternOutcome, PatternRecords
from foragers.filters.traps.settings import DEFAULT_TRAPS, TrapSettings, UrlLimits
from foragers.filters.traps.soft404 import Anchors, ErrorPages
from foragers.urls.canonical import canonical
from foragers.urls.shapes import shape_of


class TrapKind(StrEnum):
    """What a page is, compared with those before it."""

    NEW = "new"
    EXACT = "exact duplicate"
    NEAR = "near duplicate"
    SOFT_404 = "soft 404"


class TrapVerdict(Struct, frozen=True):
    """What a page is, and the URL that it repeats if that is still known."""

    kind: TrapKind
    of: str | None = None


NEW = TrapVerdict(TrapKind.NEW)
ERROR = TrapVerdict(TrapKind.SOFT_404)


@dataclass(slots=True)
class Traps:
    """Remembers what was seen, within about 140 MB, and refuses URLs that would repeat it."""

    settings: TrapSettings = DEFAULT_TRAPS
    seen: SeenKeys = field(init=False)
    records: PatternRecords = field(init=False)
    boilerplate: Boilerplate = field(init=False)
    near_duplicates: NearDuplicates = field(init=False)
    exact_duplicates: ExactDuplicates = field(init=False)
    error_pages: ErrorPages = field(init=False)
    chains: RecentDict[str, str] = field(init=False)
    copies: RecentDict[str, int] = field(init=False)
    hidden: HiddenLinks = field(init=False)
    idle: IdleParameters = field(init=False)
    new_content: NewContent = field(init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        self.seen = SeenKeys(settings.seen)
        self.records = PatternRecords(settings.reputation)
        self.boilerplate = Boilerplate(settings.boilerplate)
        self.near_duplicates = NearDuplicates(settings.duplicates)
        self.exact_duplicates = ExactDuplicates(settings.duplicates)
        self.error_pages = ErrorPages(settings)
        self.chains = RecentDict(settings.chains)
        self.copies = RecentDict(settings.copied_pages)
        self.hidden = HiddenLinks(settings.hidden)
        self.idle = IdleParameters(self.records, settings.idle)
        self.new_content = NewContent(self.seen, self.records, settings.new_content)

    def refuse(self, url: str, near: bool = False, seed: bool = False) -> str | None:
        """Return why a URL is not worth a download, or None if it may be.

        A seed is not throttled.  The links of a seed are `near`: somebody chose that page, so its
        links are throttled only when very many pages of their pattern brought nothing.
        """
        problem = url_problem(url, self.settings.urls)
        if problem is not None:
            return problem
        plain = canonical(url)
        if plain != url and self.idle.bags.get(plain) is not None:
            return "a known page with a session id or tracking parameter"
        part = self.idle.refusing(plain)
        if part is not None:
            return f"a known page but for {part.rpartition('/')[2].strip('?=')}"
        if seed:
            return None
        shape, start = shape_of(plain), self.chains.get(plain)
        if self.hidden.refuses(plain, shape.site):
            return "behind hidden links that lead on and on"
        if near:
            pattern = self.records.refusing_near(shape, from_exhausted=start is not None)
            return pattern and f"hardly anything new at {pattern.lstrip('~')}"
        if start is not None and not self.records.of(f"chain {start}").admit():
            return f"nothing new since {start}"
        pattern = self.records.refusing(shape, from_exhausted=start is not None)
        return pattern and f"hardly anything new at {pattern.lstrip('~')}"

    def learn(
        self,
        url: str,
        text: str,
        links: Sequence[str],
        final: str | None = None,
        title: str = "",
        again: bool = False,
        anchors: Anchors = tuple,
        hidden: Container[str] = (),
    ) -> TrapVerdict:
        """Record a page that was downloaded (`again`, if it was before), and return what it is.

        `anchors` is called only if the page seems to be an error page.  `hidden` are the links that
        it hides from readers.
        """
        url = canonical(url)
        here = canonical(final) if final else url
        targets = links_of(links)
        page = fingerprint(text, here, targets.urls, self.settings.fingerprint)
        again = again or self.idle.bags.get(url) is not None
        own = self.boilerplate.own(shape_of(here).path, here, page, targets)
        identity = identity_of(page, title, targets, self.settings.min_version_words)
        verdict = self._verdict(here, text, title, page, own, again, anchors, identity)
        # A revisit says nothing about others, and a page without words and links leads nowhere.
        if not again and (page.words or links):
            self._record(url, verdict, own, targets, page, hidden)
        self.idle.bags.put(here, page.bag)
        return verdict

    def _verdict(
        self,
        url: str,
        text: str,
        title: str,
        page: Fingerprint,
        own: OwnContent,
        again: bool,
        anchors: Anchors,
        identity: int,
    ) -> TrapVerdict:
        """Return what a page is, and remember its `identity`."""
        # Error pages have few words, once their boilerplate is known.
        if own.words <= self.settings.soft_errors.max_words and self.error_pages.recognise(
            shape_of(url).host, url, text, title, again, anchors
        ):
            return ERROR
        if not page.words:
            return NEW
        first_url = self.exact_duplicates.find_or_add(identity, url)
        if first_url is not None and first_url != url:
            return TrapVerdict(TrapKind.EXACT, first_url or None)
        if again or first_url == url:
            return NEW
        if own.neighbour is not None and own.words < self.settings.new_content.min_words:
            return TrapVerdict(TrapKind.NEAR, own.neighbour)
        near_url = self.near_duplicates.find_or_add(own.phrases, url)
        return NEW if near_url is None else TrapVerdict(TrapKind.NEAR, near_url)

    def _record(
        self,
        url: str,
        verdict: TrapVerdict,
        own: OwnContent,
        links: PageLinks,
        page: Fingerprint,
        hidden: Container[str],
    ) -> None:
        """Count a page for or against its shape, its chain and the parts of its URL."""
        shape, start = shape_of(url), self.chains.get(url)
        exact = verdict.kind is TrapKind.EXACT or verdict is ERROR
        copied = verdict.kind is not TrapKind.NEW
        outcome, unseen = self.new_content.judge(shape, own, links, copied, exact)
        if verdict is ERROR:
            outcome = PatternOutcome.NOTHING
        self.idle.record(url, page.bag)
        self.hidden.record(url, shape.site, links.urls, hidden)
        nothing = outcome is PatternOutcome.NOTHING
        if not nothing or not self._is_version(verdict, own, shape.site):
            self.records.record(shape, start is not None, outcome, exact)
            if start is not None:
                chain = self.records.of(f"chain {start}")
                chain.credit = chain.credit + 1 if outcome is PatternOutcome.LINKS else 0
                leads_on = chain.credit <= self.settings.patience
                chain.record(not nothing and leads_on, exact)
        if outcome is PatternOutcome.WORDS:
            self.chains.drop_all(links.urls)
        else:
            for i in unseen:
                self.chains.put(links.urls[i], start or url)

    def _is_version(self, verdict: TrapVerdict, own: OwnContent, site: str) -> bool:
        """Return whether a copy may be another version of a page, which is not counted.

        Versions and translations of a manual repeat each page a few times; a trap
        repeats the same few pages, or repeats pages without end.
        """
        if verdict.of is None or own.words < self.settings.min_version_words:
            return False
        copies = (self.copies.get(verdict.of) or 0) + 1
        self.copies.put(verdict.of, copies)
        if copies > self.settings.max_versions:
            return False
        whole = self.records.of(f"versions {site}")
        whole.credit += 1
        return whole.credit <= self.settings.max_copies


def identity_of(page: Fingerprint, title: str, links: PageLinks, min_words: int) -> int:
    """Return an integer that is the same for copies: the same words under the same title.

    If there are few words, copies must have the same links too: one picture page after another.
    """
    identity = page.digest ^ (crc_of(title) << 32)
    if page.words >= min_words:
        return identity
    # The sum wraps around at 64 bits.
    return identity ^ int(links.hashes.sum(dtype=np.uint64))


def url_problem(url: str, limits: UrlLimits = DEFAULT_TRAPS.urls) -> str | None:
    """Return what is wrong with a URL in itself, or None."""
    if len(url) > limits.max_chars:
        return f"URL of more than {limits.max_chars} characters"
    if url.count("&") >= limits.max_parameters:
        return f"more than {limits.max_parameters} parameters"
    segments = url.count("/") - 2
    # Shorter paths cannot have a repetition, and most are shorter.
    if segments < limits.max_repeats:
        return None
    path = url.partition("?")[0]
    segments = path.count("/") - 2
    if segments > limits.max_segments:
        return f"more than {limits.max_segments} path segments"
    if segments >= limits.max_repeats and _is_loop(path, limits.max_repeats):
        return "a path that repeats itself"
    return None


def _is_loop(url: str, repeats: int) -> bool:
    """Return whether a path goes through the same directories again and again."""
    segments = [segment for segment in url.partition("#")[0].split("/")[3:] if segment]
    if len(segments) == len(set(segments)):
        return False
    # Numbers may repeat: /1/1/1 is a date, a tile of a map, a verse.
    named = Counter(segment for segment in segments if not segment.isdigit())
    if not named or max(named.values()) < repeats:
        return False
    if max(named.values()) > repeats:
        return True
    sizes = range(1, len(segments) // repeats + 1)
    return any(_repeats(segments, size, repeats) for size in sizes)


def _repeats(segments: list[str], size: int, repeats: int) -> bool:
    """Return whether any `size` segments come that many times in a row."""
    same = 0
    for here, there in zip(segments, segments[size:], strict=False):
        same = same + 1 if here == there and not here.isdigit() else 0
        if same >= (repeats - 1) * size:
            return True
    return False

"""Crawler traps: addresses without end that bring nothing new.

The life of an address: `refuse` is asked once, just before the download, and answers by
the address alone (`oddity`, `canonical`), by what its parts were worth (`idle_parameters`), by the
hidden links that it lies behind (`hidden`), by the line of pages that led to it, and by its
shape (`reputation`).  `learn` is told what came back: is it a copy (`fingerprint`, `duplicates`),
an error page (`soft404`), does it have anything of its own (`boilerplate`), and has that been shown
before (`new_content`)?

A line of descent begins with a dull page and runs through all addresses that were first
seen on its dull pages.  So an empty calendar runs dry although full days have the
same shape, and the full days in the other direction do not suffer for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from msgspec import Struct

from foragers.filters.traps.boilerplate import Frames, Own, PageLinks, links_of, number_of
from foragers.filters.traps.bounded import Filter, Recent
from foragers.filters.traps.duplicates import KnownTexts, Likenesses
from foragers.filters.traps.fingerprint import Fingerprint, fingerprint
from foragers.filters.traps.hidden import HiddenLinks
from foragers.filters.traps.idle_parameters import Idle
from foragers.filters.traps.new_content import MIN_WORDS, NewContent
from foragers.filters.traps.reputation import PatternOutcome, PatternRecords
from foragers.filters.traps.settings import DEFAULT_TRAPS, TrapSettings
from foragers.filters.traps.soft404 import Anchors, ErrorPages
from foragers.urls.canonical import canonical
from foragers.urls.shapes import shape_of

MAX_LETTERS = 1024
MAX_FOLDERS = 24
MAX_PARAMETERS = 16
# Once round and round again happens (/lib/x/lib/x); twice again is a circle.
_TURNS = 3
MAX_DIGEST = (1 << 64) - 1


class TrapKind(StrEnum):
    """What a page is, compared with those before it."""

    NEW = "new"
    EXACT = "exact duplicate"
    NEAR = "near duplicate"
    SOFT_404 = "soft 404"


class TrapVerdict(Struct, frozen=True):
    """What a page is, and the page it repeats where that is still known."""

    kind: TrapKind
    of: str | None = None


NEW = TrapVerdict(TrapKind.NEW)
ERROR = TrapVerdict(TrapKind.SOFT_404)


@dataclass(slots=True)
class Traps:
    """Knows what was seen, within some 140 MB, and refuses what would bring more of the same."""

    settings: TrapSettings = DEFAULT_TRAPS
    seen: Filter = field(init=False)
    standings: PatternRecords = field(default_factory=PatternRecords)
    frames: Frames = field(default_factory=Frames)
    likenesses: Likenesses = field(default_factory=Likenesses)
    error_pages: ErrorPages = field(default_factory=ErrorPages)
    texts: KnownTexts = field(init=False)
    lines: Recent[str, str] = field(init=False)
    copies: Recent[str, int] = field(init=False)
    hidden: HiddenLinks = field(default_factory=HiddenLinks)
    idle: Idle = field(init=False)
    novelty: NewContent = field(init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        self.seen, self.texts = Filter(settings), KnownTexts(settings)
        self.lines, self.copies = Recent(settings.lines), Recent(settings.copied_pages)
        self.idle = Idle(self.standings)
        self.novelty = NewContent(self.seen, self.standings)

    def refuse(self, url: str, near: bool = False, seed: bool = False) -> str | None:
        """Return why an address is not worth a download, or None if it may be.

        A seed is not throttled.  What a seed links to is `near`: somebody chose that page, so its
        links are throttled only when very many of their kind brought nothing.
        """
        odd = oddity(url)
        if odd is not None:
            return odd
        plain = canonical(url)
        if plain != url and self.idle.said.get(plain) is not None:
            return "a known page with a session id or tracking parameter"
        part = self.idle.refusing(plain)
        if part is not None:
            return f"a known page but for {part.rpartition('/')[2].strip('?=')}"
        if seed:
            return None
        shape, start = shape_of(plain), self.lines.get(plain)
        if self.hidden.refuses(plain, shape.site):
            return "behind hidden links that lead on and on"
        if near:
            kind = self.standings.refusing_near(shape, stray=start is not None)
            return kind and f"hardly anything new at {kind.lstrip('~')}"
        if start is not None and not self.standings.of(f"line {start}").admit():
            return f"nothing new since {start}"
        kind = self.standings.refusing(shape, stray=start is not None)
        return kind and f"hardly anything new at {kind.lstrip('~')}"

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
        """Take in a page that was downloaded (`again`, if it was before), and say what it is.

        The words of its links may be asked for, where the rest of its words speaks of an error.
        The links that it hides from readers are `hidden`.
        """
        url = canonical(url)
        here = canonical(final) if final else url
        targets = links_of(map(canonical, links))
        page = fingerprint(text, here, targets.urls)
        again = again or self.idle.said.get(url) is not None
        own = self.frames.own(shape_of(here).path, here, page, targets)
        said = identity(page, title, targets, self.settings.min_version_words)
        verdict = self._verdict(here, text, title, page, own, again, anchors, said)
        # A revisit says nothing about others, and an answer without words and links leads nowhere.
        if not again and (page.words or links):
            self._record(url, verdict, own, targets, page, hidden)
        self.idle.said.put(here, page.bag)
        return verdict

    def _verdict(
        self,
        url: str,
        text: str,
        title: str,
        page: Fingerprint,
        own: Own,
        again: bool,
        anchors: Anchors,
        said: int,
    ) -> TrapVerdict:
        """Say what a page is, and remember what it `said`."""
        # Error pages have little to say, once their frame is known.
        if own.words <= self.settings.max_error_words and self.error_pages.recognise(
            shape_of(url).host, url, text, title, again, anchors
        ):
            return ERROR
        if not page.words:
            return NEW
        known = self.texts.find_or_add(said, url)
        if known is not None and known != url:
            return TrapVerdict(TrapKind.EXACT, known or None)
        if again or known == url:
            return NEW
        if own.neighbour is not None and own.words < MIN_WORDS:
            return TrapVerdict(TrapKind.NEAR, own.neighbour)
        like = self.likenesses.find_or_add(own.phrases, url)
        return NEW if like is None else TrapVerdict(TrapKind.NEAR, like)

    def _record(
        self,
        url: str,
        verdict: TrapVerdict,
        own: Own,
        links: PageLinks,
        page: Fingerprint,
        hidden: Container[str],
    ) -> None:
        """Let a page count for or against its shape, its line and the parts of its address."""
        shape, start = shape_of(url), self.lines.get(url)
        exact = verdict.kind is TrapKind.EXACT or verdict is ERROR
        copied = verdict.kind is not TrapKind.NEW
        outcome, unseen = self.novelty.judge(shape, own, links, copied, exact)
        if verdict is ERROR:
            outcome = PatternOutcome.DULL
        self.idle.record(url, page.bag)
        self.hidden.record(url, shape.site, links.urls, hidden)
        if outcome is not PatternOutcome.DULL or not self._is_version(verdict, own, shape.site):
            self.standings.record(shape, start is not None, outcome, exact)
            if start is not None:
                line = self.standings.of(f"line {start}")
                line.credit = line.credit + 1 if outcome is PatternOutcome.LEADS else 0
                leads_on = line.credit <= self.settings.patience
                line.record(outcome is not PatternOutcome.DULL and leads_on, exact)
        if outcome is PatternOutcome.NEW:
            for link in links.urls:
                self.lines.drop(link)
        else:
            for i in unseen:
                self.lines.put(links.urls[i], start or url)

    def _is_version(self, verdict: TrapVerdict, own: Own, site: str) -> bool:
        """Say whether a copy may be another version of a page, which counts for nothing.

        Versions and translations of a manual repeat each page a few times; a trap
        repeats the same few pages, or goes on with it.
        """
        if verdict.of is None or own.words < self.settings.min_version_words:
            return False
        copies = (self.copies.get(verdict.of) or 0) + 1
        self.copies.put(verdict.of, copies)
        if copies > self.settings.max_versions:
            return False
        whole = self.standings.of(f"versions {site}")
        whole.credit += 1
        return whole.credit <= self.settings.max_copies


def identity(page: Fingerprint, title: str, links: PageLinks, min_words: int) -> int:
    """Return a number that is the same for copies: the same words under the same title.

    Few words are no sign of a copy where the links are others: pictures one after the other.
    """
    told = page.digest ^ (number_of(title) << 32)
    if page.words >= min_words:
        return told
    return told ^ int(links.numbers.sum(dtype=np.uint64)) & MAX_DIGEST


def oddity(url: str) -> str | None:
    """Return what is wrong with an address in itself, or None."""
    if len(url) > MAX_LETTERS:
        return f"an address of more than {MAX_LETTERS} letters"
    if url.count("&") >= MAX_PARAMETERS:
        return f"more than {MAX_PARAMETERS} parameters"
    folders = url.count("/") - 2
    # Shorter paths cannot hold a repetition, and most are shorter.
    if folders < 3:
        return None
    path = url.partition("?")[0]
    folders = path.count("/") - 2
    if folders > MAX_FOLDERS:
        return f"more than {MAX_FOLDERS} folders deep"
    if folders >= 3 and _is_circle(path):
        return "a path that repeats itself"
    return None


def _is_circle(url: str) -> bool:
    """Say whether a path goes through the same folders again and again."""
    segments = [segment for segment in url.partition("#")[0].split("/")[3:] if segment]
    if len(segments) == len(set(segments)):
        return False
    # Numbers may repeat: /1/1/1 is a date, a tile of a map, a verse.
    named = Counter(segment for segment in segments if not segment.isdigit())
    if not named or max(named.values()) < _TURNS:
        return False
    if max(named.values()) > _TURNS:
        return True
    return any(_turns(segments, size) for size in range(1, len(segments) // _TURNS + 1))


def _turns(segments: list[str], size: int) -> bool:
    """Say whether some `size` segments come three times in a row."""
    same = 0
    for here, there in zip(segments, segments[size:], strict=False):
        same = same + 1 if here == there and not here.isdigit() else 0
        if same >= (_TURNS - 1) * size:
            return True
    return False

"""The numbers that tune the detection of traps, each with its source.

*Guess* means that nobody has measured another value, *memory* that a value bounds the memory, and
*CPU* that it bounds the work per page.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UrlLimits:
    """URLs beyond these limits are refused without a download."""

    max_chars: int = 1024  # guess
    max_segments: int = 24  # of the path; guess
    max_parameters: int = 16  # guess
    # /lib/x/lib/x exists on real sites; a third time is a loop (test_addresses).
    max_repeats: int = 3


@dataclass(frozen=True)
class FingerprintSettings:
    """Which words of a text count, and how many."""

    max_chars: int = 200_000  # of a text; CPU
    max_links: int = 256  # whose URLs are searched for numbers; CPU
    # Phrases of which none is left out: the own content of a page may be ten words.
    max_sample: int = 512  # memory
    id_bytes: int = 16  # shorter words are no ids; guess
    # Random file names, counters, times: words of this kind differ on every page.
    number_digits: int = 5  # fewest of a number that is looked for in the URLs of a page; guess
    token_bytes: int = 8  # guess
    token_digits: int = 2  # guess
    day_bytes: int = 4  # 7, 2024, 3rd, 12h: longer words that begin with a digit are kept; guess


@dataclass(frozen=True)
class BoilerplateSettings:
    """How much is compared with the last two pages of a path."""

    max_links: int = 256  # of a page; CPU
    paths: int = 1024  # memory


@dataclass(frozen=True)
class DuplicateSettings:
    """When two pages are the same, or nearly the same."""

    sketch_size: int = 16  # smallest phrases compared (Broder 1997); guess
    sketch_keys: int = 4  # of which a page is found by; guess
    min_phrases: int = 8  # pages with fewer are no near duplicates; guess
    min_share: float = 0.75  # share of common phrases of near duplicates; guess
    sketch_entries: int = 32_768  # keys remembered; memory: 160 bytes each
    recent_texts: int = 32_768  # texts remembered with their URL; memory
    older_texts: int = 2_000_000  # texts remembered without it; memory: 8 bytes each


@dataclass(frozen=True)
class SoftErrorSettings:
    """When a page with status 200 is an error page."""

    min_urls: int = 3  # URLs with the same text about an error; guess
    max_words: int = 100  # of the page's own content; a longer page is no error page; guess
    first_chars: int = 2000  # of a page, which are searched for words about errors; guess
    max_anchors: int = 500  # links whose words are removed; CPU
    max_texts: int = 4  # remembered per host; memory
    hosts: int = 2048  # memory


@dataclass(frozen=True)
class ReputationSettings:
    """When the pages of a URL pattern have brought too little."""

    window: int = 32  # last pages considered; twice as many for a proven pattern; guess
    proven_share: float = 0.2  # of new pages, from which on a pattern is proven; guess
    min_pages: int = 16  # before a pattern is judged; guess
    min_exact: int = 10  # the same if the last pages were exact copies; guess
    exact_run: int = 8  # that many of them; guess
    min_on_host: int = 64  # before a host is judged, which needs two new pages in as many; guess
    min_in_domain: int = 32  # the same for a domain; guess
    first_on_host: int = 8  # pages of a host that are judged by its domain; guess
    exhausted_share: float = 0.1  # of new pages; no more than that is too little; guess
    min_near_seed: int = 128  # before a pattern is judged that a seed links to; guess
    max_level: int = 24  # a throttled pattern admits at least one URL in 2**level; guess
    patterns: int = 32_768  # memory


@dataclass(frozen=True)
class NewContentSettings:
    """When a page shows something new."""

    # One changing word, such as a counter of visitors, makes three new phrases.
    min_words: int = 5  # guess
    new_share: float = 0.35  # of a page's phrases that must be new; guess
    new_share_of_list: float = 0.8  # the same for a list; guess
    words_per_link: int = 5  # pages with fewer own words per link are lists; guess
    max_copied_words: int = 20  # a copy with more own words does not count as leading on; guess
    trust: int = 64  # pages that may count as leading on to a pattern not yet judged; guess
    max_phrases: int = 24  # looked up per page; CPU
    max_links: int = 12  # whose patterns are considered per page; CPU


@dataclass(frozen=True)
class HiddenLinkSettings:
    """How many pages behind hidden links a site may show."""

    share: float = 0.1  # of a site's pages, if hidden links go on without end; guess
    min_allowed: int = 64  # pages allowed in any case; guess
    min_allowed_targets: int = 256  # direct targets allowed: a large menu has as many; guess
    min_pages: int = 32  # behind hidden links, before a site is judged; guess
    # Shares of new links, from which on pages seem to go on without end, and below which they end.
    endless: float = 0.8  # 10 recorded webs stay below it (docs/traps.md)
    ending: float = 0.5  # guess
    decay: float = 1 - 1 / 64  # of the link counts, with every page; guess
    urls: int = 65_536  # memory
    lately: int = 8192  # links shown lately, which need not be recorded again; CPU
    sites: int = 4096  # memory


@dataclass(frozen=True)
class IdleParameterSettings:
    """How parameters without effect are found."""

    max_parameters: int = 8  # URLs with more are not taken apart; CPU
    urls: int = 24_576  # memory
    names: int = 4096  # memory


@dataclass(frozen=True)
class SeenContentSettings:
    """Bloom filters of seen content.

    A filter is full when a quarter of its bits are set; then one new key in sixteen counts as seen.
    """

    log_sizes: tuple[int, ...] = (20, 23, 25, 26, 27)  # bits (log2); memory: at most 50 MB
    filters: int = 3  # memory


@dataclass(frozen=True)
class TrapSettings:
    """The settings of all parts, and when copies count against a URL pattern."""

    patience: int = 64  # pages in a row of one chain that may lead on without own words; guess
    min_version_words: int = 20  # a shorter page is no version of another; guess
    max_versions: int = 8  # copies of a page that count as versions of it; guess
    max_copies: int = 112  # versions on a site before they count as copies; guess
    chains: int = 16_384  # pages remembered as without new content; memory
    copied_pages: int = 8_192  # pages whose copies are counted; memory

    urls: UrlLimits = UrlLimits()
    fingerprint: FingerprintSettings = FingerprintSettings()
    boilerplate: BoilerplateSettings = BoilerplateSettings()
    duplicates: DuplicateSettings = DuplicateSettings()
    soft_errors: SoftErrorSettings = SoftErrorSettings()
    reputation: ReputationSettings = ReputationSettings()
    new_content: NewContentSettings = NewContentSettings()
    hidden: HiddenLinkSettings = HiddenLinkSettings()
    idle: IdleParameterSettings = IdleParameterSettings()
    seen: SeenContentSettings = SeenContentSettings()


DEFAULT_TRAPS = TrapSettings()

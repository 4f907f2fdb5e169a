"""What repeats on the pages of a site: navigation, footers, notices about cookies.

No page alone shows which of its paragraphs stand on all others too.  A sample of a site's pages
does: a block that many of them have is no page's main text.  Headings and code are left alone,
since manuals repeat them on purpose, and so are short blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from foragers.parsing.main_text.blocks import HEADING, PRE, TABLE, PageBlocks


@dataclass(frozen=True)
class RepeatSettings:
    """When a block counts as repeated."""

    pages: int = 30  # sampled per site; CPU: a tenth of an export of 300 pages of a site
    least_pages: int = 8  # of a site, before anything counts as repeated; guess
    min_pages: int = 4  # that have a repeated block; guess
    min_share: float = 0.2  # of the sampled pages that have it; guess
    min_chars: int = 25  # of a block; shorter ones are repeated by chance; guess
    most_blocks: int = 2000  # of a page that are remembered; memory: 8 bytes each


DEFAULT_REPEATS = RepeatSettings()


@dataclass(slots=True)
class SiteRepeats:
    """Counts on how many sampled pages of one site each block stands."""

    settings: RepeatSettings = DEFAULT_REPEATS
    pages: int = 0
    counts: Counter[int] = field(default_factory=Counter)

    def add(self, page: PageBlocks) -> None:
        """Learn from a page."""
        skipped, least = HEADING | PRE | TABLE, self.settings.min_chars
        digests = {
            digest_of(block.text)
            for block in page.blocks[: self.settings.most_blocks]
            if len(block.text) >= least and not block.flags & skipped
        }
        self.counts.update(digests)
        self.pages += 1

    def repeated(self) -> frozenset[int]:
        """Return the digests of the blocks that repeat."""
        settings = self.settings
        if self.pages < settings.least_pages:
            return frozenset()
        most = max(settings.min_pages, settings.min_share * self.pages)
        return frozenset(digest for digest, count in self.counts.items() if count >= most)


def digest_of(text: str) -> int:
    """Return the digest of a block."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def learned(
    pages: Iterable[PageBlocks], settings: RepeatSettings = DEFAULT_REPEATS
) -> frozenset[int]:
    """Return the digests of the blocks that repeat on pages of one site."""
    site = SiteRepeats(settings)
    for page in pages:
        site.add(page)
    return site.repeated()

"""The numbers that tune the detection of traps as a whole, each with its source.

*Guess* means that nobody has measured another value; *memory* that a value bounds the memory.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrapSettings:
    """When pages count as copies or errors, and how much is remembered."""

    patience: int = 64  # pages in a row of one line that may lead on without own words; guess
    max_error_words: int = 100  # a longer page is no soft 404; guess
    min_version_words: int = 20  # a shorter page is no version of another; guess
    max_versions: int = 8  # copies of a page that count as versions of it; guess
    max_copies: int = 112  # versions on a site before they count as copies; guess

    recent_texts: int = 32_768  # texts remembered with their URL; memory
    older_texts: int = 2_000_000  # texts remembered without it; memory: 8 bytes each
    lines: int = 16_384  # pages remembered as without new content; memory
    copied_pages: int = 8_192  # pages whose copies are counted; memory

    # Bloom filters of seen content, in bits (log2).  One is full when a quarter of it is set; then
    # one new number in sixteen counts as seen.
    filter_sizes: tuple[int, ...] = (20, 23, 25, 26, 27)  # memory: at most 50 MB
    filter_tables: int = 3


DEFAULT_TRAPS = TrapSettings()

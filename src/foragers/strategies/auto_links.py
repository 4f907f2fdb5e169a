"""What a link says of itself: the words of its anchor, the parts of its address.

The same addresses and the same anchors come up on page after page, so what was made of
the last few thousand is kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from foragers.text.words import url_words, words

LETTERS, DIGITS = re.compile("[a-zA-Z]+"), re.compile("[0-9]+")
MOST_DIRECTORIES = 4
ANCHOR_WORDS, ADDRESS_WORDS = 8, 6
KEPT = 16_384


class Address(NamedTuple):
    """The parts of an address after its host."""

    directories: tuple[str, ...]
    depth: int
    ending: str
    shape: str
    asks: bool
    words: tuple[str, ...]

    @property
    def spelled(self) -> str:
        """Its last words, as a text."""
        return " ".join(self.words)


@lru_cache(maxsize=KEPT)
def address_of(href: str) -> Address:
    """Return the parts of an address."""
    start = href.find("/", 8)
    path, _, query = (href[start:] if start > 0 else "/").partition("?")
    *directories, name = path.split("/")[1:]
    prefixes, prefix = [], ""
    for part in directories[:MOST_DIRECTORIES]:
        prefix += f"/{part}"
        prefixes.append(prefix)
    return Address(
        tuple(prefixes),
        len(directories),
        name.rpartition(".")[2][:5] if "." in name else "",
        LETTERS.sub("a", DIGITS.sub("0", name))[:40],
        bool(query),
        tuple(url_words(f"{path} {query}")[-ADDRESS_WORDS:]),
    )


@lru_cache(maxsize=KEPT)
def anchor_words(anchor: str) -> tuple[str, ...]:
    """Return the first words of an anchor."""
    return tuple(words(anchor)[:ANCHOR_WORDS])

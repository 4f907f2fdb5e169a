"""What a link says of itself: the words of its anchor, the parts of its address.

The same addresses and the same anchors come up on page after page, so what was made of
the last thousand is kept.
"""

from __future__ import annotations

from functools import lru_cache
from string import ascii_letters, digits
from typing import NamedTuple

from foragers.strategies.auto_words import numbered
from foragers.text.words import url_words, words

KINDS = str.maketrans(ascii_letters + digits, "a" * len(ascii_letters) + "0" * len(digits))
MOST_DIRECTORIES = 4
ANCHOR_WORDS, ADDRESS_WORDS = 8, 6
KEPT = 1024


class Address(NamedTuple):
    """The parts of an address after its host.

    `kind` is how its last part ends and whether it has a query, `shape` what addresses in a
    directory have in common; its last words are there by number, and as a text.
    """

    directories: tuple[str, ...]
    kind: str
    shape: str
    words: dict[str, int]
    spelled: str


class Anchor(NamedTuple):
    """The words of a link: as the name of a group, and by number those that say something."""

    name: str
    words: dict[str, int]


def shape_of(name: str) -> str:
    """Return a name with one letter for each run of letters, and one digit for each number."""
    shape = name.translate(KINDS)
    for two, one in (("aa", "a"), ("00", "0")):
        while two in shape:
            shape = shape.replace(two, one)
    return shape


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
    spoken = url_words(f"{path} {query}")[-ADDRESS_WORDS:]
    ending = name.rpartition(".")[2][:5] if "." in name else ""
    asks = "?" if query else ""
    return Address(
        tuple(prefixes),
        f"{ending}{asks}",
        f"{len(directories)}{asks} {shape_of(name)[:40]}",
        numbered(spoken),
        " ".join(spoken),
    )


@lru_cache(maxsize=KEPT)
def anchor_of(text: str) -> Anchor:
    """Return the first words of an anchor."""
    spoken = words(text)[:ANCHOR_WORDS]
    return Anchor(" ".join(("anchor", *spoken)), numbered(spoken))

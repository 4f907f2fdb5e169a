"""Where the links of a page lead.

Most links of a page stand on its neighbours too.  So where a link leads is remembered for
all pages of its folder, and for the whole host if it does not depend on the folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat

from foragers.urls import Origin, normalise, resolve

MAX_HREF_LETTERS = 8192
_BLANK = "\t\n\f\r "
_OF_THE_PAGE_ITSELF = "?" + _BLANK
_OF_THE_HOST = ("/", "http://", "https://")
_UNKNOWN = ""
_NO_HOME = "nowhere"

Known = dict[str, str | None]
"""Addresses by what was written; None for what cannot be fetched."""


@dataclass(slots=True)
class Memory:
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


_MEMORY = Memory()


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

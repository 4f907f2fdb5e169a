"""How much the filters remember; every number bounds memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FilterSettings:
    """Sizes of the caches of scope and link filter; when one is full, it is cleared."""

    hosts: int = 65_536  # decisions of a scope about hosts
    links: int = 32_768  # decisions of a link filter about URLs
    max_chars: int = 512  # longer URLs are not cached: a page could fill the memory with them


DEFAULT_FILTERS = FilterSettings()

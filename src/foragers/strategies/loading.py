"""Classes by name, each loaded when it is first asked for.

A crawl uses one strategy; loading all of them, with what they stand on, would take it longer
than fetching its first hundred pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module


class Lazily(Mapping[str, type]):
    """Classes of some package, told as `module:Class`."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self._package = package
        self._places = places

    def __getitem__(self, name: str) -> type:
        module, _, kind = self._places[name].partition(":")
        found: type = getattr(import_module(f"{self._package}.{module}"), kind)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

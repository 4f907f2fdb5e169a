"""Why a strategy expected of a link what it did, in a form that anything can show."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import msgspec

from foragers.types import Link, Page


class Part(msgspec.Struct, frozen=True):
    """One thing that was taken into account, and what it added in each column."""

    name: str
    adds: tuple[float, ...]


class Reasons(msgspec.Struct, frozen=True):
    """A sentence, and a small table of what spoke for what: a row a part, heaviest first.

    `worth` is the promise that comes of it, where it can be told.
    """

    says: str
    columns: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    note: str = ""
    worth: float | None = None


@runtime_checkable
class Explains(Protocol):
    """A strategy that can say why.

    One whose answer depends on what the crawl has found so far has an attribute `learns` that is
    true; it is told the crawl again up to the choice in question before it is asked.
    """

    def explain(self, page: Page, link: Link) -> Reasons | None:
        """Return why a link on a page promises what it does; None where there is no more to say."""
        ...

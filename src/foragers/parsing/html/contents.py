"""What is read from the tree of a page, whether compiled (`walk`) or in Python (`collect`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from foragers.core.links import ParsedLinks
from foragers.parsing.dates import json_ld_date
from foragers.parsing.html.head import Attributes, Head
from foragers.parsing.html.links import Targets

MAX_HEADING_CHARS = 20_000
_JSON_LD = "application/ld+json"


class Contents(NamedTuple):
    """The contents of a page.

    `found` is the number of links in its body before those to one target were made one; `itself`
    is its own URL, as links have it; `dates` are those of its scripts and time elements.
    """

    head: Head
    targets: Targets
    itself: str | None
    found: int
    links: ParsedLinks
    words: str
    text: str
    title: str
    headings: tuple[str, ...]
    dates: list[str]
    root: Attributes


def heading(text: str) -> str:
    """Return the words of a heading."""
    return " ".join(text[:MAX_HEADING_CHARS].split())


def dates_of(scripts: Iterable[tuple[str | None, str]], times: Iterable[Attributes]) -> list[str]:
    """Return the dates in scripts with their types, and in time elements: publications first."""
    dates: list[str] = []
    for attributes in times:
        moment = attributes.get("datetime")
        if moment:
            first = "pubdate" in attributes or attributes.get("itemprop") == "datePublished"
            dates.insert(0 if first else len(dates), moment)
    return [json_ld_date(text) for kind, text in scripts if is_json_ld(kind)] + dates


def is_json_ld(kind: str | None) -> bool:
    """Return whether a script of some type has data of the page."""
    return kind is not None and kind.strip().lower() == _JSON_LD

"""The head of a page: base, robots, canonical URL, dates, and links of its own.

`parse_refresh` parses the content of a meta refresh as the HTML standard does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from foragers.urls.parse import resolve

Attributes = dict[str, str | None]

_REFRESH = re.compile(
    r"[\t\n\f\r ]*(?:(?P<seconds>[0-9]+)[0-9.]*|\.[0-9.]*)"
    r"(?:$|(?=[\t\n\f\r ;,])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?P<target>.*))",
    re.DOTALL,
)
_LABEL = re.compile(r"url[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)


def parse_refresh(content: str) -> tuple[int, str | None] | None:
    """Return the delay in seconds and the unresolved target, if the content is a refresh."""
    match = _REFRESH.match(content)
    if match is None:
        return None
    seconds = int((match["seconds"] or "0")[:9])
    target = match["target"]
    return seconds, (_unquoted(target) or None) if target else None


def _unquoted(target: str) -> str:
    """Strip the label, and the quotes with what follows them."""
    label = _LABEL.match(target)
    if label:
        target = target[label.end() :]
    if target[:1] in ("'", '"'):
        return target[1:].partition(target[0])[0]
    return target.rstrip("\t\n\f\r ")


FEEDS = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")
# Directives for one robot have its name, which may be any.
_ROBOT = re.compile(r"[\w.-]{2,40}")
_ASKS = re.compile(
    r"(?:\s*(?:no)?(?:index|follow|archive|snippet|imageindex|translate|cache)\s*(?:,|$)"
    r"|\s*(?:all|none)\s*(?:,|$))+",
    re.IGNORECASE,
)
_FOLLOWED_RELATIONS = frozenset(("next", "prev", "previous"))


class Head(msgspec.Struct):
    """The facts of a page's base, link and meta elements, wherever they stand.

    `links` are pairs of an unresolved URL and its relation; `asked_by_name` are directives for
    single robots, after their names.
    """

    base: str = ""
    robots: list[str] = []
    canonical: str = ""
    language: str = ""
    named: dict[str, str] = {}
    links: list[tuple[str, str]] = []
    feeds: list[str] = []
    asked_by_name: list[str] = []


def read_head(elements: Iterable[tuple[str | None, Attributes]], url: str) -> Head:
    """Collect the facts of the base, link and meta elements of a page: tags with attributes."""
    head = Head()
    for tag, attributes in elements:
        if tag == "meta":
            _read_meta(head, attributes)
        elif tag == "link":
            _read_link(head, attributes)
        elif not head.base and attributes.get("href") is not None:
            head.base = _base(attributes["href"] or "", url)
    head.base = head.base or url
    return head


def _base(href: str, url: str) -> str:
    """Resolve the URL of a base element; an invalid one leaves the page's own."""
    try:
        base = resolve(href, url)
    except ValueError:
        return url
    return url if base.startswith(("data:", "javascript:")) else base


def _read_meta(head: Head, attributes: Attributes) -> None:
    content = attributes.get("content")
    if not content:
        return
    pragma = (attributes.get("http-equiv") or "").lower()
    if pragma == "refresh":
        refresh = parse_refresh(content)
        if refresh and refresh[1]:
            head.links.append((refresh[1], "refresh"))
    elif pragma == "content-language" and not head.language:
        head.language = content.split(",")[0].strip()
    name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
    if name:
        name = name.strip().lower()
        if name == "robots":
            head.robots.append(content.strip().lower())
            return
        head.named.setdefault(name, content)
        if _ASKS.fullmatch(content) and _ROBOT.fullmatch(name):
            head.asked_by_name.append(f"{name}: {content.strip().lower()}")


def _read_link(head: Head, attributes: Attributes) -> None:
    href, relation = attributes.get("href"), attributes.get("rel")
    if not href or not relation:
        return
    relations = relation.lower().split()
    if "canonical" in relations and not head.canonical:
        head.canonical = href
    kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
    if "alternate" in relations and kind in FEEDS:
        head.feeds.append(href)
    if not _FOLLOWED_RELATIONS.isdisjoint(relations):
        head.links.append((href, " ".join(relations)))

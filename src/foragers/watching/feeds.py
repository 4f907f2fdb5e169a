"""Events as an Atom feed (RFC 4287) and a JSON Feed (version 1.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from xml.etree import ElementTree as Xml

import msgspec

from foragers.core.display import iso
from foragers.core.files import write
from foragers.version import __version__
from foragers.watching.events import Event, EventKind, settled

ATOM, JSON = "feed.atom", "feed.json"
NAMESPACE = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 100
NOT_FETCHED = "not fetched yet: known by a link"
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow."""


def write_feeds(folder: Path, events: Sequence[Event], title: str, updated: float) -> None:
    """Write both feeds of the newest events, each completely or not at all."""
    shown = sorted(settled(events), key=lambda one: -one.found)[:MOST_ENTRIES]
    name = f"urn:foragers:watch:{digest(title + str(folder.resolve()))}"
    write(folder / ATOM, atom(shown, title, name, updated))
    write(folder / JSON, json_feed(shown, title))


def atom(events: Sequence[Event], title: str, name: str, updated: float) -> bytes:
    """Return an Atom feed."""
    Xml.register_namespace("", NAMESPACE)
    feed = Xml.Element(f"{{{NAMESPACE}}}feed")
    add(feed, "id", name)
    add(feed, "title", title)
    add(feed, "updated", iso(max([updated, *(one.found for one in events[:1])])) or "")
    add(add(feed, "author"), "name", "foragers watch")
    add(feed, "generator", "foragers", version=__version__)
    for one in events:
        entry = add(feed, "entry")
        add(entry, "id", entry_id(one))
        add(entry, "title", headline(one))
        add(entry, "link", rel="alternate", href=one.url)
        add(entry, "updated", iso(one.found) or "")
        if one.published is not None and iso(one.published):
            add(entry, "published", iso(one.published) or "")
        add(entry, "category", term=one.event.value)
        add(entry, "summary", body(one), type="text")
    return bytes(Xml.tostring(feed, encoding="utf-8", xml_declaration=True)) + b"\n"


def add(parent: Xml.Element, name: str, text: str = "", **attributes: str) -> Xml.Element:
    """Add an element, without the characters that XML forbids."""
    clean = {key: FORBIDDEN.sub("", value) for key, value in attributes.items()}
    element = Xml.SubElement(parent, f"{{{NAMESPACE}}}{name}", clean)
    element.text = FORBIDDEN.sub("", text) or None
    return element


def json_feed(events: Sequence[Event], title: str) -> bytes:
    """Return a JSON Feed."""
    items = [
        {
            "id": entry_id(one),
            "url": one.url,
            "title": headline(one),
            "content_text": body(one),
            "date_published": iso(one.published if one.published is not None else one.found),
            "date_modified": iso(one.found),
            "tags": [one.event.value, one.site],
        }
        for one in events
    ]
    whole = {"version": "https://jsonfeed.org/version/1.1", "title": title, "items": items}
    return msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n"


def entry_id(one: Event) -> str:
    """Return an id that stays the same, and is a URI whatever the URL is."""
    return f"urn:foragers:event:{digest(one.key)}"


def headline(one: Event) -> str:
    """Return the title of an event; that of a new page is its own."""
    title = one.title or one.url
    return title if one.event is EventKind.NEW else f"{one.event.value}: {title}"


def body(one: Event) -> str:
    """Return the text of an entry."""
    unread = "" if one.fetched else NOT_FETCHED
    return one.diff or one.summary or unread or one.url


def digest(text: str) -> str:
    """Return a short digest of a text."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()

"""Feeds: what feed readers accept, whatever pages are called."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

import feedparser
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from foragers.watching.events import Event, EventKind
from foragers.watching.feeds import MOST_ENTRIES, NAMESPACE, atom, json_feed, write_feeds


def event(
    number: int,
    title: str = "A title",
    summary: str = "",
    diff: str = "",
    published: float | None = None,
) -> Event:
    return Event(
        event=EventKind.NEW,
        url=f"http://a.test/{number}",
        site="a.test",
        found=1e9 + number,
        visit=number,
        title=title,
        summary=summary,
        diff=diff,
        published=published,
    )


def test_a_feed_reader_finds_the_newest_events(tmp_path: Path) -> None:
    write_feeds(tmp_path, [event(n) for n in range(150)], "New on a.test", 2e9)
    feed = feedparser.parse(str(tmp_path / "feed.atom"))
    assert not feed.bozo
    assert feed.version == "atom10"
    assert feed.feed.title == "New on a.test"
    assert len(feed.entries) == MOST_ENTRIES
    assert feed.entries[0].link == "http://a.test/149"
    assert feed.entries[0].updated == "2001-09-09T01:49:09.000Z"


def test_an_atom_feed_has_what_the_rfc_requires() -> None:
    changed = msgspec.structs.replace(event(7, diff="- a\n+ b"), event=EventKind.CHANGED)
    root = Xml.fromstring(atom([event(1), changed], "T", "urn:x:y", 0.0))

    def text(parent: Xml.Element, name: str) -> str:
        found = parent.find(f"{{{NAMESPACE}}}{name}")
        assert found is not None, name
        return found.text or found.get("href") or ""

    assert text(root, "id") and text(root, "title") and text(root, "updated")  # noqa: PT018
    assert root.find(f"{{{NAMESPACE}}}author/{{{NAMESPACE}}}name") is not None
    entries = root.findall(f"{{{NAMESPACE}}}entry")
    ids = [text(entry, "id") for entry in entries]
    assert len(set(ids)) == 2
    assert all(one.startswith("urn:") for one in ids)
    assert text(entries[1], "title") == "changed: A title"
    assert text(entries[1], "summary") == "- a\n+ b"


def test_a_json_feed_has_what_its_version_requires() -> None:
    feed = msgspec.json.decode(json_feed([event(1, published=1e9)], "T"))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    item = feed["items"][0]
    assert {"id", "url", "title", "content_text", "date_published"} <= set(item)
    assert item["date_published"] == "2001-09-09T01:46:40.000Z"


@given(st.text(), st.text())
def test_any_title_makes_a_feed_that_can_be_read(title: str, summary: str) -> None:
    data = atom([event(1, title, summary=summary)], title, "urn:x:y", 0.0)
    assert Xml.fromstring(data).tag == f"{{{NAMESPACE}}}feed"
    assert msgspec.json.decode(json_feed([event(1, title, summary=summary)], title))

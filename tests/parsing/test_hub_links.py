"""Where feeds announce their hubs: Link headers, Atom and RSS."""

from __future__ import annotations

import pytest

from foragers.parsing.hub_links import FeedHub, hub_of

URL = "https://site.test/feed"
HUB, TOPIC = "https://hub.test/", "https://site.test/topic.atom"


@pytest.mark.parametrize(
    ("body", "headers", "found"),
    [
        (b"", [f'<{HUB}>; rel="hub", </topic.atom>; rel="self"'], FeedHub(HUB, TOPIC)),
        (b"", [f"<{HUB}>;rel=hub", f'<{TOPIC}>; title="a"; rel="x SELF"'], FeedHub(HUB, TOPIC)),
        (
            b'<feed><link rel="self" href="/topic.atom"/><link rel="hub" href="https://hub.test/"/>'
            b"<entry/></feed>",
            [],
            FeedHub(HUB, TOPIC),
        ),
        (
            b"<rss><channel><link>https://site.test/</link>"
            b'<atom:link rel="hub" href="https://hub.test/"/><item/></channel></rss>',
            [],
            FeedHub(HUB, URL),
        ),
        (
            b'<feed><link rel="hub" href="https://other.test/"/></feed>',
            [f"<{HUB}>; rel=hub"],
            FeedHub(HUB, URL),
        ),
    ],
)
def test_the_hub_of_a_feed_is_found(body: bytes, headers: list[str], found: FeedHub) -> None:
    assert hub_of(body, URL, headers) == found


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<rss><channel><item/></channel></rss>",
        b'<feed><entry><link rel="hub" href="https://hub.test/"/></entry></feed>',
        b'<feed><link rel="hub" href="javascript:alert(1)"/></feed>',
        b'<feed><link rel="hub" href="http://[/"/></feed>',
        b'<feed><!--<link rel="hub" href="https://hub.test/"/>--></feed>',
    ],
)
def test_no_hub_is_made_up(body: bytes) -> None:
    assert hub_of(body, URL) is None

"""Hubs tell a watch of changes, over real HTTP; nothing that is not asked for is taken."""

from __future__ import annotations

import socket
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest

from foragers.errors import UsageError
from foragers.parsing.hub_links import FeedHub
from foragers.strategies.watch.hearing import HUB
from foragers.watching.callbacks import CallbackAddress, CallbackServer
from foragers.watching.subscriptions import FILE, LONGEST_RETRY, Subscription, Subscriptions
from foragers.watching.watch_options import WatchOptions
from foragers.watching.watching import Watching
from support.hub import Hub, delivered, fetched, hub_served
from support.news_site import NewsSite, served

FEED, TOPIC = "http://site.test/feed.xml", "http://site.test/topic"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def options(site: NewsSite, port: int) -> WatchOptions:
    return WatchOptions(
        seeds=(site.url(),),
        allow_private=("127.0.0.1",),
        every="2s",
        requests="100000",
        delay=0.0,
        duration="90s",
        websub=f"http://127.0.0.1:{port}/hubs/",
        websub_listen=f"127.0.0.1:{port}",
    )


def test_a_call_of_a_hub_becomes_a_look_at_the_feed_also_after_a_restart(tmp_path: Path) -> None:
    port = free_port()
    said: list[str] = []
    with hub_served(Hub()) as hub, served(NewsSite(old=20, hub=hub.url)) as site:
        topic = site.url("/feed.xml")

        def calls(watching: Watching) -> int:
            agents = watching.session.ledger.read()
            return sum(one.page.choice.agent == HUB for one in agents)

        def run(wanted: int) -> Watching:
            def see(watching: Watching) -> None:
                if topic in hub.confirmed and len(site.articles) < 20 + wanted:
                    site.publish()
                    assert hub.deliver(topic, secret="wrong") == 202, "WebSub wants no error"
                    assert hub.deliver(topic) == 202
                if watching.new >= wanted and calls(watching) >= wanted:
                    watching.session.live.stop()

            with Watching.open(options(site, port), tmp_path, said.append, lambda _: None) as one:
                one.run(see)
            return one

        first = run(1)
        assert first.new == 1
        assert first.status(0.0).calls == 1, "the call with a wrong signature does not count"
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
        second = run(2)
    assert second.new == 2
    assert [form["hub.topic"] for form in hub.forms] == [topic], "the lease goes on"
    assert hub.forms[0]["hub.callback"].startswith(f"http://127.0.0.1:{port}/hubs/")
    assert said.count(f"the hub {hub.url} tells of changes of {topic}") == 1
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_without_the_option_nothing_listens_and_no_hub_is_asked(tmp_path: Path) -> None:
    with hub_served(Hub()) as hub, served(NewsSite(old=5, hub=hub.url)) as site:
        order = replace(options(site, free_port()), websub=None)
        with Watching.open(order, tmp_path, lambda _: None, lambda _: None) as watching:
            watching.run(lambda one: one.session.live.stop() if one.visits > 5 else None)
    assert watching.websub is None
    assert not hub.forms
    assert not (tmp_path / FILE).exists()


def test_a_hub_that_refuses_is_named_once_and_asked_again_later_each_time() -> None:
    subscriptions = Subscriptions()
    subscriptions.offer(FEED, FeedHub("http://hub.test/", TOPIC))
    times, now = [], 0.0
    for _ in range(12):
        one = subscriptions.due(now)
        assert one is not None
        assert subscriptions.due(now) is None
        subscriptions.failed(one.token, "403", now)
        times.append(one.next_at - now)
        now = one.next_at
    assert times[:3] == [600.0, 1200.0, 2400.0]
    assert times[-1] == LONGEST_RETRY
    assert len(subscriptions.take_said()) == 1


@pytest.fixture
def server() -> Iterator[CallbackServer]:
    subscriptions = Subscriptions()
    subscriptions.offer(FEED, FeedHub("http://hub.test/", TOPIC))
    server = CallbackServer(("127.0.0.1", 0), subscriptions)
    server.start()
    yield server
    server.stop()


def only(server: CallbackServer) -> Subscription:
    (one,) = server.subscriptions.known.values()
    return one


def callback(server: CallbackServer, token: str = "") -> str:
    return f"http://127.0.0.1:{server.server_port}/hubs/{token or only(server).token}"


def asked(server: CallbackServer, **changed: str) -> tuple[int, bytes]:
    fields = {"mode": "subscribe", "topic": TOPIC, "challenge": "x", "lease_seconds": "1000"}
    query = {f"hub.{key}": value for key, value in (fields | changed).items()}
    return fetched(f"{callback(server)}?{urlencode(query)}")


def test_only_what_was_asked_for_is_confirmed(server: CallbackServer) -> None:
    assert asked(server)[0] == 404, "no request was sent yet"
    assert server.subscriptions.due(1.0) is not None
    assert asked(server, topic="http://other.test/")[0] == 404
    assert asked(server, mode="unsubscribe")[0] == 404
    assert asked(server, challenge="x" * 5000)[0] == 404
    assert fetched(callback(server, "guess") + "?hub.mode=subscribe")[0] == 404
    assert only(server).until == 0
    assert asked(server) == (200, b"x")
    lease = only(server)
    assert 700 < lease.next_at - (lease.until - 1000) <= 800, "renewed after four fifths"
    assert asked(server)[0] == 404, "a second confirmation was not asked for"


def test_deliveries_are_taken_only_if_they_are_signed_and_expected(server: CallbackServer) -> None:
    heard = server.subscriptions.take_heard
    secret = only(server).secret
    assert delivered(callback(server), b"<rss/>", secret) == 410, "not confirmed"
    server.subscriptions.due(1.0)
    asked(server)
    for url in (callback(server, "guess"), callback(server) + "x"):
        assert delivered(url, b"<rss/>", secret) == 410
    assert delivered(callback(server), b"<rss/>", "guess") == 202
    assert fetched(callback(server), b"<rss/>", {})[0] == 202, "no signature"
    assert fetched(callback(server), b"x", {"X-Hub-Signature": "md5=" + "0" * 32})[0] == 202
    assert not heard()
    assert delivered(callback(server), b"<html>" + b"x" * 300_000, secret) == 202
    assert heard() == {FEED}
    assert not heard()
    only(server).until = 1.0
    assert delivered(callback(server), b"<rss/>", secret) == 410, "the lease is over"


def test_a_body_without_end_is_not_read(server: CallbackServer) -> None:
    server.subscriptions.due(1.0)
    asked(server)
    for length, status in ((b"99999999999", b"413"), (b"-1", b"411"), (b"1_0", b"411")):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as one:
            head = b"POST /%b HTTP/1.1\r\nContent-Length: %b\r\n\r\n"
            one.sendall(head % (only(server).token.encode(), length))
            assert status in one.makefile("rb").readline()


def test_connections_that_say_nothing_are_cut_off_and_limited(
    server: CallbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foragers.watching.callbacks.DEADLINE", 2.0)
    where = ("127.0.0.1", server.server_port)
    silent = [socket.create_connection(where, timeout=30) for _ in range(16)]
    with socket.create_connection(where, timeout=30) as late:
        assert late.recv(1) == b"", "too many"
    assert all(one.recv(1) == b"" for one in silent), "cut off at the deadline"
    for one in silent:
        one.close()
    assert asked(server)[0] == 404, "it answers again"


def test_a_denied_subscription_is_not_insisted_on(server: CallbackServer) -> None:
    server.subscriptions.due(1.0)
    assert asked(server, mode="denied")[0] == 200
    assert "denies" in server.subscriptions.take_said()[0]
    assert only(server).next_at > LONGEST_RETRY


def test_a_feed_with_another_hub_gets_another_secret() -> None:
    subscriptions = Subscriptions()
    for hub in ("http://one.test/", "http://one.test/", "http://two.test/"):
        subscriptions.offer(FEED, FeedHub(hub, TOPIC))
    (one,) = subscriptions.known.values()
    assert one.hub == "http://two.test/"


@pytest.mark.parametrize(
    ("url", "listen", "named"),
    [
        ("example.org/hub", "127.0.0.1:1", "--websub example.org/hub"),
        ("ftp://example.org/", "127.0.0.1:1", "--websub ftp"),
        ("http://[::1/", "127.0.0.1:1", "--websub http"),
        ("https://example.org/", "8585", "--websub-listen 8585"),
        ("https://example.org/", "localhost:x", "--websub-listen localhost:x"),
    ],
)
def test_wrong_addresses_are_named(url: str, listen: str, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        CallbackAddress.of(url, listen)


def test_a_port_in_use_is_named(server: CallbackServer) -> None:
    with pytest.raises(UsageError, match=f"--websub-listen 127.0.0.1:{server.server_port}"):
        CallbackServer(("127.0.0.1", server.server_port), Subscriptions())

"""The default strategy looks for news on a live web: it comes back, and asks what has changed."""

from __future__ import annotations

import json
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.options import Target
from foragers.crawling.session import Session
from support.crawling import LIMITS, order_of, serving
from support.hostile_server import Connection, reply

LONG_AGO = formatdate(1_000_000_000, usegmt=True)


def front(connection: Connection) -> None:
    """Send a page that is different every time, with one more link."""
    links = "".join(f'<a href="/s{number}">{number}</a>' for number in range(connection.count))
    connection.send(reply(f"<title>{connection.count}</title><a href='/old'>old</a>{links}"))


def steady(connection: Connection) -> None:
    known = connection.headers.get("if-none-match") == '"one"'
    headers = {"etag": '"one"', "last_modified": LONG_AGO}
    body = "<title>steady</title>"
    connection.send(
        reply(b"", "304 Not Modified", kind=None, **headers) if known else reply(body, **headers)
    )


def test_auto_visits_again_what_may_be_news_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stories = {f"/s{number}": steady for number in range(40)}
    with serving({"/": front, "/old": steady, **stories}) as server:
        order = order_of(server.url("/"), budget=40)
        order = replace(order, strategy="auto", aim=Target(new_within="24h"))
        session = Session.open(order, tmp_path, LIMITS)
        session.run()
        session.close()
        asked = [one for one in server.log if not one.path.endswith("robots.txt")]
    visits = [path for path in (one.path for one in asked) if path == "/"]
    assert len(visits) > 5
    assert len(asked) == 40
    again = [one for index, one in enumerate(asked) if one.path in {a.path for a in asked[:index]}]
    validators = [one.headers.get("if-none-match") for one in again if one.path != "/"]
    assert set(validators) <= {'"one"'}
    assert "budget" in session.stopped
    for path in ("/", "/old"):
        assert main(["explain", str(tmp_path), server.url(path), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        if path == "/" or len(found["downloads"]) > 1:
            assert "another visit was expected to bring" in found["reasons"]["says"], path

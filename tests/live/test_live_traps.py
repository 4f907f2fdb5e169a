"""Sites without end: how much of them is downloaded."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from live.crawling import crawl, serving
from live.hostile_server import Connection, page, reply

BUDGET = 1500
SOUND = 60
FILLING = "the quick brown fox jumps over the lazy dog and runs away from all who follow it "


def words_for(seed: object, count: int = 60) -> str:
    """Return words that no other page has."""
    chance = random.Random(str(seed))
    return " ".join("".join(chance.choices("abcdefghijklmnop", k=7)) for _ in range(count))


def calendar(connection: Connection) -> None:
    number = int(re.sub(r"\D", "", connection.path.partition("=")[2]) or 0)
    links = [f"/calendar?month={number + step}" for step in (-1, 1, 12)]
    connection.send(page(*links, words=f"Month {number}: no events. {FILLING}"))


def session_ids(connection: Connection) -> None:
    fresh = random.Random().getrandbits(64)
    topic = re.search(r"\d+", connection.path.partition("?")[0])
    n = int(topic[0]) if topic else 0
    links = [f"/forum/{k}?sid={fresh:016x}" for k in range(5)]
    connection.send(page(*links, words=f"Topic {n} {words_for(n)}"))


def growing(connection: Connection) -> None:
    path = connection.path.rstrip("/")
    connection.send(page(f"{path}/a/b", f"{path}/next", words=f"You are here. {FILLING}"))


def soft_404(connection: Connection) -> None:
    links = [f"/lost/{random.Random().getrandbits(48):x}" for _ in range(5)]
    anchors = "".join(f'<a href="{link}">try this</a> ' for link in links)
    connection.send(reply(f"<title>Sorry</title><p>The page was not found. {FILLING}</p>{anchors}"))


def soft_404_at_random(connection: Connection) -> None:
    chance = random.Random()
    links = [f"/gone/{chance.getrandbits(48):x}" for _ in range(5)]
    anchors = "".join(f'<a href="{link}">{words_for(chance.random(), 3)}</a> ' for link in links)
    connection.send(reply(f"<title>Sorry</title><p>The page was not found.</p>{anchors}"))


def refreshing(connection: Connection) -> None:
    number = int(re.sub(r"\D", "", connection.path) or 0)
    meta = f'<meta http-equiv=refresh content="0;url=/wait?n={number + 1}">'
    connection.send(reply(f"{meta}<title>Wait</title><p>Please wait. {FILLING}"))


def stamped(connection: Connection) -> None:
    chance = random.Random()
    links = [f"/item/{chance.getrandbits(48):x}" for _ in range(5)]
    anchors = "".join(f'<a href="{link}">more</a> ' for link in links)
    connection.send(reply(f"<p>Request {chance.getrandbits(64):x}. {FILLING}</p>{anchors}"))


def pagination(connection: Connection) -> None:
    number = int(re.sub(r"\D", "", connection.path.partition("=")[2]) or 1)
    connection.send(page(f"/list?page={number + 1}", words=f"Page {number}. No results. {FILLING}"))


def tokens(folder: str) -> str:
    """Return links to addresses that were never seen, spelled out."""
    links = [f"/{folder}/{random.Random().getrandbits(40):010x}" for _ in range(6)]
    return "".join(f'<a href="{link}">{link}</a> ' for link in links)


def the_front_page_for_all(connection: Connection) -> None:
    connection.send(reply(f"<title>Welcome</title><p>{words_for('home')}</p>{tokens('any')}"))


def error_that_is_not_named(connection: Connection) -> None:
    connection.send(reply(f"<title>Oops</title><p>Try one of these.</p>{tokens('oops')}"))


def visitors(connection: Connection) -> None:
    number = random.Random().getrandbits(36)
    connection.send(reply(f"<p>You are visitor {number}. {FILLING}</p>{tokens('visit')}"))


TRAPS = {
    "/calendar": calendar,
    "/forum/0": session_ids,
    "/deep": growing,
    "/lost/x": soft_404,
    "/list": pagination,
    "/gone/x": soft_404_at_random,
    "/wait?n=0": refreshing,
    "/item/x": stamped,
    "/any/x": the_front_page_for_all,
    "/oops/x": error_that_is_not_named,
    "/visit/x": visitors,
}
SITES = {"/calendar": calendar, "/forum": session_ids, "/deep": growing, "/lost": soft_404,
         "/list": pagination, "/gone": soft_404_at_random, "/wait": refreshing,
         "/item": stamped, "/any": the_front_page_for_all, "/oops": error_that_is_not_named,
         "/visit": visitors}  # fmt: skip


@pytest.mark.parametrize("start", TRAPS)
def test_a_trap_costs_little_and_the_sound_pages_beside_it_are_reached(
    start, tmp_path: Path
) -> None:
    sound = {f"/sound/{n}": page(f"/sound/{n + 1}", words=words_for(n)) for n in range(SOUND)}

    def trap(connection: Connection) -> None:
        first = "/" + connection.path.lstrip("/").partition("/")[0].partition("?")[0]
        answer = SITES.get(first)
        connection.send(reply(b"<p>no", "404 Not Found")) if answer is None else answer(connection)

    front = page(start, "/sound/0", words="The front page")
    with serving({"/": front, **sound, "*": trap}) as server:
        outcome = crawl(tmp_path, server.url("/"), traps=True, budget=BUDGET)
        assert set(sound) <= set(server.paths)
        assert len(server.log) - SOUND < 450
        assert outcome.stopped == "there is nothing left to fetch"


def test_pages_of_few_words_are_no_copies_where_their_links_are_others(tmp_path: Path) -> None:
    body = "<title>Pictures</title><p>a picture</p><a href=/{}>the next</a>"
    with serving({f"/{n}": reply(body.format(n + 1)) for n in range(12)}) as server:
        outcome = crawl(tmp_path, server.url("/0"), traps=True)
        assert [outcome.status(f"/{n}") for n in range(12)] == ["ok"] * 12


def test_the_same_words_under_other_titles_are_no_copies(tmp_path: Path) -> None:
    words = words_for("all")
    site = {f"/{n}": reply(f"<title>Part {n}</title><p>{words}</p>") for n in range(5)}
    with serving({**site, "/copy": site["/0"]}) as server:
        outcome = crawl(tmp_path, server.url("/"), traps=True)
        assert [outcome.status(f"/{n}") for n in range(5)] == ["ok"] * 5
        assert outcome.reason("/copy") == f"copy of {server.url('/0')}"


def test_what_a_seed_links_to_is_fetched_however_little_it_says(tmp_path: Path) -> None:
    names = [f"/part/{words_for(n, 1)}" for n in range(60)]
    brief = reply("<title>ok</title><p>fine</p>")
    with serving({**dict.fromkeys(names, brief), "/": page(*names)}) as server:
        outcome = crawl(tmp_path, server.url("/"), traps=True)
        assert {outcome.status(name) for name in names} == {"ok"}

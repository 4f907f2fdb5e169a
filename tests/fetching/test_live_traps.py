"""Sites without end: how much of them is downloaded."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from support.crawling import crawl, serving
from support.hostile_server import Answer, Connection, page, reply

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


def days(connection: Connection) -> None:
    """Days that are numbers: each page says no more than where it links to."""
    number = int(connection.path.rpartition("=")[2])
    links = [f"/days?day={number + step}" for step in (-30, -7, -1, 1, 7, 30, 365)]
    connection.send(reply("".join(f'<a href="{link}">{link}</a> ' for link in links)))


def dates(connection: Connection) -> None:
    """Dates: each page says no more than where it links to, which is nothing but numbers."""
    year, day = map(int, connection.path.rpartition("/")[2].split("-"))
    steps = [divmod(365 * year + day + step, 365) for step in range(-20, 21)]
    links = [f"/dates/{y}-{d}" for y, d in steps]
    connection.send(reply("".join(f'<a href="{link}">{link}</a> ' for link in links)))


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
    "/days?day=738000": days,
    "/dates/2024-132": dates,
}
SITES = {"/calendar": calendar, "/forum": session_ids, "/deep": growing, "/lost": soft_404,
         "/list": pagination, "/gone": soft_404_at_random, "/wait": refreshing,
         "/item": stamped, "/any": the_front_page_for_all, "/oops": error_that_is_not_named,
         "/visit": visitors, "/days": days, "/dates": dates}  # fmt: skip


@pytest.mark.parametrize("start", TRAPS)
def test_a_trap_costs_little_and_the_sound_pages_beside_it_are_reached(
    start: str, tmp_path: Path
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


def test_the_links_of_a_seed_are_throttled_when_very_many_brought_nothing(tmp_path: Path) -> None:
    """A trap may be one page of ten thousand links."""
    names = [f"/entry/{n:06}" for n in range(1, 900)]
    brief = reply(f"<title>ok</title><p>{FILLING}</p>")
    sound = {f"/sound/{n}": page(words=words_for(n)) for n in range(SOUND)}
    # The sound pages come last: the throttle of others is none for them.
    site = {**dict.fromkeys(names, brief), "/": page(*names, *sound), **sound}
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/"), traps=True, budget=BUDGET)
        fetched = [path for path in server.paths if path.startswith("/entry")]
        assert 128 <= len(fetched) < 200
        assert {outcome.status(path) for path in sound} == {"ok"}


def test_seeds_are_fetched_however_many_of_them_bring_nothing(tmp_path: Path) -> None:
    names = [f"/entry/{n:06}" for n in range(1, 300)]
    brief = reply(f"<title>ok</title><p>{FILLING}</p>")
    with serving(dict.fromkeys(names, brief)) as server:
        crawl(tmp_path, *map(server.url, names), traps=True, budget=BUDGET)
        assert set(names) <= set(server.paths)


def markov(connection: Connection) -> None:
    """Words in an order that no other page has, and links that no other page has."""
    chance = random.Random(connection.path)
    said = " ".join(chance.choices(FILLING.split(), k=80))
    links = [f"/{chance.choice('abc')}maze/{chance.getrandbits(40)}" for _ in range(6)]
    connection.send(page(*links, "/", "/sound/0", words=said))


def babble(connection: Connection) -> None:
    """Words that no other page has, in folders that no other page has."""
    chance = random.Random(connection.path)
    parts = [words_for((connection.path, n), 2).replace(" ", "/") for n in range(6)]
    links = [f"/{chance.choice('abc')}maze/{part}/" for part in parts]
    connection.send(page(*links, words=words_for(connection.path)))


DOORS = {
    "its own style": '<a style="color: red; display:none" href="{}">more</a>',
    "an attribute": '<div hidden><p><a href="{}">more</a></p></div>',
    "what is around it": '<div style="position:absolute; left:-9999px"><a href="{}">more</a></div>',
    "its size": '<span style="font-size:0"><a href="{}">more</a></span>',
    "its relation": '<a rel="nofollow" href="{}">more</a>',
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("maze", [markov, babble])
def test_made_up_text_behind_hidden_links_gets_a_share_of_its_site(
    maze: Answer, door: str, tmp_path: Path
) -> None:
    """New words and new links for ever; only the way in tells it from a site worth having."""
    sound = {}
    for n in range(SOUND):
        out = door.format(f"/amaze/{n}")
        link = f'<a href="/sound/{n + 1}">next</a>' if n + 1 < SOUND else ""
        sound[f"/sound/{n}"] = reply(f"<title>{n}</title><p>{words_for(n)}</p>{link}{out}")
    site = {"/": page("/sound/0", words="The front page"), **sound, "*": maze}
    with serving(site) as server:
        crawl(tmp_path, server.url("/"), traps=True, budget=700)
        assert set(sound) <= set(server.paths)
        assert sum("maze" in path for path in server.paths) <= 180


def test_a_site_behind_a_menu_that_opens_with_a_click_is_fetched_whole(tmp_path: Path) -> None:
    """The same links are hidden on every page, and no open link leads to any of it."""
    shelves = [f"/shelf/{words_for(n, 1)}" for n in range(40)]
    menu = "".join(f'<li><a href="{shelf}">{shelf}</a></li>' for shelf in shelves)
    menu = f'<ul style="display: none">{menu}</ul>'
    site = {"/": reply(f"<title>Shop</title>{menu}<p>Welcome</p>")}
    for shelf in shelves:
        things = [f"{shelf}/{words_for((shelf, n), 1)}" for n in range(12)]
        shown = "".join(f'<a href="{thing}">{thing}</a> ' for thing in things)
        site[shelf] = reply(f"<title>{shelf}</title>{menu}<p>{words_for(shelf)}</p>{shown}")
        for thing in things:
            site[thing] = reply(f"<title>{thing}</title>{menu}<p>{words_for(thing)}</p>")
    with serving(site) as server:
        crawl(tmp_path, server.url("/"), traps=True, budget=BUDGET)
        assert set(site) <= set(server.paths)


def test_pages_that_only_a_hidden_list_names_are_fetched(tmp_path: Path) -> None:
    names = [f"/story/{words_for(n, 1)}" for n in range(500)]
    hidden = "".join(f'<a href="{name}">{name}</a>' for name in names)
    site = {name: page("/", words=words_for(name)) for name in names}
    site["/"] = reply(f"<title>Stories</title><div hidden>{hidden}</div><p>Welcome")
    with serving(site) as server:
        crawl(tmp_path, server.url("/"), traps=True, budget=BUDGET)
        assert set(names) <= set(server.paths)

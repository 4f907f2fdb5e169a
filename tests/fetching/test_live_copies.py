"""What must not be lost: what copies lead to, and pages first met with slashes too many."""

import random
from pathlib import Path

from support.crawling import crawl, serving
from support.hostile_server import reply


def words_for(seed: str) -> str:
    """Return words that no other page has."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices("abcdefghijklmnop", k=7)) for _ in range(60))


def test_the_links_of_a_copy_are_followed_since_they_lead_elsewhere(tmp_path: Path) -> None:
    contents = f"<title>Manual</title><p>{words_for('contents')}</p>"
    contents += "".join(f"<a href={n}.html>chapter {n}</a>" for n in range(5))
    chapters = {
        f"/{version}/{n}.html": reply(f"<p>{words_for(f'{version} {n}')}</p>")
        for version in ("old", "new")
        for n in range(5)
    }
    indexes = {"/old/": reply(contents), "/new/": reply(contents)}
    start = {"/": reply("<a href=/old/>old</a><a href=/new/>new</a>")}
    with serving({**start, **indexes, **chapters}) as server:
        outcome = crawl(tmp_path, server.url("/"), traps=True)
        assert outcome.reason("/new/") == f"copy of {server.url('/old/')}"
        assert {outcome.status(path) for path in chapters} == {"ok"}


def test_a_page_is_found_that_was_first_met_with_slashes_too_many(tmp_path: Path) -> None:
    start = reply("<a href=.//docs/>wrong</a><a href=/docs/>right</a>")
    missing = reply(b"<p>no", "404 Not Found")
    with serving({"/": start, "/docs/": reply("<p>here"), "//docs/": missing}) as server:
        outcome = crawl(tmp_path, server.url("/"))
        assert [path for path in server.paths if "docs" in path] == ["//docs/", "/docs/"]
        assert outcome.status("//docs/") == "ok"

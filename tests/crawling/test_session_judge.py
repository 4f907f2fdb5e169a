"""A live crawl with the judge of words: what it lets pass is said, kept and explained."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.options import Target
from foragers.crawling.session import Session
from foragers.reports.crawl_folder import opened
from foragers.reports.explain import explain
from foragers.reports.html_report import report
from foragers.reports.retell import telling_of
from support.crawling import LIMITS, end_as_if_killed, order_of, serving
from support.hostile_server import page

GOOD, OTHERS = 12, 140
TOPIC = "solar panels, page"


def site() -> dict[str, bytes]:
    """Return some pages about the topic among others; all have one of its words."""
    pages = {}
    for number in range(GOOD + OTHERS):
        good = number % 12 == 5 and number < 12 * GOOD
        words = "page about a solar panel on a roof " * (1 + number % 3) if good else "a page"
        pages[f"/p{number}"] = page(words=f"{words} {number}")
    return pages


def crawled(folder: Path, seed: str, budget: int, killed: bool = False) -> Session:
    order = order_of(seed, aim=Target(TOPIC), budget=budget, concurrency=1)
    session = Session.open(order, folder, LIMITS)
    session.run()
    if killed:
        session.ledger.commit()
        end_as_if_killed(session)
    else:
        session.close()
    return session


def judged(folder: Path) -> list[tuple[str, float, int]]:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        rows = ledger.execute("SELECT url, relevance, relevant FROM pages ORDER BY number")
        return rows.fetchall()


def test_a_crawl_says_what_its_judge_lets_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tmp_path / "told.json"
    with serving(site()) as server:
        options = ["--topic", TOPIC, "--delay", "0", "--no-warc", "--strategy", "breadth-first"]
        options += ["--allow-private", "127.0.0.0/8", "--json", str(told), "--out", str(tmp_path)]
        assert main(["crawl", server.url("/"), *options, "--no-traps"]) == 0
    pages = 1 + GOOD + OTHERS
    found = json.loads(told.read_text())["judge"]
    assert (found["passing"], found["pages"]) == (GOOD, pages)
    assert found["common"] == ["page"]
    said = capsys.readouterr().out
    assert f"of the {pages} pages so far" in said
    assert "“page” is on more than 40% of the pages" in said
    assert json.loads((tmp_path / "crawl.json").read_text())["judge"] == found
    with opened(tmp_path) as folder:
        assert f"The judge lets pass {GOOD} of the {pages} pages so far" in report(folder)


def test_a_crawl_that_was_interrupted_or_killed_judges_alike(tmp_path: Path) -> None:
    with serving(site()) as server:
        whole = crawled(tmp_path / "whole", server.url("/"), 200)
        crawled(tmp_path / "parts", server.url("/"), 60)
        crawled(tmp_path / "parts", server.url("/"), 110, killed=True)
        parts = crawled(tmp_path / "parts", server.url("/"), 200)
    assert judged(tmp_path / "parts") == judged(tmp_path / "whole")
    assert parts.standing == whole.standing
    # At first nobody knows how common a word of the topic is.
    assert GOOD <= sum(relevant for _, _, relevant in judged(tmp_path / "whole")) <= 40


def test_explain_names_the_words_and_comes_to_the_same_relevance(tmp_path: Path) -> None:
    with serving(site()) as server:
        crawled(tmp_path, server.url("/"), 200)
        wanted = server.url("/p125")
    ((_, relevance, _),) = (row for row in judged(tmp_path) if row[0] == wanted)
    with opened(tmp_path) as folder:
        found = explain(folder, wanted, telling_of(folder, None))
    assert found.judged is not None
    assert found.judged.worth == relevance
    names = [part.name.partition(":")[0] for part in found.judged.parts]
    assert sorted(names[:4]) == ["“page”", "“panels”", "“solar panels”", "“solar”"]
    assert names[4:] == ["words learned from the best pages"]

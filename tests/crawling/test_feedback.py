"""Feedback teaches the judge of a crawl, at the same place when it is resumed or explained."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.options import Target
from foragers.crawling.feedback import GIVEN, LEARNED, Remark, lessons, read_lines, remark
from foragers.crawling.session import Session
from foragers.errors import UsageError
from foragers.reports.crawl_folder import opened
from foragers.reports.explain import explain
from foragers.reports.retell import telling_of
from support.crawling import LIMITS, end_as_if_killed, order_of, serving
from support.hostile_server import page

PAGES = 140
EARLY = 40


def site() -> dict[str, bytes]:
    """Return pages of professors, who never say the topic's word, and of others."""
    found = {}
    for number in range(PAGES):
        kind = "professor office lecture" if number % 5 == 0 else "guitar concert ticket"
        word = "faculty " if number in (3, 11) else ""
        found[f"/p{number}"] = page(words=f"{word}{kind} {number}")
    return found


def crawled(folder: Path, seed: str, budget: int, killed: bool = False) -> Session:
    order = order_of(seed, aim=Target("faculty"), budget=budget, concurrency=1)
    session = Session.open(order, folder, LIMITS)
    for _ in session.steps():
        if len(session.ledger) == EARLY and not (folder / GIVEN).exists():
            session.ledger.commit()
            for path in ("p0", "p5", "p10"):
                assert main(["feedback", str(folder), f"{seed}{path}", "--more"]) == 0
            assert main(["feedback", str(folder), f"{seed}p1", "--not-this"]) == 0
    if killed:
        session.ledger.commit()
        end_as_if_killed(session)
    else:
        session.close()
    return session


def judged(folder: Path) -> dict[str, float]:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        rows = ledger.execute("SELECT url, relevance FROM pages ORDER BY number")
        return {str(url).rpartition("/")[2]: float(relevance) for url, relevance in rows}


def test_a_running_crawl_learns_from_feedback(tmp_path: Path) -> None:
    with serving(site()) as server:
        session = crawled(tmp_path, server.url("/"), 200)
    assert [(one.more, one.after) for one in lessons(tmp_path)] == [
        (True, EARLY), (True, EARLY), (True, EARLY), (False, EARLY),
    ]  # fmt: skip
    assert sum("more pages like" in line for line in session.notices()) == 3
    after = judged(tmp_path)
    threshold = session.crawl.judge.threshold
    assert after["p20"] == 0  # a professor before anybody said so
    assert after["p120"] >= threshold > after["p121"]


def test_a_resumed_crawl_learns_it_at_the_same_place(tmp_path: Path) -> None:
    with serving(site()) as server:
        crawled(tmp_path / "whole", server.url("/"), 200)
        crawled(tmp_path / "parts", server.url("/"), 20)
        crawled(tmp_path / "parts", server.url("/"), 60, killed=True)
        crawled(tmp_path / "parts", server.url("/"), 100)
        crawled(tmp_path / "parts", server.url("/"), 200)
        wanted = server.url("/p120")
    assert judged(tmp_path / "parts") == judged(tmp_path / "whole")
    with opened(tmp_path / "parts") as folder:
        found = explain(folder, wanted, telling_of(folder, None)).judged
    assert found is not None
    assert found.worth == judged(tmp_path / "parts")["p120"]
    assert "told of 4 pages whether they are wanted" in found.note
    assert found.parts[-1].name == "words learned from pages that you named"


def test_feedback_between_two_crawls_is_learned_when_the_second_begins(tmp_path: Path) -> None:
    with serving(site()) as server:
        crawled(tmp_path, server.url("/"), 30)
        remark(tmp_path, Remark(server.url("/p0"), 2, True))
        crawled(tmp_path, server.url("/"), 35)
    assert [one.after for one in lessons(tmp_path)] == [30]


def test_a_line_that_is_not_complete_is_left_for_later(tmp_path: Path) -> None:
    file = tmp_path / LEARNED
    assert list(read_lines(file)) == []
    remark(tmp_path, Remark("http://a.test/", 3, False))
    (tmp_path / GIVEN).rename(file)
    with file.open("a") as stream:
        stream.write('{"url": "http://a.te')
    assert list(read_lines(file)) == [Remark("http://a.test/", 3, False)]
    file.write_text(json.dumps({"url": 3}) + "\n")
    with pytest.raises(UsageError, match="line 1"):
        list(read_lines(file))

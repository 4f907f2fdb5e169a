"""Every strategy has a page of the same form, and one result on the same webs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from foragers.strategies.registry import STRATEGIES

PAGES = Path(__file__).resolve().parents[2] / "docs" / "strategies"
PARTS = (
    r"\*\*Idea\.\*\*",
    r"\*\*Source\.\*\*",
    r"\*\*Parameters?\b|\| parameter",
    r"\*\*Use it\*\*",
)
ROW = re.compile(r"^\| \[([\w-]+)\]\([\w-]+\.md\) \| (\d+)( %)? \| (.+?) \|", re.MULTILINE)
CLOSED = re.compile(r"closes (\d+) % \((.+?)\)")
FOUND = re.compile(r"finds (\d+) new pages")


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_page_has_the_parts_of_all_others(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    missing = [part for part in PARTS if not re.search(part, text)]
    assert not missing, f"{name}.md has no {missing}"
    assert "**On the same webs**" in text


def test_pages_say_what_the_table_says() -> None:
    rows = ROW.findall((PAGES / "README.md").read_text(encoding="utf-8"))
    told = {(name, bool(share)): (number, interval) for name, number, share, interval in rows}
    assert {name for name, _ in told} == set(STRATEGIES)
    for (name, share), (number, interval) in told.items():
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        if name in ("breadth-first", "optimal"):
            assert "one end of the scale" in text
        elif share:
            assert CLOSED.findall(text) == [(number, interval)], name
        else:
            assert FOUND.findall(text) == [number], name

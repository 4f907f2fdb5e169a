"""The pages of exhibits have all of them, and nothing of theirs is taken for Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from website.exhibits import page

from foragers.evaluation.tables import Exhibits, Figure, Measured, Table, Verdict
from foragers.papers.request import PAPERS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_a_page_has_verdicts_figures_and_tables() -> None:
    exhibits = Exhibits(
        "spider",
        "A paper",
        {"worlds": "generated, seed 0"},
        [Table("table-1", "Table 1", ("a|b", "ours"), [("x*y*", Measured(0.5, 0.1, 3))], "Note.")],
        [Figure("figure-1", "Fig. 1", {}, lambda _: None, "Read it so.")],
        [Verdict("A is <b>better</b>", True, "p = 0.01"), Verdict("B", None, "", "few runs")],
    )
    text = page(exhibits, "foragers reproduce spider")
    assert "1 hold, 0 do not hold, and 1 cannot be told." in text
    assert r"| A is \<b\>better\</b\> | holds | p = 0.01 |" in text
    assert r"| x\*y\* | 0.500 ± 0.100 |" in text
    assert r"| a\|b | ours |" in text
    assert "![Fig. 1](spider/figure-1.png)" in text
    assert "foragers reproduce spider" in text


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_its_exhibits_and_says_how_they_were_made(paper: str) -> None:
    text = (DOCS / "exhibits" / f"{paper}.md").read_text(encoding="utf-8")
    figures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert figures
    assert {f"{paper}/{file.name}" for file in (DOCS / "exhibits" / paper).iterdir()} == set(
        figures
    )
    assert re.search(r"^\d+ hold, \d+ do not hold, and \d+ cannot be told\.$", text, re.MULTILINE)
    assert f"foragers reproduce {paper}" in text

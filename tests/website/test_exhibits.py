"""The pages of exhibits have all of them, and nothing of theirs is taken for Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from website.exhibits import copied, page

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
    assert r"- **holds**: A is \<b\>better\</b\> (p = 0.01)" in text
    assert "- **cannot be told**: B (few runs)" in text
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


def test_a_figure_keeps_its_colours(tmp_path: Path) -> None:
    colours = [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167)]
    drawn = Image.new("RGB", (1720, 860), "white")
    for row, colour in enumerate(colours):
        drawn.paste(colour, (0, 100 + 60 * row, 1720, 104 + 60 * row))
    drawn.save(tmp_path / "drawn.png")
    copied(tmp_path / "drawn.png", tmp_path / "small.png")
    with Image.open(tmp_path / "small.png") as small:
        shown = np.asarray(small.convert("RGB"), np.int64).reshape(-1, 3)
    for wanted in colours:
        assert np.abs(shown - wanted).sum(axis=1).min() < 40, wanted

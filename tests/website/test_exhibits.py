"""The pages of exhibits have all of them, and nothing of theirs is taken for Markdown."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from website.exhibits import copied, page

from foragers.evaluation.tables import Exhibits, Figure, Measured, Table, Verdict
from foragers.papers.request import PAPERS
from support.exhibit_audit import of_row

DATA = re.compile(r"Data: \[[^\]]+\]\(([^)]+\.csv)\)\.")
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
    assert headings(text) == ["Table 1", "Fig. 1", "Claims of the paper"]


def headings(text: str) -> list[str]:
    return re.findall(r"^## (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_its_exhibits_and_says_how_they_were_made(paper: str) -> None:
    text = (DOCS / "exhibits" / f"{paper}.md").read_text(encoding="utf-8")
    figures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert figures
    there = {f"{paper}/{file.name}" for file in (DOCS / "exhibits" / paper).iterdir()}
    assert {file for file in there if file.endswith(".png")} == set(figures)
    assert {file for file in there if file.endswith(".csv")} == set(DATA.findall(text))
    assert re.search(r"^\d+ hold, \d+ do not hold, and \d+ cannot be told\.$", text, re.MULTILINE)
    assert f"foragers reproduce {paper}" in text


@pytest.mark.parametrize("paper", PAPERS)
def test_the_main_table_and_figure_come_first_and_the_claims_after(paper: str) -> None:
    text = (DOCS / "exhibits" / f"{paper}.md").read_text(encoding="utf-8")
    table, figure, claims, *_ = text.split("\n## ")[1:]
    assert claims.startswith("Claims of the paper\n")
    assert "\n| " in table
    assert "\n![" in figure


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_of_a_page_is_in_its_csv(paper: str) -> None:
    text = (DOCS / "exhibits" / f"{paper}.md").read_text(encoding="utf-8")
    rows: list[list[str]] = []
    faults, compared = [], 0
    for line in text.splitlines():
        if line.startswith("| "):
            rows.append([unescaped(cell) for cell in re.split(r" (?<!\\)\| ", line[2:-2])])
        elif line.startswith("- **"):
            rows.append([unescaped(line)])
        if (data := DATA.search(line)) is not None:
            with (DOCS / "exhibits" / data[1]).open(encoding="utf-8", newline="") as lines:
                head, *written = csv.reader(lines)
            faults += of_part(data[1], rows, head, written)
            compared += len(rows)
            rows = []
    assert faults == []
    assert not rows, "rows without a file"
    assert compared > 30


def of_part(
    name: str, rows: list[list[str]], head: list[str], written: list[list[str]]
) -> list[str]:
    """Return the faults of a table, or of a list of claims, beside its file."""
    if name.endswith("/claims.csv"):
        wanted = [told(dict(zip(head, row, strict=True))) for row in written]
        return [
            f"{row} is not {want}" for (row,), want in zip(rows, wanted, strict=True) if row != want
        ]
    columns, *shown = rows
    if len(shown) != len(written):
        return [f"{name}: {len(shown)} rows on the page, {len(written)} in the file"]
    # Columns of one name differ by spaces in the file.
    head = [" ".join(column.split()) for column in head]
    pairs = zip(shown, written, strict=True)
    return [fault for ours, row in pairs for fault in of_row(name, columns, ours, head, row)]


def told(claim: dict[str, str]) -> str:
    """Return the line of a claim."""
    why = "; ".join(filter(None, (claim["world"], claim["statistic"], claim["reason"])))
    return f"- **{claim['verdict']}**: {claim['claim']} ({why})"


def unescaped(text: str) -> str:
    """Return a text without the signs that keep it from being Markdown."""
    return re.sub(r"\\([\\|*_`\[\]<>])", r"\1", text).strip()


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

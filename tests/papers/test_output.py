"""What is written of exhibits can be read again, by people and machines."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure as Drawing
from rich.console import Console

from foragers.cli.main import main
from foragers.evaluation.tables import (
    Cell,
    Exhibits,
    Figure,
    Measured,
    Table,
    Verdict,
    number,
    worded,
)
from foragers.papers.output import read_exhibits, show, write_exhibits
from foragers.papers.pages import grid, page, whole
from support.exhibit_audit import faults_of


def draw(drawing: Drawing) -> None:
    axes = drawing.subplots()
    axes.plot([1, 2], [3, 4], label="a line")
    axes.set(xlabel="x", ylabel="y")
    axes.legend()


EXHIBITS = Exhibits(
    "selection",
    "Made <again>",
    {"world": "generated & small"},
    [
        Table(
            "table-2",
            "Table 2: totals",
            ("measure", "ours", "paper"),
            [("sent", Measured.of([9.0, 11.0]), 9747), ("age", None, 1.79)],
            "A <note>.",
        )
    ],
    [Figure("figure-1", "Fig. 1", {"x": [1, 2], "y": [3, 4]}, draw)],
    [Verdict("WL ≥ RL", False, "t = 0.3", "too few runs")],
)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "–"),
        ("a", "a"),
        (1234567, "1,234,567"),
        (0.0045, "0.00450"),
        (0.248, "0.248"),
        (1.789, "1.79"),
        (0.0, "0.00"),
        (540636.0, "540,636"),
        (Measured(540636.4, 9840.2, 3), "540,636 ± 9,840"),
        (Measured(0.2481, 0.0123, 3), "0.248 ± 0.012"),
        (Measured(5.0, 0.0, 1), "5.00"),
        (Measured(0.0, 0.0, 2), "0.00 ± 0"),
        (float("nan"), "–"),
    ],
)
def test_numbers_have_the_decimals_they_deserve(cell: Cell, text: str) -> None:
    assert worded(cell) == text


def test_a_mean_and_its_deviation_are_those_of_the_runs() -> None:
    found = Measured.of([1.0, 2.0, 4.0])
    assert found.mean == pytest.approx(7 / 3)
    assert found.std == pytest.approx(1.5275252)
    assert Measured.of([3.0]) == Measured(3.0, 0.0, 1)


def test_everything_is_written(tmp_path: Path) -> None:
    write_exhibits(EXHIBITS, tmp_path)
    rows = list(csv.reader((tmp_path / "table-2.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["measure", "ours", "ours std", "paper"]
    assert [row[0] for row in rows[1:]] == ["sent", "age"]
    assert [float(cell) for cell in rows[1][1:3]] == pytest.approx([10, 2**0.5])
    assert rows[2] == ["age", "", "", "1.79"]
    assert (tmp_path / "figure-1.csv").read_text() == "x,y\n1,3\n2,4\n"
    assert (tmp_path / "figure-1.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads((tmp_path / "exhibits.json").read_text())
    assert told["tables"][0]["rows"][0][1] == {
        "mean": 10.0,
        "std": pytest.approx(2**0.5),
        "runs": 2,
    }
    assert told["verdicts"][0]["holds"] is False
    html = (tmp_path / "report.html").read_text()
    for text in ("Made &lt;again&gt;", "generated &amp; small", "does not hold", "A &lt;note&gt;"):
        assert text in html
    assert html.count("<svg") == 1


def test_without_matplotlib_figures_are_left_out_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("foragers.cli.reproduce.reproduce", lambda *_: EXHIBITS)
    assert main(["reproduce", "selection", "--out", str(tmp_path / "out")]) == 0
    assert "pip install 'foragers[plots]'" in capsys.readouterr().out
    html = (tmp_path / "out" / "report.html").read_text()
    assert "<svg" not in html
    assert "Data: figure-1.csv" in html
    assert (tmp_path / "out" / "figure-1.csv").exists()


def test_the_same_exhibits_give_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_exhibits(EXHIBITS, tmp_path / folder)
    for file in sorted((tmp_path / "a").iterdir()):
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_the_terminal_shows_tables_and_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    show(EXHIBITS, Console(width=80))
    shown = capsys.readouterr().out
    for text in ("Table 2: totals", "10.0 ± 1.4", "9,747", "WL ≥ RL", "does not hold"):
        assert text in shown
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_two_exhibits_never_share_a_file(tmp_path: Path) -> None:
    table, figure = EXHIBITS.tables[0], EXHIBITS.figures[0]
    both = replace(EXHIBITS, figures=[replace(figure, name=table.name)])
    with pytest.raises(ValueError, match="table-2"):
        write_exhibits(both, tmp_path)
    assert not list(tmp_path.iterdir())


def test_every_number_of_the_page_is_in_a_csv(tmp_path: Path) -> None:
    write_exhibits(EXHIBITS, tmp_path)
    rows = list(csv.reader((tmp_path / "claims.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[1] == ["WL ≥ RL", "", "does not hold", "t = 0.3", "", "too few runs"]
    assert (tmp_path / "settings.csv").read_text() == "setting,value\nworld,generated & small\n"
    assert faults_of(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("10.0 ± 1.4", "10.1 ± 1.4", "Table 2: totals: '10.1 ± 1.4' of 'sent' is 10.0 there"),
        ("9,747", "9,748", "Table 2: totals: '9,748' of 'sent' is 9747 there"),
        ("A &lt;note&gt;.", "A note of 7.", "in no file: Table 2: totals: A note of 7."),
        ("t = 0.3", "t = 0.4", "claim not in the file: ['WL ≥ RL', 'does not hold', 't = 0.4'"),
        ("generated &amp; small", "large", "table without a file under 'Made <again>'"),
    ],
)
def test_a_number_that_is_in_no_csv_is_found(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    write_exhibits(EXHIBITS, tmp_path)
    file = tmp_path / "report.html"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    assert [one[: len(fault)] for one in faults_of(tmp_path)] == [fault]


def test_exhibits_can_be_read_back(tmp_path: Path) -> None:
    write_exhibits(EXHIBITS, tmp_path)
    again = read_exhibits(tmp_path)
    assert again.tables == EXHIBITS.tables
    assert again.verdicts == EXHIBITS.verdicts
    assert [one.name for one in again.figures] == ["figure-1"]
    assert page(again, tmp_path) == (tmp_path / "report.html").read_text()


def test_what_is_no_number_can_be_read_back(tmp_path: Path) -> None:
    nothing = Measured.of([float("nan"), 1.0])
    rows: list[tuple[Cell, ...]] = [("age", nothing, float("nan"))]
    table = Table("t", "Nothing", ("measure", "ours", "paper"), rows)
    write_exhibits(replace(EXHIBITS, tables=[table]), tmp_path)
    (again,) = read_exhibits(tmp_path).tables
    assert [worded(cell) for cell in again.rows[0]] == ["age", "–", "–"]


def test_files_of_an_earlier_reproduction_do_not_stay(tmp_path: Path) -> None:
    write_exhibits(EXHIBITS, tmp_path)
    write_exhibits(replace(EXHIBITS, figures=[]), tmp_path)
    assert not list(tmp_path.glob("figure-1.*"))
    assert (tmp_path / "table-2.csv").exists()


def test_the_page_shows_the_main_table_and_figure_before_the_claims(tmp_path: Path) -> None:
    write_exhibits(EXHIBITS, tmp_path)
    html = (tmp_path / "report.html").read_text()
    order = [html.index(text) for text in ("Table 2: totals", "<svg", "Claims of the paper")]
    assert order == sorted(order)


def test_a_wide_table_is_printed_in_parts_that_keep_words_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    columns = ("measure", *(f"unbreakable{number}" for number in range(8)))
    rows: list[tuple[Cell, ...]] = [
        ("sent efficiency", *(Measured.of([0.123, 0.456]) for _ in range(8)))
    ]
    show(replace(EXHIBITS, tables=[Table("t", "Wide", columns, rows)]), Console(width=60))
    shown = capsys.readouterr().out
    assert all(column in shown for column in columns)
    assert shown.count("0.289 ± 0.235") == 8
    assert shown.count("sent efficiency") > 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("paired t-test, p = 2.4e-06", "paired <span>t-test,</span> p = <span>2.4e-06</span>"),
        ("<b>-x", "<span>&lt;b&gt;-x</span>"),
        ("topics-12000-seed0 and 3 - 2", "topics-12000-seed0 and 3 - 2"),
    ],
)
def test_words_and_numbers_do_not_break_at_a_hyphen(text: str, shown: str) -> None:
    assert whole(text).replace("<span class=whole>", "<span>") == shown


def test_pictures_within_figures_are_shown(tmp_path: Path) -> None:
    def heat(drawing: Drawing) -> None:
        drawing.subplots().imshow([[0.0, 1.0], [2.0, 3.0]])

    shown = replace(EXHIBITS, figures=[Figure("figure-1", "Heat", {"x": [1]}, heat)])
    write_exhibits(shown, tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'xlink:href="data:image/png' in text
    policy = text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    assert "img-src data:" in policy.split("; ")


@pytest.mark.parametrize(("columns", "wide"), [(3, False), (7, False), (8, True)])
def test_only_tables_that_need_it_are_set_smaller(columns: int, wide: bool) -> None:
    row = ("0.0123 ± 0.001",) * columns  # 14 characters, and two for the gap
    assert ("scroll wide" in grid(("efficiency",) * columns, [row])) is wide


def test_texts_that_may_break_do_not_make_a_table_wide() -> None:
    row = ("what this is about, told at some length, in many words", "0.5")
    assert "wide" not in grid(("about", "share of the pages of one forager only"), [row] * 3)


@pytest.mark.parametrize(
    ("value", "shown"), [(-0.031, "−0.0310"), (-1234.5, "−1,234"), (0.031, "0.0310"), (-3, "−3")]
)
def test_negative_numbers_have_a_true_minus(value: float, shown: str) -> None:
    assert number(value) == shown

"""Charts: marks stand where their numbers say, and words are never markup."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from foragers.evaluation.plots.chart import Axis, Band, Bars, Line, Panel, Strokes, chart, percent

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*marks: Line | Band | Bars | Strokes) -> ElementTree.Element:
    panel = Panel(Axis("downloads", 0, 10), Axis("pages", 0, 4), list(marks))
    return ElementTree.fromstring(chart([panel], 400, 300, "test"))


def corners(element: ElementTree.Element) -> list[list[float]]:
    return [[float(n) for n in pair.split(",")] for pair in element.attrib["points"].split()]


def test_a_line_goes_from_corner_to_corner_of_its_axes() -> None:
    line = drawn(Line([0, 10], [0, 4], "#000000")).find(f"{SVG}polyline")
    assert line is not None
    (left, bottom), (right, top) = corners(line)
    assert right == pytest.approx(400 - 16)
    assert top == pytest.approx(8)
    assert bottom == pytest.approx(300 - 40)
    assert 30 < left < 60


def test_bars_are_as_high_as_their_numbers() -> None:
    bars = drawn(Bars([0, 5], [5, 5], [1, 3], "#123456")).findall(f"{SVG}rect")
    low, high = (float(bar.attrib["height"]) for bar in bars)
    assert high == pytest.approx(3 * low, abs=0.3)
    ground = {round(float(bar.attrib["y"]) + float(bar.attrib["height"])) for bar in bars}
    assert ground == {260}


def test_a_band_lies_between_its_lines() -> None:
    band = drawn(Band([0, 10], [1, 1], [2, 3], "#000000")).find(f"{SVG}polygon")
    assert band is not None
    heights = [260 - y for _, y in corners(band)]
    assert heights == pytest.approx([126, 189, 63, 63], abs=0.1)


def test_names_are_in_the_legend_and_axes_have_labels() -> None:
    words = list(drawn(Line([0, 1], [0, 1], "#000000", "auto")).itertext())
    assert {"auto", "downloads", "pages", "0", "10", "4"} <= set(words)


def test_words_are_never_markup() -> None:
    panel = Panel(Axis("<b>", 0, 1), Axis("&", 0, 1), [Line([0], [0], "#000000", "<script>")])
    words = "".join(ElementTree.fromstring(chart([panel], 90, 90, '"', "<i>")).itertext())
    assert "<script>" in words
    assert "<b>" in words


def without_sign(value: float) -> str:
    return f"{abs(value):g}"


@pytest.mark.parametrize(
    ("axis", "labels"),
    [
        (Axis("", 0, 100), ["0", "20", "40", "60", "80", "100"]),
        (Axis("", 0, 1), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (Axis("", 0, 2, whole=True), ["0", "1", "2"]),
        (Axis("", -3, 5, show=without_sign, whole=True), ["2", "0", "2", "4"]),
        (Axis("", 0, 0.1, show=percent), ["0%", "2%", "4%", "6%", "8%", "10%"]),
        (Axis("", 0, 3000, "symlog"), ["0", "5", "10", "100", "1,000"]),
        (Axis("", 0.5, 2000, "log"), ["1", "10", "100", "1,000"]),
        (Axis("", 0, 0), ["0"]),
    ],
)
def test_ticks_are_at_round_numbers(axis: Axis, labels: list[str]) -> None:
    assert [label for _, label in axis.ticks(5)] == labels


def test_a_symlog_axis_goes_on_where_its_linear_part_ends() -> None:
    axis = Axis("", 0, 1000, "symlog")
    assert axis.shares([0, 5, 10, 100, 1000]).tolist() == pytest.approx([0, 1 / 6, 1 / 3, 2 / 3, 1])


def test_panels_below_each_other_share_their_labels() -> None:
    x = Axis("downloads", 0, 10)
    panels = [Panel(x, Axis("above", 0, 1)), Panel(x, Axis("below", 0, 1))]
    words = list(ElementTree.fromstring(chart(panels, 400, 300, "two")).itertext())
    assert words.count("downloads") == 1
    assert {"above", "below"} <= set(words)


def test_the_same_data_give_the_same_text() -> None:
    one, other = (ElementTree.tostring(drawn(Line([0, 3], [1, 2], "#000000"))) for _ in "ab")
    assert one == other

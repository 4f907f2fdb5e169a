"""The degree plot: the same bytes for the same data, and no world without a picture."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from rich.console import Console

from foragers.cli.world.info import info
from foragers.errors import UsageError
from foragers.evaluation.graph.degrees import Degrees, degrees
from foragers.evaluation.plots.degrees import binned, plot_degrees
from support.worlds_by_hand import small_world

SAMPLE = degrees(np.random.default_rng(0).zipf(2.2, 500))
NONE = degrees(np.zeros(3, np.int64))


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_degrees_give_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    files = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for file in files:
        plot_degrees(SAMPLE, SAMPLE, file, "a world")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_users_own_settings_change_nothing(tmp_path: Path) -> None:
    plot_degrees(SAMPLE, SAMPLE, tmp_path / "a.png")
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 20}):
        plot_degrees(SAMPLE, SAMPLE, tmp_path / "b.png")
        assert matplotlib.rcParams["font.size"] == 20
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_name_without_suffix_gives_both_formats(tmp_path: Path) -> None:
    plot_degrees(SAMPLE, SAMPLE, tmp_path / "degrees")
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".png", ".svg"]


@pytest.mark.parametrize("sample", [NONE, degrees(np.array([1, 1])), degrees(np.array([3, 9]))])
def test_few_links_or_none_can_be_drawn(tmp_path: Path, sample: Degrees) -> None:
    plot_degrees(sample, NONE, tmp_path / "few.svg", "costs $5")


def test_small_degrees_have_a_bin_each_and_empty_bins_are_left_out() -> None:
    ks, counts = np.array([1, 2, 3, 10, 50, 1000]), np.array([50.0, 20, 10, 5, 2, 1])
    middles, means = binned(ks, counts)
    assert middles[:3] == pytest.approx([1, 2, 3])
    assert means[:3] == pytest.approx([50, 20, 10])
    assert len(middles) == 6
    assert middles[-1] <= 1000


def test_another_suffix_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        info(small_world({"a": []}), None, tmp_path / "plot.jpg", Console(file=io.StringIO()))


def test_without_matplotlib_the_message_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install 'foragers\[plots\]'"):
        plot_degrees(SAMPLE, SAMPLE, tmp_path / "plot.png")


@pytest.mark.parametrize("sample", [SAMPLE, NONE, degrees(np.array([1, 1]))])
def test_without_matplotlib_there_is_an_svg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: Degrees
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plot_degrees(sample, sample, tmp_path / "plot.svg", "a <world>")
    picture = ElementTree.fromstring((tmp_path / "plot.svg").read_text(encoding="utf-8"))
    assert "a <world>" in "".join(picture.itertext())
    assert ("in-links" in "".join(picture.itertext())) == (sample is not NONE)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        plot_degrees(SAMPLE, SAMPLE, tmp_path / "nowhere" / "plot.png")


def test_world_info_fits_80_columns_and_writes_what_it_found(tmp_path: Path) -> None:
    world = small_world({"a": ["b", "c"], "b": ["a"], "c": []}, later=[(1e5, "b", ["c"])])
    out = io.StringIO()
    info(world, tmp_path / "info.json", tmp_path / "plot.png", Console(file=out, width=80))
    assert max(len(line) for line in out.getvalue().splitlines()) <= 80
    assert "…" not in out.getvalue()
    assert '"pages": 3' in (tmp_path / "info.json").read_text()
    assert (tmp_path / "plot.png").exists()

"""One look for all plots, and the same bytes for the same data.

    with figure(path) as drawing:
        axes = drawing.subplots()
        axes.plot(xs, ys, color=COLOURS[0])

The figure is written when the block ends: as PNG or SVG by the name of the file, as
both if it has no suffix.  matplotlib is an optional dependency and imported only here,
without pyplot, so that no window, backend or global figure is involved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from foragers.errors import UsageError
from foragers.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#000000")
"""Told apart by the colour-blind too (Okabe and Ito)."""

STYLE: dict[str, str | float | bool] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.labelcolor": "#222222",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "font.size": 10,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "savefig.dpi": 150,
    # Names inside an SVG are drawn at random unless salted.
    "svg.hashsalt": "foragers",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
}

UNDATED: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Creator": None, "Date": None},
}


def check(path: Path) -> None:
    """Say now, before long work, if a plot could not be written to the file."""
    if path.suffix and path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: a plot is written as .png or .svg; change the file's suffix")
    if find_spec("matplotlib") is None:
        raise UsageError("plots need matplotlib: pip install 'foragers[plots]'")


@contextmanager
def figure(path: Path, width: float = 6.4, height: float = 4.2) -> Iterator[Figure]:
    """Give an empty figure of so many inches, in our style, and write it when it is drawn."""
    check(path)
    from matplotlib import style
    from matplotlib.figure import Figure

    # From the defaults, since the user's own settings would change the bytes.
    with style.context(["default", STYLE]):
        drawing = Figure(figsize=(width, height), layout="constrained")
        yield drawing
        save(drawing, path)


def save(drawing: Figure, path: Path) -> None:
    """Write a figure in the format of the file, or in all of them."""
    files = [path] if path.suffix else [path.with_name(path.name + suffix) for suffix in FORMATS]
    for file in files:
        suffix = file.suffix.lower()
        with replacing(file) as out:
            drawing.savefig(out, format=suffix[1:], metadata=UNDATED[suffix])

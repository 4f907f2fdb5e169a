"""One look for all plots, and the same bytes for the same data.

    with figure(path) as drawing:
        axes = drawing.subplots()
        axes.plot(xs, ys, color=COLOURS[0])

The figure is written when the block ends: as PNG or SVG by the name of the file, as
both if it has no suffix.  matplotlib is an optional dependency and imported only here,
without pyplot, so that no window, backend or global figure is involved.  Where it is not
installed, `chart.py` draws the plots that every user sees, as SVG.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from foragers.core.files import replacing, write
from foragers.errors import UsageError
from foragers.evaluation.plots.chart import COLOURS as COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")

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
    # Names inside an SVG are random unless salted.
    "svg.hashsalt": "foragers",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
}

UNDATED: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Creator": None, "Date": None},
}


LEFT_OUT = "need matplotlib: pip install 'foragers[plots]'"
"""The message for plots that cannot be drawn."""


def have_matplotlib() -> bool:
    """Return whether matplotlib can be used."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def check(path: Path) -> None:
    """Raise a UsageError now, before long work, if a plot could not be written to a file."""
    if path.suffix and path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: a plot is written as .png or .svg; change the file's suffix")
    if path.suffix.lower() == ".png" and not have_matplotlib():
        raise UsageError(f"{path}: plots as PNG {LEFT_OUT}; or name a file that ends in .svg")


@contextmanager
def figure(path: Path, width: float = 6.4, height: float = 4.2) -> Iterator[Figure]:
    """Yield an empty figure of some inches, in our style, and write it when it is drawn."""
    check(path)
    if not have_matplotlib():
        raise UsageError(f"{path}: plots of this kind {LEFT_OUT}")
    from matplotlib import style
    from matplotlib.figure import Figure

    # From the defaults, since the user's settings would change the bytes.
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


def sketch(svg: str, path: Path) -> Path:
    """Write a chart that was drawn without matplotlib, and return the file."""
    file = path if path.suffix else path.with_name(f"{path.name}.svg")
    write(file, svg.encode() + b"\n")
    return file

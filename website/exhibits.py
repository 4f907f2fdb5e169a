"""Pages of the exhibits of reproduced papers: tables, verdicts and figures, for the site.

    python -m website.exhibits REPRODUCED "COMMAND"

writes docs/exhibits/PAPER.md, its figures and the CSV files of its tables from the folder that a
command, such as `foragers reproduce spider --scale 0.1`, has made.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from foragers.evaluation.tables import Exhibits, Figure, Table, judged, worded
from foragers.papers.output import read_exhibits

OUT = Path(__file__).resolve().parents[1] / "docs" / "exhibits"
COLOURS = 128
"""Colours of a figure: lines and bands, with their edges."""
WIDTH = 860
"""Pixels of a figure."""


def page(exhibits: Exhibits, command: str) -> str:
    """Return the page of a paper."""
    return "\n".join(parts(exhibits, command)).rstrip() + "\n"


def parts(exhibits: Exhibits, command: str) -> Iterator[str]:
    """Yield the lines of the page: the main table and figure, the claims, and the rest."""
    name = exhibits.paper
    yield f"# Exhibits: {name}\n"
    yield (
        f"All tables, figures and verdicts of one reproduction of *{exhibits.title}*, as the"
        f" command wrote them. [What they mean](../reproducing-{name}.md), what the paper leaves"
        " open, and larger runs are on a page of their own.\n"
    )
    yield f"```\n{command}\n```\n"
    yield from table(("setting", "value"), list(exhibits.settings.items()))
    yield data(name, "settings")
    for one in exhibits.tables[:1]:
        yield from table_part(name, one)
    for figure in exhibits.figures[:1]:
        yield from figure_part(name, figure)
    yield from claims_part(exhibits)
    for figure in exhibits.figures[1:]:
        yield from figure_part(name, figure)
    for one in exhibits.tables[1:]:
        yield from table_part(name, one)
    yield from (f"{note}\n" for note in exhibits.notes)


def claims_part(exhibits: Exhibits) -> Iterator[str]:
    """Yield what became of each claim, with its world, statistic and reason."""
    yield "## Claims of the paper\n"
    held = [one.holds for one in exhibits.verdicts]
    counts = [held.count(one) for one in (True, False, None)]
    yield "{} hold, {} do not hold, and {} cannot be told.\n".format(*counts)
    for verdict in exhibits.verdicts:
        why = "; ".join(filter(None, (verdict.world, verdict.statistic, verdict.reason)))
        yield f"- **{judged(verdict)}**: {plain(verdict.claim)} ({plain(why)})"
    yield ""
    yield data(exhibits.paper, "claims")


def figure_part(paper: str, figure: Figure) -> Iterator[str]:
    """Yield a figure with its title and note."""
    yield f"## {figure.title}\n"
    yield f"![{plain(figure.title)}]({paper}/{figure.name}.png)\n"
    if figure.note:
        yield f"{figure.note}\n"


def table_part(paper: str, one: Table) -> Iterator[str]:
    """Yield a table with its title, its note and where its numbers are."""
    yield f"## {one.title}\n"
    yield from cells(one)
    yield f"{one.note} {data(paper, one.name)}".lstrip()


def data(paper: str, name: str) -> str:
    """Return where the numbers above are."""
    return f"Data: [{name}.csv]({paper}/{name}.csv).\n"


def cells(one: Table) -> Iterator[str]:
    """Yield the lines of a table of the paper."""
    return table(one.columns, [[worded(cell) for cell in row] for row in one.rows], "--:")


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], others: str = "---"
) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(plain(one) for one in headings)} |"
    yield f"|---|{'|'.join([others] * (len(headings) - 1))}|"
    for row in rows:
        yield f"| {' | '.join(plain(cell) for cell in row)} |"
    yield ""


def plain(text: str) -> str:
    """Return a text in which nothing is Markdown."""
    for sign in "\\|*_`[]<>":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def copied(picture: Path, out: Path) -> None:
    """Write a figure in few colours, so that the repository stays small."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(picture) as image:
        height = round(image.height * WIDTH / image.width)
        small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
        # An octree keeps thin lines of different colours apart; the median cut joins them.
        few = small.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(out, optimize=True)


def main(folder: Path, command: str) -> None:
    """Write the page of the exhibits in a folder, its figures and its tables."""
    exhibits = read_exhibits(folder)
    place = OUT / exhibits.paper
    for old in (*place.glob("*.png"), *place.glob("*.csv")):
        old.unlink()
    for figure in exhibits.figures:
        copied(folder / f"{figure.name}.png", place / f"{figure.name}.png")
    for name in ("settings", "claims", *(one.name for one in exhibits.tables)):
        told = (folder / f"{name}.csv").read_text(encoding="utf-8").replace(f"{folder}/", "")
        (place / f"{name}.csv").write_text(told, encoding="utf-8")
    text = page(exhibits, command).replace(plain(f"{folder}/"), "")
    (OUT / f"{exhibits.paper}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

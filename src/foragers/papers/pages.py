"""Exhibits as HTML: the page of one paper, and one page with all of them.

The paper's main table and figure come first, then the claims, then everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from foragers.evaluation.plots.canvas import LEFT_OUT, have_matplotlib
from foragers.evaluation.tables import Exhibits, Figure, Table, Verdict, judged, worded
from foragers.reports.html import document

LONG = 24
"""Cells with more characters than this are text, and stand on the left."""
WIDE = 115
"""Characters, with two for each gap, from which on a table is set smaller."""

WHOLE = """<style>
body { max-width: 96rem; } td, th { overflow-wrap: normal; word-break: normal; hyphens: none; }
td.number, th.number { white-space: nowrap; } th.number { white-space: normal; }
td.text, th.text { overflow-wrap: normal; } nav a { margin-right: 1.2rem; }
.whole { white-space: nowrap; }
td.holds { color: var(--good); } td.not { color: var(--bad); } td.open { color: var(--mark); }
td.holds, td.not, td.open { white-space: nowrap; text-align: left; font-weight: 600; }
.scroll + .scroll { margin-top: 1.6rem; }
.wide table { font-size: .8rem; } .wide td, .wide th { padding: .3rem; }
.wide td.text, .wide td.text:first-child { min-width: 3.5rem; }
.few td.text, .few td.text:first-child { min-width: 5rem; }
h2 { scroll-margin-top: 1rem; } svg { max-width: 52rem; } section { margin: 4rem 0; }
@media (max-width: 34rem) {
  .claims tr:first-child, .few th:last-child, .few td:last-child { display: none; }
  .claims td { display: block; border: 0; padding: .15rem 0; max-width: none; }
  .claims tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  .claims td:first-child { font-weight: 600; } .claims td:empty { display: none; } }
</style>"""
HYPHENED = re.compile(r"(?<!\S)[^\s-]{1,12}-[^\s-]{1,12}(?!\S)")
"""A word with one hyphen, or a number such as 2.4e-06; longer names may break."""
CLASSES = {True: "holds", False: "not", None: "open"}


def page(exhibits: Exhibits, out: Path) -> str:
    """Return one page with every table, figure and verdict of a paper."""
    return document(exhibits.title, WHOLE + section(exhibits, out))


def index(papers: Mapping[str, tuple[Exhibits, Path]]) -> str:
    """Return one page with the exhibits of all papers, each with a link to it at the top."""
    links = " ".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name in papers)
    parts = [WHOLE, "<h1>The papers, made again</h1>", f"<nav>{links}</nav>", summary(papers)]
    for name, (exhibits, folder) in papers.items():
        parts.append(f'<section id="{escape(name)}">{section(exhibits, folder, name)}</section>')
    return document("The papers, made again", "\n".join(parts))


def summary(papers: Mapping[str, tuple[Exhibits, Path]]) -> str:
    """Return how many claims of each paper hold."""
    rows = []
    for name, (exhibits, _) in papers.items():
        counts = [sum(one.holds is held for one in exhibits.verdicts) for held in CLASSES]
        rows.append((name, *map(str, counts), exhibits.title))
    heads = "paper", "hold", "do not hold", "cannot be told", "title"
    return f'<div class="few">{grid(heads, rows)}</div>'


def section(exhibits: Exhibits, out: Path, prefix: str = "") -> str:
    """Return the exhibits of a paper: the main table and figure, the claims, and the rest."""
    about = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in exhibits.settings.items()
    )
    parts = [f"<h1>{escape(exhibits.title)}</h1>", f'<table class="about">{about}</table>']
    parts += [table_part(table, prefix) for table in exhibits.tables[:1]]
    parts += [figure_part(shown, out, prefix) for shown in exhibits.figures[:1]]
    if exhibits.verdicts:
        parts.append("<h2>Claims of the paper</h2>")
        parts += [by_world(exhibits.verdicts), claims(exhibits.verdicts)]
        parts.append(note(f"Data: {place(prefix, 'claims.csv')}."))
    parts += [table_part(table, prefix) for table in exhibits.tables[1:]]
    parts += [figure_part(shown, out, prefix) for shown in exhibits.figures[1:]]
    parts += [note(text) for text in exhibits.notes]
    return "\n".join(parts)


def table_part(table: Table, prefix: str) -> str:
    """Return a table with its title and note."""
    rows = [tuple(worded(cell) for cell in row) for row in table.rows]
    file = place(prefix, table.name)
    told = f"{table.note} Data: {file}.csv, LaTeX: {file}.tex."
    return f"<h2>{escape(table.title)}</h2>{grid(table.columns, rows)}{note(told.strip())}"


def figure_part(shown: Figure, out: Path, prefix: str) -> str:
    """Return a figure with its title and note."""
    told = f"{shown.note} Data: {place(prefix, shown.name)}.csv."
    return f"<h2>{escape(shown.title)}</h2>{picture_of(shown, out)}{note(told.strip())}"


def place(prefix: str, name: str) -> str:
    """Return where a file lies, seen from the page."""
    return f"{prefix}/{name}" if prefix else name


def by_world(verdicts: Sequence[Verdict]) -> str:
    """Return claims that were judged on several worlds: a row a claim, a column a world."""
    found: dict[str, dict[str, Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.claim, {})[verdict.world] = verdict
    several = {claim: worlds for claim, worlds in found.items() if len(worlds) > 1}
    if not several:
        return ""
    worlds = list(dict.fromkeys(world for judged_on in several.values() for world in judged_on))
    head = line("th", ("claim", *worlds), text=len(worlds) + 1)
    rows = "".join(
        f"<tr><td class=text>{whole(claim)}</td>"
        + "".join(outcome(judged_on.get(world)) for world in worlds)
        + "</tr>"
        for claim, judged_on in several.items()
    )
    return f'<div class="scroll"><table>{head}{rows}</table></div>'


def outcome(verdict: Verdict | None) -> str:
    """Return a cell with what became of a claim."""
    if verdict is None:
        return "<td class=text>–</td>"
    return f'<td class="{CLASSES[verdict.holds]}">{judged(verdict)}</td>'


def claims(verdicts: Sequence[Verdict]) -> str:
    """Return every verdict with its world, its statistic and its reason."""
    columns = ["claim", "verdict", "statistic"]
    has_world = any(one.world for one in verdicts)
    has_reason = any(one.reason for one in verdicts)
    columns += ["world"] * has_world + ["reason"] * has_reason
    rows = "".join(
        f"<tr><td class=text>{whole(one.claim)}</td>{outcome(one)}"
        f"<td class=text>{whole(one.statistic)}</td>"
        + (f"<td class=text>{whole(one.world)}</td>" if has_world else "")
        + (f"<td class=text>{whole(one.reason)}</td>" if has_reason else "")
        + "</tr>"
        for one in verdicts
    )
    head = line("th", columns, text=len(columns))
    return f'<div class="scroll claims"><table>{head}{rows}</table></div>'


def picture_of(shown: Figure, out: Path) -> str:
    """Return the picture of a figure, or where its data are if it could not be drawn."""
    file = out / f"{shown.name}.svg"
    if not have_matplotlib() or not file.exists():
        return note(f"There is no figure: figures {LEFT_OUT}.")
    picture = file.read_text(encoding="utf-8")
    return picture[picture.index("<svg") :]


def note(text: str) -> str:
    """Return a remark in small print."""
    return f'<p class="note">{escape(text)}</p>' if text else ""


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; columns of text stand on the left, numbers on the right."""
    held = [tuple(row) for row in rows]
    texts = [not at or any(not is_number(row[at]) for row in held) for at in range(len(headings))]
    lines = [cells("th", headings, texts), *(cells("td", row, texts) for row in held)]
    size = " wide" if width(headings, held, texts) > WIDE else ""
    return f'<div class="scroll{size}"><table>{"".join(lines)}</table></div>'


def width(headings: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> int:
    """Return about how many characters wide a table is; headings and texts may break."""
    longest = [max(map(len, heading.split()), default=0) for heading in headings]
    for row in rows:
        for at, cell in enumerate(row):
            longest[at] = max(longest[at], min(len(cell), LONG) if texts[at] else len(cell))
    return sum(longest) + 2 * len(headings)


def cells(kind: str, row: Sequence[str], texts: Sequence[bool]) -> str:
    """Return one row of a table."""
    held = "".join(
        f"<{kind} class={'text' if text else 'number'}>{whole(cell)}</{kind}>"
        for cell, text in zip(row, texts, strict=True)
    )
    return f"<tr>{held}</tr>"


def whole(text: str) -> str:
    """Return a text for a cell, in which no word or number breaks at a hyphen."""
    return HYPHENED.sub(r"<span class=whole>\g<0></span>", escape(text))


def line(kind: str, row: Sequence[str], text: int) -> str:
    """Return one row of a table whose first columns are text."""
    return cells(kind, row, [at < text for at in range(len(row))])


def is_number(text: str) -> bool:
    """Return whether a cell holds a number, or one of our marks for none."""
    return len(text) < LONG and (not text or text[0].isdigit() or text[0] in "-–−+.")

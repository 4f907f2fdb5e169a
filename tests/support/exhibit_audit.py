"""Every number on a page of exhibits against the CSV file that is said to hold it.

The page is read as a browser would, and its parts are compared with the files beside it: settings,
claims, the cells of each table row by row, titles and notes.  What belongs to no file is a fault.
"""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

Rows = list[list[str]]


class Page(HTMLParser):
    """The parts of a page in order: headings and remarks, and tables by their cells."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[str, str | Rows]] = []
        self._hidden = 0
        self._rows: Rows | None = None
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("svg", "style", "title"):
            self._hidden += 1
        elif tag == "table":
            self._rows = []
        elif tag == "tr" and self._rows is not None:
            self._rows.append([])
        elif tag in ("td", "th", "h1", "h2", "p"):
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("svg", "style", "title"):
            self._hidden -= 1
        elif tag == "table":
            self.parts.append(("table", self._rows or []))
            self._rows = None
        elif tag in ("td", "th", "h1", "h2", "p") and self._text is not None:
            text, self._text = "".join(self._text), None
            if self._rows is not None:
                self._rows[-1].append(text)
            else:
                self.parts.append((tag, text))

    def handle_data(self, data: str) -> None:
        if self._text is not None and not self._hidden:
            self._text.append(data)


def faults_of(folder: Path) -> list[str]:
    """Return what is on the page of a folder and not in its files."""
    page = Page()
    page.feed((folder / "report.html").read_text(encoding="utf-8"))
    notes = {(row["title"], row["note"]) for row in read(folder / "notes.csv")}
    settings = [[row["setting"], row["value"]] for row in read(folder / "settings.csv")]
    claims = read(folder / "claims.csv")
    faults: list[str] = []
    title, tables = "", []
    for kind, part in page.parts:
        if isinstance(part, list):
            tables.append(part)
        elif kind in ("h1", "h2"):
            faults += [f"table without a file under {title!r}" for _ in tables]
            title, tables = part, []
        else:
            faults += of_remark(folder, title, tables, part, notes, claims)
            tables = []
        if kind == "table" and title in {t for t, n in notes if n == ""} and part == settings:
            tables.clear()
    return faults


def of_remark(
    folder: Path,
    title: str,
    tables: list[Rows],
    text: str,
    notes: set[tuple[str, str]],
    claims: list[dict[str, str]],
) -> list[str]:
    """Return the faults of the tables above a remark, which names their file."""
    named = re.search(r" ?Data: (\S+)\.csv(?:, LaTeX: \S+\.tex)?\.$", text)
    if named is None:
        return [] if ("", text) in notes else [f"remark in no file: {text}"]
    if named[1] == "claims":
        return [fault for table in tables for fault in of_claims(table, claims)]
    faults = [] if (title, text[: named.start()]) in notes else [f"in no file: {title}: {text}"]
    with (folder / f"{named[1]}.csv").open(encoding="utf-8", newline="") as lines:
        head, *written = csv.reader(lines)
    if not tables:  # a figure
        return faults if written else [*faults, f"{title}: no data in {named[1]}.csv"]
    (table,) = tables
    if len(table) - 1 != len(written):
        return [*faults, f"{title}: {len(table) - 1} rows, {len(written)} in the file"]
    for shown, row in zip(table[1:], written, strict=True):
        faults += of_row(title, table[0], shown, head, row)
    return faults


def of_row(
    title: str, columns: list[str], shown: list[str], head: list[str], row: list[str]
) -> list[str]:
    """Return the faults of one row: in the file a deviation has a column of its own."""
    place, faults = 0, []
    for column, cell in zip(columns, shown, strict=True):
        if head[place] != column:
            return [f"{title}: column {column!r} is {head[place]!r} in the file"]
        has_std = head[place + 1 : place + 2] == [f"{column} std"]
        mean, _, std = cell.partition(" ± ") if has_std else (cell, "", "")
        right = mean == row[place] or is_rounded(mean, row[place])
        if std:
            right = right and is_rounded(std, row[place + 1])
        faults += [] if right else [f"{title}: {cell!r} of {shown[0]!r} is {row[place]} there"]
        place += 1 + has_std
    return faults if place == len(row) else [*faults, f"{title}: the file has more columns"]


def of_claims(table: Rows, claims: list[dict[str, str]]) -> list[str]:
    """Return the faults of a table of verdicts: by world, or with statistics."""
    head, *rows = table
    if "statistic" in head:
        wanted = [[claim[column] for column in head] for claim in claims]
        return [f"claim not in the file: {row}" for row in rows if row not in wanted]
    known = {(claim["claim"], claim["world"]): claim["verdict"] for claim in claims}
    return [
        f"verdict not in the file: {row[0]}, {world}"
        for row in rows
        for world, verdict in zip(head[1:], row[1:], strict=True)
        if known.get((row[0], world), "–") != verdict
    ]


def is_rounded(shown: str, value: str) -> bool:
    """Return whether a number is that of the file, to its own last digit."""
    if shown == "–":
        return value in ("", "nan")
    try:
        number, exact = float(shown.replace(",", "").replace("−", "-")), float(value)
    except ValueError:
        return False
    decimals = len(shown.partition(".")[2])
    return abs(number - exact) <= 0.5000001 * 10.0**-decimals


def read(file: Path) -> list[dict[str, str]]:
    """Return the rows of a file by column."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))

"""Tables of exhibits in LaTeX: one `tabular` a file, to be input in a paper of yours.

They need the package booktabs.  Figures are written as PNG and SVG by `papers.output`.
"""

from __future__ import annotations

from collections.abc import Sequence

from foragers.evaluation.tables import Table, worded

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "²": r"$^2$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "ρ": r"$\rho$",
    "γ": r"$\gamma$",
    "α": r"$\alpha$",
    "λ": r"$\lambda$",
    "∝": r"$\propto$",
    "×": r"$\times$",
}


def table_latex(table: Table) -> str:
    """Return a table as a `tabular`, with its title and note as comments."""
    columns = "l" + "r" * (len(table.columns) - 1)
    lines = [
        f"% {one_line(table.title)}",
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        row(table.columns),
        "\\midrule",
        *(row([worded(cell) for cell in cells]) for cells in table.rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    if table.note:
        lines.append(f"% {one_line(table.note)}")
    return "\n".join(lines) + "\n"


def row(cells: Sequence[str]) -> str:
    """Return one row."""
    return " & ".join(escaped(cell) for cell in cells) + r" \\"


def escaped(text: str) -> str:
    """Return a text in which no character means anything to LaTeX."""
    return "".join(SPECIAL.get(char, char) for char in one_line(text))


def one_line(text: str) -> str:
    """Return a text without line ends, which would end a comment or a row."""
    return " ".join(text.split())

"""Tables in LaTeX."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foragers.evaluation.tables import Measured, Table
from foragers.papers.latex import SPECIAL, escaped, table_latex


def test_a_table_is_a_tabular_with_rules() -> None:
    rows = [("sent & read", Measured.of([9.0, 11.0])), ("age_h", None)]
    table = Table("t", "Totals, 50 %", ("measure", "ours"), rows, "A\nnote.")
    assert table_latex(table).splitlines() == [
        "% Totals, 50 %",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"measure & ours \\",
        r"\midrule",
        r"sent \& read & 10.0 $\pm$ 1.4 \\",
        r"age\_h & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% A note.",
    ]


@given(st.text())
def test_no_text_can_mean_anything_to_latex(text: str) -> None:
    written = escaped(text)
    for mark in sorted(SPECIAL.values(), key=len, reverse=True):
        written = written.replace(mark, "")
    assert not set(written) & set("\\&%$#_{}~^\n")

"""Formulas in TeX become MathML when the site is built."""

from __future__ import annotations

import re
from html import unescape

from latex2mathml.converter import convert

MARKED = re.compile(
    r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>',
    re.DOTALL,
)


class FormulaError(ValueError):
    """A formula that cannot be read."""


def drawn(html: str) -> str:
    """Return a page with its formulas as MathML."""
    return MARKED.sub(as_mathml, html)


def as_mathml(match: re.Match[str]) -> str:
    """Return one formula as MathML: in a line of its own if it was written so."""
    kind, opening, text = match[1], match[2], unescape(match[3]).strip()
    try:
        formula = convert(text, display="block" if opening == "[" else "inline")
    except Exception as error:
        raise FormulaError(f"{text}: {error!r}") from error
    return f'<{kind} class="formula">{formula}</{kind}>'

"""The page of settings that no option sets, made from the settings classes and their comments."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).resolve().parents[1] / "src"
INTRODUCTION = """\
# Settings

Every number that tunes behaviour is a field of a frozen settings class. Most users never change
one; options of the [command line](commands.md) come first. From Python, pass another settings
object, made with `dataclasses.replace`.

*Guess* means that nobody has measured another value, *memory* that a value bounds the memory, and
*CPU* that it bounds the work. This page is made from the code.

"""


def page() -> str:
    """Return the page, one section for each settings class."""
    return INTRODUCTION + "\n".join(
        section
        for file in sorted((SRC / "foragers").rglob("*.py"))
        if "Settings" in file.read_text(encoding="utf-8")
        for section in sections(file)
    )


def sections(file: Path) -> Iterator[str]:
    """Give the tables of the settings classes in a module."""
    text = file.read_text(encoding="utf-8")
    module = ".".join(file.relative_to(SRC).with_suffix("").parts)
    remarks = comments(text)
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
            rows = [row(child, remarks) for child in node.body if isinstance(child, ast.AnnAssign)]
            if rows:
                says = (ast.get_docstring(node) or "").partition("\n\n")[0]
                head = "| field | default | meaning, and source |\n|---|---|---|"
                yield f"## {node.name}\n\n`{module}`: {says}\n\n{head}\n" + "\n".join(rows) + "\n"


def comments(text: str) -> dict[int, str]:
    """Return the comments of a module by line."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        token.start[0]: token.string.lstrip("# ")
        for token in tokens
        if token.type == tokenize.COMMENT
    }


def row(field: ast.AnnAssign, remarks: dict[int, str]) -> str:
    """Return the row of a field: its name, its default, and the comment beside it."""
    lines = range(field.lineno, (field.end_lineno or field.lineno) + 1)
    said = " ".join(remarks[line] for line in lines if line in remarks)
    value = ast.unparse(field.value) if field.value is not None else "–"
    cells = (f"`{ast.unparse(field.target)}`", f"`{value}`", said)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

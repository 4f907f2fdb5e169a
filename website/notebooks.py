"""Notebooks as pages: texts, code and the stored results of the code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def as_markdown(notebook: Path) -> str:
    """Return a notebook as Markdown."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in parts(cell)) + "\n"


def parts(cell: dict[str, Any]) -> Iterator[str]:
    """Give the source of a cell, and what running it gave."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield shown(output)


def shown(output: dict[str, Any]) -> str:
    """Return a result: as HTML or a picture if it has one, else as text."""
    if "text" in output:
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output.get("data", {})
    if "text/html" in data:
        html = " ".join("".join(data["text/html"]).split("\n"))
        return f'<div class="result">{html}</div>'
    if "image/svg+xml" in data:
        return f'<div class="result">{"".join(data["image/svg+xml"])}</div>'
    return f"```text\n{''.join(data.get('text/plain', '')).rstrip()}\n```"

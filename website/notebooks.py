"""Notebooks as pages: texts, code and the stored results of the code.

`python -m website.notebooks FILE` runs a notebook and stores its results.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient


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
        return f'<div class="shown">{html}</div>'
    if "image/svg+xml" in data:
        return f'<div class="shown">{"".join(data["image/svg+xml"])}</div>'
    return f"```text\n{''.join(data.get('text/plain', '')).rstrip()}\n```"


def execute(notebook: Path) -> None:
    """Run a notebook in a kernel of its own, and store it with its results."""
    cells: Any = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(cells, timeout=600, kernel_name="python3").execute()
    for cell in cells.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":  # a display that shows nothing is that of a progress bar
            cell.outputs = [one for one in cell.outputs if one.output_type != "display_data"]
    nbformat.write(cells, notebook)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        execute(Path(name))

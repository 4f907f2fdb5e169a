"""Packages are layers: each imports only those above it, in the order of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "foragers"
LAYERS = (
    *("core", "urls", "text", "frontier", "parsing", "http", "judges", "filters", "storage"),
    *("strategies", "worlds", "fetching", "rendering", "evaluation", "training", "crawling"),
    *("reports", "papers", "testing", "cli"),
)
EXCEPTIONS = {
    ("core.content", "urls"),
    ("crawling.stopping", "reports"),
    ("fetching.live", "rendering"),
    ("judges.build", "worlds"),
    ("strategies.automata.saved", "worlds"),
    ("strategies.fleet.simulation.web", "worlds"),
    ("text.state", "worlds"),
}
"""Imports against the order, module and package; this list may only get shorter."""


def imported(source: str) -> Iterator[str]:
    """Give the packages of ours that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            top, _, rest = name.partition(".")
            if top == "foragers" and rest:
                yield rest.partition(".")[0]


def against_the_order() -> set[tuple[str, str]]:
    """Return the modules that import a package below their own."""
    found = set()
    for file in SRC.rglob("*.py"):
        parts = file.relative_to(SRC).with_suffix("").parts
        if parts[0] in LAYERS:
            below = LAYERS[LAYERS.index(parts[0]) + 1 :]
            packages = set(imported(file.read_text(encoding="utf-8")))
            found |= {(".".join(parts), package) for package in packages.intersection(below)}
    return found


def test_packages_import_only_packages_above_them() -> None:
    assert against_the_order() <= EXCEPTIONS, against_the_order() - EXCEPTIONS


def test_exceptions_that_are_no_longer_needed_are_removed() -> None:
    assert against_the_order() >= EXCEPTIONS, EXCEPTIONS - against_the_order()


def test_every_package_is_a_layer() -> None:
    packages = {folder.name for folder in SRC.iterdir() if (folder / "__init__.py").exists()}
    assert packages == set(LAYERS)


def test_architecture_lists_the_layers_in_this_order() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = text.partition("## Layers")[2].split("```")[1]
    assert tuple(re.findall(r"^  (\w+)", block, re.MULTILINE)) == LAYERS


def test_imports_are_found_wherever_they_are() -> None:
    source = "import foragers.urls.table\ndef f():\n    from foragers import cli\nimport os\n"
    assert set(imported(source)) == {"urls", "cli"}

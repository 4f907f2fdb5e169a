"""The modules of the package and what they import, read from their syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
FILES = sorted((SRC / "foragers").rglob("*.py"))


def name_of(file: Path) -> str:
    """Return the dotted name of a module."""
    parts = file.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in FILES}


@cache
def tree_of(module: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def lines_in(module: str) -> int:
    """Return how many lines a module has."""
    return len(MODULES[module].read_text(encoding="utf-8").splitlines())


def nodes_at_run_time(node: ast.AST, lazy: bool = True) -> Iterator[ast.AST]:
    """Go through a tree without the branches for the type checker.

    Without `lazy`, the module's `__getattr__` is left out too, which loads things on demand.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        if not lazy and isinstance(child, ast.FunctionDef) and child.name == "__getattr__":
            continue
        yield child
        yield from nodes_at_run_time(child, lazy)


@cache
def imports_of(module: str, lazy: bool = True) -> frozenset[str]:
    """Return the dotted names that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in nodes_at_run_time(tree_of(module), lazy):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            assert node.module is not None
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found)


@cache
def imported_by(module: str) -> frozenset[str]:
    """Return our modules that a module imports from; a package only for its own names."""
    found: set[str] = set()
    for node in nodes_at_run_time(tree_of(module)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else str(node.module) for name in names}
    return frozenset(found & MODULES.keys() - {module})

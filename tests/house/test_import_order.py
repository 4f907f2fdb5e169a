"""The layout: packages in layers, no cycles, folders and modules of a readable size."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from support.modules import MODULES, ROOT, imported_by, lines_in, tree_of

LAYERS = (
    *("core", "urls", "text", "frontier", "parsing", "http", "judges", "filters", "storage"),
    *("strategies", "worlds", "fetching", "rendering", "evaluation", "training", "crawling"),
    *("reports", "watching", "papers", "testing", "scrapy", "urlfrontier", "gym", "mcp", "serve"),
    "cli",
)
"""The packages in their order: a module imports from its own package and those before it."""

ANYWHERE = {"compiled", "errors", "version"}
"""Modules beside the packages that every package may import."""

MAX_MODULES = 15
FEWEST_LINES = 60
"""A shorter module with one importer, in its own folder, is part of its importer."""


def package_of(module: str) -> str:
    """Return the package of a module, or the name of a module beside the packages."""
    return module.split(".")[1] if "." in module else ""


def points_down(module: str, target: str) -> bool:
    """Say whether an import points at a later layer, or from a package at the API."""
    own, other = package_of(module), package_of(target)
    if own not in LAYERS or other in ANYWHERE:
        return False
    return other not in LAYERS or LAYERS.index(other) > LAYERS.index(own)


def test_every_package_has_its_place_among_the_layers() -> None:
    packages = {package_of(module) for module in MODULES if module.count(".") > 1}
    assert packages == set(LAYERS)


def test_architecture_lists_the_layers_in_this_order() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = text.partition("## Layers")[2].split("```")[1]
    assert tuple(re.findall(r"^  (\w+)", block, re.MULTILINE)) == LAYERS


def test_an_import_of_a_later_layer_is_recognised() -> None:
    assert points_down("foragers.core.content", "foragers.urls.table")
    assert points_down("foragers.crawling.session", "foragers.api")
    assert points_down("foragers.crawling.session", "foragers")
    assert not points_down("foragers.urls.table", "foragers.core.types")
    assert not points_down("foragers.core.loop", "foragers.errors")


def test_imports_point_at_earlier_layers() -> None:
    wrong = [
        f"{module} imports {target}, which belongs to a later layer"
        for module in MODULES
        for target in imported_by(module)
        if points_down(module, target)
    ]
    assert not wrong, "\n".join(wrong)


def cycle_in(graph: Mapping[str, Iterable[str]]) -> str:
    """Return a cycle of imports as a line; nothing if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " → ".join(reversed(error.args[1]))
    return ""


def test_a_cycle_is_recognised() -> None:
    assert cycle_in({"a": ["b"], "b": ["c"], "c": ["a"]})
    assert not cycle_in({"a": ["b", "c"], "b": ["c"]})


def test_no_modules_import_each_other_in_a_circle() -> None:
    found = cycle_in({module: imported_by(module) for module in MODULES})
    assert not found, found


def test_folders_hold_few_modules() -> None:
    modules = [file for file in MODULES.values() if file.name != "__init__.py"]
    sizes = Counter(file.parent for file in modules)
    large = [f"{folder} has {size} modules" for folder, size in sizes.items() if size > MAX_MODULES]
    assert not large, "\n".join(large)


def test_short_modules_are_not_apart_from_their_only_importer() -> None:
    importers = defaultdict(list)
    for module in MODULES:
        for target in imported_by(module):
            importers[target].append(module)
    lonely = [
        f"{module} has {lines_in(module)} lines and is imported by {by[0]} only; merge them"
        for module, by in importers.items()
        if len(by) == 1
        and lines_in(module) < FEWEST_LINES
        and MODULES[module].name != "__init__.py"
        and MODULES[module].parent == MODULES[by[0]].parent
    ]
    assert not lonely, "\n".join(lonely)


def test_no_two_classes_have_one_name() -> None:
    homes = defaultdict(list)
    for module in MODULES:
        for node in tree_of(module).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)
    shared = [f"{name}: {', '.join(where)}" for name, where in homes.items() if len(where) > 1]
    assert not shared, "\n".join(shared)


POOL = "foragers.core.processes"


def test_only_one_module_starts_pools_of_processes() -> None:
    names = {"ProcessPoolExecutor", "Pool", "get_context"}
    others = [
        module
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ImportFrom)
        and module != POOL
        and (node.module or "").startswith(("concurrent.futures", "multiprocessing"))
        and names & {alias.name for alias in node.names}
    ]
    assert not others, f"use {POOL} instead of a pool of your own: {others}"

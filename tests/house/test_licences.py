"""Licences: every dependency names its own, and nothing we must have is under the GPL."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LICENCE = re.compile(r"\b(Apache-2\.0|MIT|ISC|0BSD|BSD-[23]-Clause|MPL-2\.0|PSF-2\.0|LGPL-3\.0)\b")
GPL = re.compile(r"(?<!L)GPL|(?<!Lesser )General Public License")


def mandatory() -> list[str]:
    """Return the requirements of a plain installation."""
    return list(project()["dependencies"])


def optional() -> list[str]:
    """Return the requirements of all extras."""
    return [*chain(*project()["optional-dependencies"].values())]


def project() -> dict[str, dict[str, list[str]]]:
    """Return what pyproject.toml says of the project."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, dict[str, list[str]]] = tomllib.load(file)["project"]
    return found


def rows() -> dict[str, str]:
    """Return the line of each package in docs/dependencies.md."""
    found: dict[str, str] = {}
    for line in (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").splitlines():
        for cell in line.split("|")[1:3]:
            found.setdefault(cell.strip(), line)
    return found


def licence(name: str) -> str:
    """Return what an installed package says of its licence, without the text of it."""
    about = metadata(name)
    if "License-Expression" in about:
        return about["License-Expression"]
    classifiers = [text for text in about.get_all("Classifier") or [] if "License" in text]
    return "; ".join([*(about.get_all("License") or [""])[0].splitlines()[:1], *classifiers])


def with_theirs(names: list[str]) -> set[str]:
    """Return packages and all that they need in turn, as far as installed."""
    found: set[str] = set()
    waiting = [Requirement(text) for text in names]
    while waiting:
        one = waiting.pop()
        if one.name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        try:
            waiting += [Requirement(text) for text in requires(one.name) or []]
        except PackageNotFoundError:
            continue
        found.add(one.name)
    return found


def test_every_dependency_has_a_line_with_its_licence() -> None:
    lines = rows()
    for text in [*mandatory(), *optional()]:
        name = Requirement(text).name
        if name != "foragers":
            assert LICENCE.search(lines.get(name, "")), f"docs/dependencies.md: licence of {name}?"


def test_nothing_that_must_be_installed_is_under_the_gpl() -> None:
    names = with_theirs(mandatory())
    assert {Requirement(text).name for text in mandatory()} <= names
    assert {name: licence(name) for name in names if GPL.search(licence(name))} == {}


def test_the_gpl_is_recognised() -> None:
    for bad in ("GPL-2.0-or-later", "GNU General Public License v2 or later (GPLv2+)", "AGPL-3.0"):
        assert GPL.search(bad), bad
    for good in ("LGPL-2.1-only OR MIT", "GNU Lesser General Public License", "MIT", "0BSD"):
        assert not GPL.search(good), good

"""The parts of a release agree: one version, an image of what is built, templates that parse."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import foragers

yaml = pytest.importorskip("yaml", reason="PyYAML comes with MkDocs: pip install 'foragers[docs]'")
ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_set_once() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    assert project["project"]["dynamic"] == ["version"]
    attribute = project["tool"]["setuptools"]["dynamic"]["version"]["attr"]
    assert attribute == "foragers.version.__version__"
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == foragers.__version__


def test_the_image_is_built_from_files_that_exist() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert {"pyproject.toml", "setup.py", "src"} <= set(copied) == allowed
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_has_a_user_without_rights_and_known_extras() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^USER (\w+)$", text, re.MULTILINE) == ["crawler"]
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = set(tomllib.load(file)["project"]["optional-dependencies"])
    named = [set(found.split(",")) for found in re.findall(r"\[([a-z,]+)\]", text)]
    assert named
    assert all(found <= extras for found in named)


def test_compose_runs_commands_that_exist() -> None:
    from foragers.cli.main import VERBS

    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    commands = {name: it["command"].split()[0] for name, it in services.items() if "command" in it}
    assert commands == {"crawl": "crawl", "node": "node"}
    assert set(commands.values()) <= set(VERBS)


def test_issue_templates_parse() -> None:
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) > 2
    for form in forms:
        content = yaml.safe_load(form.read_text(encoding="utf-8"))
        if form.name != "config.yml":
            assert {"name", "description", "body"} <= set(content), form.name


def test_the_picture_of_the_readme_is_small() -> None:
    names = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert names
    assert all(0 < (ROOT / name).stat().st_size < 200_000 for name in names)

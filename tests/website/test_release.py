"""The parts of a release agree: one version, an image of what is built, templates that parse."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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


def release(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "packaging" / "release.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_tag_that_is_not_the_version_makes_no_release() -> None:
    for wrong in (["--tag", "v99.0.0"], ["--tag", foragers.__version__], ["--tag"], ["v99.0.0"]):
        told = release(*wrong)
        assert told.returncode == 1
        assert f"is not v{foragers.__version__} of src/foragers/version.py" in told.stdout


def test_the_changelog_and_the_citation_name_the_version() -> None:
    said = release("--tag", f"v{foragers.__version__}").stdout
    assert "CHANGELOG" not in said
    assert "CITATION" not in said


def test_the_workflow_checks_the_tag_before_it_builds_wheels_that_we_claim() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    steps = [step.get("run", "") for step in jobs["source"]["steps"]]
    assert next(step for step in steps if step).startswith("python packaging/release.py --tag")
    assert jobs["wheels"]["needs"] == "source"
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    built = re.findall(r"cp3(\d+)", project["tool"]["cibuildwheel"]["build"])
    claimed = [one[-2:] for one in project["project"]["classifiers"] if ":: 3." in one]
    assert built == claimed


def test_without_compiled_parts_the_wheel_is_for_any_machine() -> None:
    question = (
        "import setuptools; setuptools.setup = lambda **told: print(len(told['ext_modules']));"
        "exec(open('setup.py').read())"
    )
    for pure, wanted in (("1", {"0"}), ("", {str(n) for n in range(1, 30)})):
        told = subprocess.run(
            [sys.executable, "-c", question],
            cwd=ROOT,
            env={**os.environ, "FORAGERS_PURE": pure},
            capture_output=True,
            text=True,
        )
        assert told.stdout.strip() in wanted, told.stderr


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

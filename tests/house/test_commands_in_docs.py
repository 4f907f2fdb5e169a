"""Every command that the documentation prints is one that the command line takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from foragers.cli.crawl import order_of
from foragers.cli.main import parser
from foragers.errors import UsageError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHORT = ("…", "[", "|", "NAME(", "$S")
"""What stands in commands that are told in short, not to be typed."""


def commands(page: Path) -> Iterator[list[str]]:
    """Give the commands in the code of a page, as a shell would cut them."""
    for kind, block in FENCE.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if kind == "console" and not line.startswith("$ "):
                continue  # the output of a command
            text = line.strip().removeprefix("$ ").removesuffix(" &")
            if (
                text.startswith("foragers ")
                and text != "foragers --version"
                and not any(mark in text for mark in SHORT)
            ):
                yield shlex.split(text, comments=True)[1:]


FOUND = [(page, words) for page in PAGES for words in commands(page)]


def test_there_are_commands_of_most_kinds() -> None:
    assert {words[0] for _, words in FOUND} >= {"crawl", "compare", "world", "report", "train"}


def test_every_command_in_the_docs_is_taken() -> None:
    wrong = []
    for page, words in FOUND:
        try:
            options = parser(words[0]).parse_args(words)
            if words[0] == "crawl":
                order_of(options).check()
        except UsageError as error:
            wrong.append(f"{page.name}: foragers {shlex.join(words)}: {error}")
    assert not wrong, "\n".join(wrong)


def test_a_command_that_lacks_its_folder_is_noticed() -> None:
    with pytest.raises(UsageError, match="--out"):
        parser("crawl").parse_args(["crawl", "https://example.org/"])

"""The page of all commands and options, made from the parser of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from foragers.cli.main import VERBS, parser

if TYPE_CHECKING:
    from foragers.cli.options import Verbs

DEFAULT = re.compile(r" \(default: ([^()]*)\)$")
INTRODUCTION = """\
# Commands

All commands and options of `foragers`, made from the program itself. `foragers COMMAND --help`
prints the same.

Options of `crawl`, `watch` and `compare` may be kept in a TOML file and named with `--config FILE`
([crawling](../crawling.md)).

Exit codes: 0 done, 1 failed, 2 wrong use (one line names the option or file and the remedy), 130
interrupted.

"""


def page() -> str:
    """Return the page, one section for each command."""
    overview = "\n".join(f"| [`{name}`](#{name}) | {what} |" for name, what in VERBS.items())
    sections = "\n".join(section(name) for name in VERBS)
    return f"{INTRODUCTION}| command | what it does |\n|---|---|\n{overview}\n\n{sections}"


def section(verb: str) -> str:
    """Return the section of a command, with those of its parts if it has any."""
    commands = next(iter(parts_of(parser(verb)))).choices
    return "\n".join(described(commands[verb], verb, level=2))


def parts_of(command: argparse.ArgumentParser) -> Iterator[Verbs]:
    """Give the choice of commands within a command."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield action


def described(command: argparse.ArgumentParser, name: str, level: int) -> Iterator[str]:
    """Give the lines that describe a command: usage, arguments, parts."""
    usage = re.sub(r"\s+", " ", command.format_usage().removeprefix("usage: ")).strip()
    short = usage if len(usage) < 100 else f"{command.prog} [OPTIONS] {positionals(command)}"
    yield f"{'#' * level} {name}\n\n{command.description or ''}\n\n```text\n{short.strip()}\n```\n"
    rows = [row(action) for action in command._actions if is_shown(action)]
    if rows:
        yield "| option or argument | meaning | default |\n|---|---|---|"
        yield from rows
        yield ""
    for part in parts_of(command):
        for inner, its in part.choices.items():
            yield from described(its, f"{name} {inner}", level + 1)


def positionals(command: argparse.ArgumentParser) -> str:
    """Return the arguments without a name, as they are written."""
    named = [action for action in command._actions if not action.option_strings]
    return " ".join(str(action.metavar or action.dest) for action in named)


def is_shown(action: argparse.Action) -> bool:
    """Say whether the help of a command shows an argument."""
    parts = isinstance(action, argparse._SubParsersAction)
    return not parts and action.help != argparse.SUPPRESS and action.dest != "help"


def row(action: argparse.Action) -> str:
    """Return the row of an option or argument."""
    value = "|".join(map(str, action.choices)) if action.choices else action.metavar
    value = f"[{value}]" if action.nargs == "?" and action.option_strings else value
    name = ", ".join(action.option_strings)
    written = " ".join(str(part) for part in (name, value) if part) or action.dest
    text = (action.help or "").replace("%%", "%")
    found = DEFAULT.search(text)
    default = "required" if action.required and name else found[1] if found else ""
    cells = (f"`{written}`", DEFAULT.sub("", text), default)
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"


def escaped(cell: str) -> str:
    """Return the text of a cell as Markdown."""
    return cell.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")

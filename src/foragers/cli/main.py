"""The program `foragers`: runs the command, and turns errors into one line."""

from __future__ import annotations

import argparse
import gc
import os
import re
import signal
import sqlite3
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from textwrap import wrap
from types import FrameType
from typing import NoReturn

from rich.console import Console

from foragers.core.display import plain
from foragers.core.options import KINDS
from foragers.errors import NothingFetchedError, UsageError, WriteError
from foragers.version import __version__

MAX_LINE = 2000
DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
VERBS = {
    "demo": "crawl a generated news site with three strategies",
    "crawl": "crawl the web for pages about a topic",
    "watch": "watch sites for new pages, until it is stopped",
    "status": "show how a watch is doing",
    "node": "fetch for a crawl on another machine",
    "report": "write a web page about a crawl, with curves and tables",
    "serve": "show a crawl as web pages, while it runs and afterwards",
    "export": "write the pages of a crawl as JSON lines, CSV, Parquet or WARC",
    "explain": "show why a page was fetched",
    "feedback": "tell a crawl which of its pages are wanted",
    "compare": "compare strategies on a recorded or generated web",
    "reproduce": "reproduce the tables and figures of a paper",
    "train": "train a model for the strategies that use one",
    "frontier": "order the URLs of other crawlers (URLFrontier)",
    "mcp": "serve crawls to agents (Model Context Protocol)",
    "world": "import, generate, measure, serve or export a web",
    "strategies": "list the strategies, or describe one",
}
"""Each command is a module of the same name in this package, except for those in `PLACES`."""
PLACES = {"status": "watch.status"}
EXAMPLES = """\
examples:
  foragers demo
  foragers crawl https://example.org/ --topic "solar panel" --budget 500 --out solar
  foragers report solar
  foragers watch https://example.org/ --out news

'foragers COMMAND --help' describes the options of a command.
"""
TASKS = ("topic", "relevant")
"""Options of `compare` that may be repeated, once for each task."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    signal.signal(signal.SIGTERM, stop)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as under nohup
        signal.signal(signal.SIGHUP, stop)
    # Child processes must not import modules from the current folder.
    os.environ["PYTHONSAFEPATH"] = "1"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Characters that the terminal cannot show become question marks.
            stream.reconfigure(errors="replace")
    errors = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        if not given:
            parser().print_help()
            return USAGE
        with without_collections():
            command = parser(given[0])
        options = command.parse_args(with_settings(given, command))
        options.run(options, Console(emoji=False))
    except WriteError as error:
        errors.print(f"foragers: {plain(str(error), MAX_LINE)}", markup=False)
        return FAILED
    except UsageError as error:
        # Part of the text may come from a file of another person.
        errors.print(f"foragers: {plain(str(error), MAX_LINE)}", markup=False)
        return USAGE
    except NothingFetchedError as error:
        errors.print(f"foragers: {plain(str(error), MAX_LINE)}", markup=False)
        return FAILED
    except KeyboardInterrupt:
        errors.print("foragers: interrupted; the same command starts again or goes on")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has closed it (`| head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        errors.print(f"foragers: {where}{error.strerror or error}", markup=False)
        return FAILED
    except MemoryError:
        errors.print("foragers: not enough memory for that; ask for less")
        return FAILED
    except sqlite3.Error as error:
        errors.print(f"foragers: the ledger cannot be written ({error}); is the disk full?")
        return FAILED
    return DONE


@contextmanager
def without_collections() -> Iterator[None]:
    """Search for no reference cycles meanwhile: importing hundreds of modules leaves none."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def sentence(text: str) -> str:
    """Return a text as a sentence."""
    return f"{text[0].upper()}{text[1:]}."


def stop(_number: int, _frame: FrameType | None) -> None:
    """End in order on a signal."""
    raise KeyboardInterrupt


def with_settings(arguments: list[str], command: argparse.ArgumentParser) -> list[str]:
    """Put the options of a `--config` file before those of the command line, which win."""
    names = [word for word in arguments if word.startswith("--config=")]
    if "--config" in arguments[:-1]:
        names.append(arguments[arguments.index("--config") + 1])
    if not names:
        return arguments
    file = Path(names[0].removeprefix("--config="))
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--config {file}: {error}; it must be a TOML file") from error
    known = actions_of(command, arguments[0])
    given = {word.partition("=")[0] for word in arguments}
    options: list[str] = []
    for key, value in settings.items():
        action = known.get(f"--{key.replace('_', '-')}") or known.get(
            f"--no-{key.replace('_', '-')}"
        )
        if action is None or action.dest in ("help", "config") or isinstance(value, dict):
            raise UsageError(f"--config {file}: '{key}' is not an option of the command")
        # The tasks of a comparison are those of the command line, if it names any.
        task = arguments[0] == "compare" and action.dest in TASKS
        if not (task and given.intersection(action.option_strings)):
            options += words_of(action, key, value)
    return [arguments[0], *options, *arguments[1:]]


def actions_of(command: argparse.ArgumentParser, verb: str) -> dict[str, argparse.Action]:
    """Return the options of a command by name."""
    verbs = next(a for a in command._actions if isinstance(a, argparse._SubParsersAction))
    return dict(verbs.choices[verb]._option_string_actions) if verb in verbs.choices else {}


def words_of(action: argparse.Action, key: str, value: object) -> list[str]:
    """Return a line of a settings file as command-line arguments."""
    option = action.option_strings[-1]
    if isinstance(value, bool):
        off = option.startswith("--no-") and key.replace("-", "_") == action.dest
        return [option] if value is not off else []
    values = value if isinstance(value, list) else [value]
    if isinstance(action, argparse._AppendAction):
        return [f"{option}={item}" for item in values]
    return [f"{option}={','.join(str(item) for item in values)}"]


class VerbHelp(argparse.HelpFormatter):
    """Wraps the help of options, but never within a name such as best-first."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)


class Overview(argparse.RawDescriptionHelpFormatter):
    """Leaves the examples as they are, and room for the longest command beside its description."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=18)
        self._action_max_length = 16  # it takes the indent of commands for none


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others."""

    chosen = ""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage; what nobody knows is an option of the command."""
        said = self.plainly(message)
        raise UsageError(f"{said}; see '{' '.join((self.prog, *self.chosen.split()))} --help'")

    def plainly(self, message: str) -> str:
        """Say what is wrong with a value as the other messages do."""
        if found := re.fullmatch(r"argument (\S+): invalid (int|float) value: '(.*)'", message):
            flag, kind, value = found.groups()
            return f"{flag} {value}: must be {KINDS[{'int': int, 'float': float}[kind]]}"
        choice = r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)"
        if found := re.fullmatch(choice, message):
            flag, value, known = found.groups()
            return f"{flag} {value}: there is {known.replace(chr(39), '')}"
        return message


def parser(chosen: str = "") -> argparse.ArgumentParser:
    """Describe the command line; only the chosen command in full, since some take long to load."""
    command = Parser(
        prog="foragers",
        description="A learning, focused web crawler.",
        epilog=EXAMPLES,
        formatter_class=Overview,
        allow_abbrev=False,
    )
    command.chosen = chosen if chosen in VERBS else ""
    command.add_argument("--version", action="version", version=f"foragers {__version__}")
    verbs = command.add_subparsers(dest="verb", metavar="COMMAND", title="commands", required=True)
    for name, what in VERBS.items():
        verb = verbs.add_parser(
            name,
            help=what,
            description=sentence(what),
            formatter_class=VerbHelp,
            allow_abbrev=False,
        )
        if name == chosen:
            import_module(f"foragers.cli.{PLACES.get(name, name)}").add(verb)
    return command


if __name__ == "__main__":
    sys.exit(main())

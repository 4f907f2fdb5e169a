"""What is written from the options: tables of the docs, and keywords of `crawl` and `compare`.

`make options` writes them again after an option has changed.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from foragers.cli.main import parser
from foragers.core.options import OptionField, options_in
from foragers.crawling.options import CrawlOptions
from foragers.evaluation.comparison.options import CompareOptions
from foragers.reports.corpus.options import ExportOptions
from foragers.watching.watch_options import WatchOptions

ROOT = Path(__file__).parents[2]
CLASSES: dict[str, type] = {
    "crawl": CrawlOptions,
    "compare": CompareOptions,
    "export": ExportOptions,
    "watch": WatchOptions,
}
PAGES = {
    "crawl": ROOT / "docs/crawling.md",
    "compare": ROOT / "docs/comparison.md",
    "export": ROOT / "docs/exporting.md",
    "watch": ROOT / "docs/watching.md",
}
KEYWORDS = {
    "crawl": ROOT / "src/foragers/crawling/keywords.py",
    "compare": ROOT / "src/foragers/evaluation/comparison/keywords.py",
}
APART = {
    "crawl": {"judge", "strategy"},
    "compare": {"topic", "relevant", "judge", "strategies", "jobs"},
}
"""Options that the functions of Python name themselves, since they take more than a text there."""
DEFAULT = re.compile(r" \(default: ([^()]*)\)$")


def made() -> dict[Path, str]:
    """Return the files that are made from options, as they should be."""
    pages = {page: with_table(page.read_text("utf-8"), verb) for verb, page in PAGES.items()}
    return {**pages, **{path: keywords(verb) for verb, path in KEYWORDS.items()}}


def with_table(text: str, verb: str) -> str:
    """Return a page with the table of a command's options between its two marks."""
    first, last = f"<!-- options of {verb}, made by `make options` -->\n", "<!-- end of options -->"
    before, mark, rest = text.partition(first)
    assert mark, f"no mark {first!r}"
    return f"{before}{mark}\n{table(verb)}\n{last}{rest.partition(last)[2]}"


def table(verb: str) -> str:
    """Return the options of a command as a table."""
    known = {item.name: item for item in options_in(CLASSES[verb])}
    resumed = verb == "crawl"
    heads = ["option", "meaning", "default", *(["on resume"] if resumed else [])]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for title, actions in groups(verb):
        lines.append(f"| **{title}** |" + " |" * (len(heads) - 1))
        for action in actions:
            item = known.get(action.dest)
            cells = [f"`{named(action)}`", meaning(action, item), default(action)]
            if resumed:
                cells.append(item.said.on_resume if item else "")
            escaped = (cell.replace("|", "\\|") for cell in cells)
            lines.append(f"| {' | '.join(escaped)} |".replace("  ", " "))
    return "\n".join(lines) + "\n"


def groups(verb: str) -> Iterator[tuple[str, list[argparse.Action]]]:
    """Give the groups of options that the help of a command shows."""
    verbs = next(a for a in parser(verb)._actions if isinstance(a, argparse._SubParsersAction))
    for group in verbs.choices[verb]._action_groups:
        shown = [
            action
            for action in group._group_actions
            if action.option_strings and action.help != argparse.SUPPRESS and action.dest != "help"
        ]
        if shown:
            yield group.title or "", shown


def named(action: argparse.Action) -> str:
    """Return an option as it is written, with what stands for its value."""
    value = "|".join(action.choices) if action.choices else action.metavar
    value = f"[{value}]" if action.nargs == "?" else value
    return f"{action.option_strings[-1]} {value}" if value else action.option_strings[-1]


def meaning(action: argparse.Action, item: OptionField | None) -> str:
    """Return what an option does, and where that is told at length."""
    text = DEFAULT.sub("", (action.help or "").replace("%%", "%"))
    see = item.said.see if item else ""
    return f"{text} ([{'below' if see.startswith('#') else see}]({see}))" if see else text


def default(action: argparse.Action) -> str:
    """Return the default that the help of an option names."""
    found = DEFAULT.search(action.help or "")
    return "required" if action.required else found[1] if found else ""


def keywords(verb: str) -> str:
    """Return the module that tells type checkers and editors the keywords of a function."""
    name = CLASSES[verb].__name__.removesuffix("Options")
    taken = [item for item in options_in(CLASSES[verb]) if item.name not in APART[verb]]
    sequences = any("Sequence" in item.annotation for item in taken)
    lines = [
        f'"""The keyword arguments of `{verb}`, for type checkers and editors.',
        "",
        f"Made from the fields of `{name}Options` by `make options`; change those instead.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        *(["from collections.abc import Sequence"] if sequences else []),
        "from pathlib import Path",
        "from typing import TypedDict",
        "",
        "",
        f"class {name}Keywords(TypedDict, total=False):",
        f'    """The options of `{verb}` by name."""',
        "",
        *(f"    {item.name}: {item.annotation}" for item in taken),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, "utf-8")

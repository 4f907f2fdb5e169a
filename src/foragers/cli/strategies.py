"""`foragers strategies`: the list of strategies."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from inspect import getdoc

from rich.console import Console
from rich.table import Table

from foragers.judges.function import judge_names
from foragers.strategies.registry import STRATEGIES, info, parameters, registered

GROUPS = {
    "general": ("auto", "best-first", "shark-search", "breadth-first", "random"),
    "trained on other webs ('foragers train'), or while they crawl": (
        "spider",
        "rl-immediate",
        "rl-future",
        "full-page",
        "related",
        "hmm",
        "bpm",
        "hw",
        "context-graph",
    ),
    "learning automata, populations of agents": ("lafc", "energy", "infospiders"),
    "fleets that look for news": ("foragers", "mixed-fleet", "wl", "rl", "wlrl", "wlrl-refresh"),
    "watching sites for new pages": ("watch",),
    "published crawlers, to compare with": (
        "tag-path-bandit",
        "host-bandit",
        "q-learning",
        "keyword-scorer",
    ),
    "references and controls": (
        "optimal",
        "uniform",
        "home-page",
        "no-learning",
        "random-order",
    ),
}


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument(
        "name", nargs="?", metavar="NAME", help="show the parameters of this strategy"
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the strategies, or describe one."""
    if options.name:
        describe(options.name, console)
        return
    width = max(len(name) for name in STRATEGIES) + 4
    for group, names in GROUPS.items():
        console.print(f"{group}:", style="bold", highlight=False)
        grid = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
        grid.add_column(min_width=width)
        grid.add_column()
        for name in names:
            grid.add_row(f"  {name}", summary(STRATEGIES[name]))
        console.print(grid)
    show_others("other packages and this program", registered(), console)
    show_others("judges of other packages, for --judge", judge_names(), console)
    console.print(
        "\nauto is the default of 'foragers crawl' and a good start."
        " 'foragers strategies NAME' shows the parameters of one."
        " Name one of your own as path.py:Class or module:Class.",
        highlight=False,
    )


def show_others(title: str, found: Mapping[str, str], console: Console) -> None:
    """Print strategies from elsewhere, with their origin; they are not loaded."""
    if not found:
        return
    console.print(f"{title}:", style="bold", highlight=False)
    grid = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name, origin in sorted(found.items()):
        grid.add_row(f"  {name}", origin)
    console.print(grid)


def summary(kind: type) -> str:
    """Return what a strategy does, in one sentence."""
    return (kind.__doc__ or "").partition("\n")[0]


def describe(spec: str, console: Console) -> None:
    """Print all about one strategy."""
    found = info(spec)
    name, kind = found.name, found.kind
    for number, paragraph in enumerate((getdoc(kind) or "").split("\n\n")):
        text = " ".join(paragraph.split())
        console.print(text if number else f"{name}: {text}", highlight=False, markup=False)
    if not found.is_built_in:
        console.print(f"It comes from: {found.origin}", highlight=False, markup=False)
    console.print()
    given = {key: default for key, (_, default) in parameters(kind).items()}
    if not given:
        console.print("It has no parameters.")
        return
    grid = Table(box=None, padding=(0, 2, 0, 0))
    grid.add_column("parameter")
    grid.add_column("default")
    for key, default in given.items():
        grid.add_row(key, "none" if default is None else str(default))
    console.print(grid)
    key, default = next(iter(given.items()))
    example = f"{name}({key}={'FILE' if default is None else default})"
    console.print(f'\nSet parameters like this: --strategy "{example}"', highlight=False)

"""`foragers strategies`: what there is to choose from."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from foragers.strategies.registry import STRATEGIES, parameters


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:  # noqa: ARG001
    """Print a table of the strategies."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("strategy", "parameters", "what it does"):
        table.add_column(heading)
    for name, kind in STRATEGIES.items():
        settings = ", ".join(f"{key}={value[1]}" for key, value in parameters(kind).items())
        table.add_row(name, settings or "–", (kind.__doc__ or "").partition("\n")[0])
    console.print(table)
    console.print("\nSet parameters like this: --strategies 'best-first(inherit=0.3)'")

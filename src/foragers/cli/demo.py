"""`foragers demo`: the main job on a web made up for it."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from foragers.worlds.generated.presets import generate
from foragers.worlds.store import save

PAGES = 5000
TOPIC = "robot sensor actuator"


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.add_argument("--out", type=Path, default=Path("demo-out"), metavar="DIR")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Make a world, if it is not there yet, and compare on it."""
    from foragers.cli.main import parser  # the parser knows this verb too

    world = options.out / "world"
    if not world.exists():
        with console.status(f"making a web of {PAGES:,} pages on many topics"):
            options.out.mkdir(parents=True, exist_ok=True)
            save(generate("topics", seed=1, pages=PAGES), world)
    words = [
        "compare", str(world), "--topic", TOPIC, "--threshold", "0.5",
        "--strategies", "breadth-first,random,best-first,shark-search,optimal",
        "--budget", "1000", "--runs", "3", "--out", str(options.out / "comparison"),
    ]  # fmt: skip
    shown = " ".join(f"'{word}'" if " " in word else word for word in words)
    console.print(f"$ foragers {shown}", soft_wrap=True, highlight=False)
    chosen = parser(words[0]).parse_args(words)
    chosen.run(chosen, console)

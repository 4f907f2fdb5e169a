"""`foragers demo`: the main job, on a news site made up for it and served on this machine."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from foragers.cli.crawl_view import View
from foragers.measures import harvest
from foragers.plots.harvest import Curve, plot_curves
from foragers.run import Aim
from foragers.session.order import Order
from foragers.session.session import Session
from foragers.worlds.generated import generate
from foragers.worlds.serving import WorldServer

PAGES, BUDGET = 6000, 400
AIM = Aim("climate emission carbon", threshold=0.5)
STRATEGIES = ("breadth-first", "best-first", "auto")


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.add_argument("--out", type=Path, default=Path("demo-out"), metavar="DIR")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Serve a news site, crawl it with several strategies, and show what each found."""
    console.print(f"A news site of {PAGES:,} pages, served over HTTP on this machine.")
    archive = generate("news", seed=1, pages=PAGES)
    curves: dict[str, list[Curve]] = {}
    with WorldServer(archive) as server:
        home = server.address(archive.book.href(archive.seeds[0]))
        console.print(f"Its home page is {home}; wanted are pages about “{AIM.topic}”.\n")
        for strategy in STRATEGIES:
            shutil.rmtree(options.out / strategy, ignore_errors=True)
            curves[strategy] = [crawl(home, strategy, options.out / strategy, console)]
    console.print(table(curves))
    plot_curves(curves, BUDGET, f"a news site: “{AIM.topic}”", options.out / "harvest")
    best = options.out / STRATEGIES[-1]
    console.print(f"curves: {options.out / 'harvest.png'}", soft_wrap=True)
    console.print(f"pages as WARC, and a ledger that answers SQL: {best}", soft_wrap=True)
    console.print(f"look closer: foragers report {best}", soft_wrap=True)


def crawl(home: str, strategy: str, folder: Path, console: Console) -> Curve:
    """Crawl the site with one strategy."""
    order = Order(
        seeds=(home,),
        aim=AIM,
        strategy=strategy,
        budget=BUDGET,
        delay=0.0,
        within="any",
        allow_private=("127.0.0.0/8",),
    )
    console.print(
        f"$ foragers crawl {home} --topic '{AIM.topic}' --threshold {AIM.threshold}"
        f" --strategy {strategy} --budget {BUDGET} --delay 0 --scope any"
        f" --allow-private 127.0.0.0/8 --out {folder}",
        soft_wrap=True,
        highlight=False,
    )
    session = Session(order, folder)
    session.open()
    try:
        with View(console, session) as view:
            session.run(view.update)
        return harvest.curve(harvest.found(session.ledger.facts()))
    finally:
        session.close()


def table(curves: dict[str, list[Curve]]) -> Table:
    """Return what each strategy found."""
    grid = Table(box=SIMPLE, pad_edge=False)
    for heading in ("strategy", "downloads", "relevant pages", "per 100"):
        grid.add_column(heading, justify="left" if heading == "strategy" else "right")
    for strategy, (curve,) in curves.items():
        downloads, relevant = curve[-1]
        per_hundred = f"{100 * relevant / downloads:.0f}"
        grid.add_row(strategy, f"{downloads:,}", f"{relevant:,}", per_hundred)
    return grid

"""`foragers reproduce`: the experiments of the papers, with their numbers beside ours."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from rich.console import Console

from foragers.cli.terminal.progress import progress
from foragers.core.files import check_own
from foragers.errors import UsageError
from foragers.evaluation.plots import canvas
from foragers.papers.everything import ALL, reproduce_all
from foragers.papers.output import show, write_exhibits
from foragers.papers.request import PAPERS, PaperRequest, reproduce
from foragers.storage.warc.writer import locked


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    told = "; ".join(f"{name}: {what}" for name, what in PAPERS.items())
    told += f"; {ALL}: all of them, with one index.html; the same command resumes it"
    verb.add_argument("paper", metavar="PAPER", choices=(*PAPERS, ALL), help=told)
    verb.add_argument(
        "--world",
        type=Path,
        action="append",
        default=[],
        metavar="W",
        help="recorded web to use instead of a generated one; may be repeated",
    )
    verb.add_argument("--relevant", metavar="LABEL", help="label of the relevant pages")
    verb.add_argument("--topic", metavar="WORDS", help="words that relevant pages contain")
    verb.add_argument("--runs", type=int, metavar="K", help="runs of each (default: the paper's)")
    verb.add_argument(
        "--seed", type=int, default=0, metavar="S", help="random seed of the first run"
    )
    verb.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="F",
        help="size of world and experiment as a share of the paper's (default: 1)",
    )
    verb.add_argument(
        "--jobs", type=int, metavar="N", help="worker processes (default: one for each core)"
    )
    verb.add_argument(
        "--ledgers",
        choices=("paper", "tables", "all"),
        default="tables",
        help="selection and evolution: which fleets leave a ledger; the paper's own, those of its"
        " tables, or all that are simulated (at full size 20 to 30 MB each)",
    )
    verb.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for the results (default: reproduced/PAPER)"
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Make the exhibits, and show and write them."""
    for name, least in (("runs", 1), ("jobs", 1), ("seed", 0)):
        value = getattr(options, name)
        if value is not None and value < least:
            raise UsageError(f"--{name} {value}: must be at least {least}")
    if not 0 < options.scale <= 1:
        raise UsageError(f"--scale {options.scale:g}: must be above 0 and at most 1")
    out = options.out or Path("reproduced") / options.paper
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: is a file; name a folder")
    check_own(out)
    request = PaperRequest(
        out,
        tuple(options.world),
        options.runs,
        options.seed,
        options.jobs or os.cpu_count() or 1,
        options.scale,
        options.relevant,
        options.topic,
        options.ledgers,
    )
    with alone_in(out):
        if options.paper == ALL:
            run_all(request, console)
        else:
            run_one(options.paper, request, console)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other reproductions out of a folder; leave none behind if nothing was written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = locked(folder, by="reproduction")
    except OSError as error:
        raise UsageError(f"--out {folder}: {error.strerror}; choose another") from error
    try:
        yield
    finally:
        with suppress(OSError):  # it is not empty
            folder.rmdir()
        os.close(lock)


def run_one(paper: str, request: PaperRequest, console: Console) -> None:
    """Make the exhibits of one paper."""
    exhibits = reproduce(paper, request, partial(progress, console))
    write_exhibits(exhibits, request.out)
    show(exhibits, console)
    tell_without_figures(console, bool(exhibits.figures))
    console.print(f"everything: {request.out / 'report.html'}", soft_wrap=True, markup=False)


def run_all(request: PaperRequest, console: Console) -> None:
    """Make the exhibits of all papers, one after the other."""
    for paper, exhibits, was_there in reproduce_all(request, partial(progress, console)):
        held = sum(one.holds is True for one in exhibits.verdicts)
        not_held = sum(one.holds is False for one in exhibits.verdicts)
        told = f"{paper}: {len(exhibits.tables)} tables, {len(exhibits.figures)} figures,"
        told += f" {len(exhibits.verdicts)} claims judged ({held} hold, {not_held} do not)"
        told += ", made before" if was_there else ""
        console.print(told, markup=False, soft_wrap=True)
    tell_without_figures(console, True)
    console.print(f"everything: {request.out / 'index.html'}", soft_wrap=True, markup=False)


def tell_without_figures(console: Console, wanted: bool) -> None:
    """Say that there are no figures, if there should be some."""
    if wanted and not canvas.have_matplotlib():
        told = f"no figures, only their data as CSV: figures {canvas.LEFT_OUT}"
        console.print(told, markup=False, soft_wrap=True)

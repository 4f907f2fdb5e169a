"""`foragers train`: train a model on recorded worlds and write it to a file."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console

from foragers.cli.options import add_aim, aim_of, since_of
from foragers.cli.terminal.progress import progress
from foragers.core.files import check_writable
from foragers.core.models import save_model
from foragers.core.options import ReplayOptions, Target
from foragers.errors import UsageError
from foragers.evaluation.comparison.study import prepare
from foragers.papers.output import grid_of
from foragers.training.lesson import Lesson, leave_out, sites_of
from foragers.training.registry import TRAINERS, Progress, needs_target, trainer_of
from foragers.worlds.store import open_world


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    told = "; ".join(f"{name}: {what}" for name, what in TRAINERS.items())
    verb.add_argument("worlds", nargs="+", metavar="W", help="folders of webs to learn from")
    verb.add_argument(
        "-o", "--out", type=Path, required=True, metavar="MODEL", help="model file to write"
    )
    verb.add_argument(
        "--kind", default="spider", metavar="KIND(option=…)", help=f"{told} (default: spider)"
    )
    add_aim(verb)
    verb.add_argument(
        "--sites",
        default="",
        metavar="BY",
        help="what a site is: host, domain, or the beginning of labels such as university"
        " (default: site:… labels, else domain)",
    )
    verb.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="SITE",
        help="leave this site out, to test the model on it; may be repeated",
    )
    verb.add_argument(
        "--labels", metavar="FILE", help='labels of pages: {"url": …, "labels": […]} a line'
    )
    verb.add_argument(
        "--since",
        default="end",
        metavar="TIME",
        help="learn from the web as it was at this time: start, end or an ISO date",
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Train, and print and write the model."""
    trainer = trainer_of(options.kind)
    check_writable(options.out, "--out")
    meter = partial(progress, console)
    aim = aim_of(options)
    if needs_target(trainer) and str(aim) == str(Target()):
        raise UsageError(
            "nothing is said to be wanted, so there is nothing to learn;"
            " say what is with --relevant LABEL or --topic WORDS"
        )
    lessons = [
        lesson_of(world, aim, options, meter)
        if needs_target(trainer)
        else lesson_without_target(world, options)
        for world in options.worlds
    ]
    trained = trainer.train(leave_out(lessons, options.without, "--without"), meter)
    save_model(trained.model, options.out)
    for table in trained.tables:
        console.print(grid_of(table))
        if table.note:
            console.print(table.note, style="dim", markup=False, highlight=False)
    for note in trained.notes:
        console.print(note, markup=False, highlight=False)
    size = options.out.stat().st_size
    console.print(f"model: {options.out}, {size:,} bytes", soft_wrap=True, markup=False)


def lesson_without_target(world: str, options: argparse.Namespace) -> Lesson:
    """Open a world of which no page is wanted more than another."""
    archive = open_world(Path(world))
    since = since_of(options.since, archive)
    nothing = np.empty(0, np.int32)
    return Lesson(Path(world).name, archive, nothing, *sites_of(archive, options.sites), since)


def lesson_of(world: str, aim: Target, options: argparse.Namespace, meter: Progress) -> Lesson:
    """Open a world and find out which of its pages are wanted."""
    since = since_of(options.since, open_world(Path(world)))
    try:
        study = prepare(ReplayOptions(world, "", aim, labels=options.labels, since=since))
    except UsageError as error:
        # The error names the world that it applies to.
        raise UsageError(f"{world}: {error}" if len(options.worlds) > 1 else str(error)) from error
    with meter("judging pages", study.archive.pages) as judged:
        study.score(judged)
    return Lesson.of(Path(world).name, study, options.sites)

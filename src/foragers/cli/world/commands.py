"""`foragers world`: import, generate, rewire, measure, serve and export webs.

Modules of an action are imported when it runs, since some take long to load.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from foragers.errors import UsageError
from foragers.judges.novelty import parse_duration
from foragers.worlds.archive import Archive
from foragers.worlds.generated.presets import PRESETS, generate
from foragers.worlds.rewired import rewire
from foragers.worlds.store import open_world, save

if TYPE_CHECKING:
    from foragers.cli.options import Verbs
from rich.markup import escape
from rich.progress import Progress

from foragers.worlds.export import beside, export_warc


def add(world: argparse.ArgumentParser) -> None:
    """Describe the actions of the command."""
    actions = world.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_import(actions)
    add_generate(actions)
    add_rewire(actions)
    add_info(actions)
    add_serve(actions)
    add_export(actions)


def add_action(actions: Verbs, name: str, what: str) -> argparse.ArgumentParser:
    """Add an action, which is described in its own help too."""
    told = f"{what[0].upper()}{what[1:]}."
    return actions.add_parser(name, allow_abbrev=False, help=what, description=told)


def add_import(actions: Verbs) -> None:
    """Add `world import`."""
    verb = add_action(actions, "import", "import WARC files as a recorded web")
    verb.add_argument("world", type=Path, metavar="W", help="folder to create")
    verb.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="WARC file, .warc or .warc.gz"
    )
    verb.add_argument(
        "--labels",
        type=Path,
        metavar="FILE",
        help='labels of pages: {"url": …, "labels": […]} a line',
    )
    verb.add_argument(
        "--seeds", type=Path, metavar="FILE", help="file with URLs to start from, one a line"
    )
    verb.add_argument(
        "--window", metavar="FROM..TO", help="part of the recording to replay: two ISO dates"
    )
    verb.add_argument(
        "--time-scale",
        type=float,
        default=1.0,
        metavar="N",
        help="recorded seconds for each second of replay",
    )
    kind = verb.add_mutually_exclusive_group()
    kind.add_argument(
        "--static", dest="evolving", action="store_false", default=None, help="the web stands still"
    )
    kind.add_argument(
        "--evolving", action="store_true", default=None, help="the web changes over time"
    )
    verb.add_argument(
        "--salvage", action="store_true", help="import the complete records of a truncated file"
    )
    verb.set_defaults(run=run_import)


def run_import(options: argparse.Namespace, console: Console) -> None:
    """Turn WARC files into a world."""
    from foragers.cli.world.importing import import_files

    import_files(options, console)


def add_generate(actions: Verbs) -> None:
    """Add `world generate`."""
    verb = add_action(actions, "generate", "generate a web")
    verb.add_argument("world", type=Path, metavar="W", help="folder to create")
    verb.add_argument("--preset", required=True, choices=tuple(PRESETS), help="kind of web")
    verb.add_argument(
        "--pages", type=int, metavar="N", help="number of pages (default: depends on the preset)"
    )
    verb.add_argument("--seed", type=int, default=0, metavar="S", help="random seed (default: 0)")
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="parameter of the preset; may be repeated",
    )
    verb.set_defaults(run=run_generate)


def run_generate(options: argparse.Namespace, console: Console) -> None:
    """Make a generated world."""
    if options.pages is not None and options.pages < 1:
        raise UsageError(f"--pages {options.pages}: must be at least 1")
    if options.world.exists():
        raise UsageError(f"{options.world} exists already; choose another name or delete it first")
    given = dict(setting(text) for text in options.set)
    for name in ("preset", "seed", "pages"):
        if name in given:
            raise UsageError(f"--set {name}: use --{name}")
    with console.status(f"making a {options.preset} world"):
        archive = generate(options.preset, options.seed, options.pages, **given)
        save(archive, options.world)
    tell(archive, options.world, console)


def setting(text: str) -> tuple[str, int | float]:
    """Return a parameter given as NAME=VALUE."""
    name, _, value = text.partition("=")
    for kind in (int, float):
        try:
            return name.strip(), kind(value)
        except ValueError:
            continue
    raise UsageError(f"--set {text}: write NAME=NUMBER")


def tell(archive: Archive, path: Path, console: Console) -> None:
    """Return a description of the new world and the next steps."""
    versions = f", {archive.versions:,} versions" if archive.evolving else ""
    said = f"{path}: {archive.pages:,} pages{versions}, {len(archive.targets):,} links"
    console.print(said, markup=False)
    if archive.labels.urls:
        labels = ", ".join(list(archive.labels.urls)[:8])
        console.print(f"labels: {labels}", soft_wrap=True, markup=False)
    console.print(f"next: foragers world info {path}, or foragers compare {path} …", markup=False)


def add_rewire(actions: Verbs) -> None:
    """Add `world rewire`."""
    verb = add_action(actions, "rewire", "copy a web with its links permuted")
    verb.add_argument("world", type=Path, metavar="W", help="folder of the web to copy")
    verb.add_argument("rewired", type=Path, metavar="W2", help="folder to create")
    verb.add_argument("--seed", type=int, default=0, metavar="S", help="random seed (default: 0)")
    verb.add_argument(
        "--cohort",
        metavar="TIME",
        help="permute only links that appeared within the same time span, for example 6h",
    )
    verb.add_argument(
        "--share",
        type=float,
        default=1.0,
        metavar="F",
        help="share of the links to permute, from 0 to 1 (default: 1)",
    )
    verb.set_defaults(run=run_rewire)


def run_rewire(options: argparse.Namespace, console: Console) -> None:
    """Make a rewired world."""
    cohort = parse_duration(options.cohort) if options.cohort else None
    if not 0 <= options.share <= 1:
        raise UsageError(f"--share {options.share:g}: must be from 0 to 1")
    archive = rewire(open_world(options.world), options.seed, cohort, options.share)
    save(archive, options.rewired)
    tell(archive, options.rewired, console)


def add_info(actions: Verbs) -> None:
    """Add `world info`."""
    verb = add_action(actions, "info", "measure the structure of a web")
    verb.add_argument("world", type=Path, metavar="W", help="folder of a web")
    verb.add_argument("--json", type=Path, metavar="FILE", help="write the measures as JSON")
    verb.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the distribution of links, as .svg or .png"
    )
    verb.set_defaults(run=run_info)


def run_info(options: argparse.Namespace, console: Console) -> None:
    """Measure a world."""
    from foragers.cli.world.info import info

    info(open_world(options.world), options.json, options.plot, console)


def add_serve(actions: Verbs) -> None:
    """Add `world serve`."""
    verb = add_action(actions, "serve", "serve a web over HTTP on this machine")
    verb.add_argument("world", type=Path, metavar="W", help="folder of a web")
    verb.add_argument("--port", type=int, default=8000, metavar="P", help="port (default: 8000)")
    verb.add_argument(
        "--speed",
        type=float,
        metavar="X",
        help="let time pass: seconds of the recording for each real second",
    )
    verb.add_argument(
        "--since",
        metavar="TIME",
        help="time to serve: start, end or an ISO date (default: end; with --speed start)",
    )
    verb.set_defaults(run=run_serve)


def run_serve(options: argparse.Namespace, console: Console) -> None:
    """Serve a world until interrupted."""
    from foragers.cli.world.serve import serve_world

    serve_world(open_world(options.world), console, options.port, options.speed, options.since)


def add_export(actions: Verbs) -> None:
    """Add `world export`."""
    verb = add_action(actions, "export", "write a web as WARC")
    verb.add_argument("world", type=Path, metavar="W", help="folder of a web")
    verb.add_argument("file", type=Path, metavar="FILE", help="file to write, .warc.gz or .warc")
    verb.set_defaults(run=run_export)


def run_export(options: argparse.Namespace, console: Console) -> None:
    """Write a world as WARC."""
    export_world(open_world(options.world), options.file, console)


STEP = 100


def export_world(archive: Archive, file: Path, console: Console) -> None:
    """Write a world, and print which files were written and how to read them again."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"writing {escape(file.name)}", total=archive.versions)

        def watch(count: int) -> None:
            if count % STEP == 0:
                progress.update(task, completed=count)

        versions = export_warc(archive, file, watch)
    size = file.stat().st_size / 1e6
    console.print(
        f"{escape(str(file))}: {versions:,} versions of {archive.pages:,} pages, {size:,.1f} MB"
    )
    for ending in ("seeds.txt", "labels.jsonl"):
        if (extra := beside(file, ending)).exists():
            console.print(escape(str(extra)))

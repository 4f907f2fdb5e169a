"""`foragers world import`: turn WARC files into a world."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from rich.console import Console

from foragers.cli.options import moment
from foragers.cli.terminal.progress import progress
from foragers.core.display import counted
from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.importing.importer import ImportOptions, ImportSummary, import_world
from foragers.worlds.labels import read_labels, read_lines, read_seeds
from foragers.worlds.store import open_world


def import_files(options: argparse.Namespace, console: Console) -> None:
    """Import, and say what was found."""
    settings = settings_of(options)
    sizes = [size_of(file) for file in options.files]
    done = dict.fromkeys(options.files, 0)
    with progress(console, "reading", sum(sizes)) as meter:

        def watch(file: Path, position: int) -> None:
            done[file] = position
            meter(sum(done.values()), file.name)

        summary = import_world(
            options.world,
            options.files,
            settings,
            lambda archive: annotate(archive, options),
            watch,
        )
    tell(open_world(options.world), summary, options.world, console)


def settings_of(options: argparse.Namespace) -> ImportOptions:
    """Return how to read the recording."""
    if not 0 < options.time_scale < inf:
        raise UsageError(f"--time-scale {options.time_scale:g}: must be a number above 0")
    window = None
    if options.window:
        first, dots, last = options.window.partition("..")
        if not dots:
            raise UsageError(f"--window {options.window}: write FROM..TO, two ISO dates")
        window = moment(first, "--window"), moment(last, "--window")
        if window[0] >= window[1]:
            raise UsageError(f"--window {options.window}: ends before it begins")
    return ImportOptions(options.salvage, options.evolving, window, options.time_scale)


def size_of(file: Path) -> int:
    """Return the length of a file that can be read."""
    if file.is_dir():
        raise UsageError(f"{file}: is a folder; name the WARC files in it")
    if not file.exists():
        raise UsageError(f"{file}: no such file")
    return file.stat().st_size


def annotate(archive: Archive, options: argparse.Namespace) -> Archive:
    """Add the seeds and labels that were given."""
    return annotated(archive, options.files, options.seeds, options.labels)


def annotated(
    archive: Archive, files: Sequence[Path], seeds: Path | None, labels: Path | None
) -> Archive:
    """Add seeds and labels from files, and the names of the WARC files."""
    if seeds:
        lines = read_lines(seeds, "--seeds")
        archive = replace(archive, seeds=read_seeds(lines, archive.book, f"--seeds {seeds}"))
    if labels:
        archive = replace(archive, labels=read_labels(labels, archive.book))
    return replace(archive, origin={"files": " ".join(file.name for file in files)})


def tell(archive: Archive, summary: ImportSummary, path: Path, console: Console) -> None:
    """Return what was imported, what was left out, and where a crawl will start."""
    kind = "an evolving" if archive.evolving else "a static"
    hosts = len(archive.book.host_names)
    console.print(
        f"{path}: {kind} world of {archive.pages:,} pages, {archive.versions:,} versions,"
        f" {counted(len(archive.targets), 'link')}, {counted(hosts, 'host')}",
        soft_wrap=True,
        markup=False,
    )
    left_out = {
        "repeated": summary.repeated + summary.captures - archive.versions,
        "broken": summary.broken,
        "with a bad address": summary.bad_addresses,
    }
    told = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
    console.print(f"{summary.records:,} records read" + (f"; left out: {told}" if told else ""))
    seeds = [archive.book.href(url) for url in archive.seeds]
    more = f" and {len(seeds) - 1} more" if len(seeds) > 1 else ""
    console.print(f"a crawl starts at {seeds[0]}{more}", soft_wrap=True, markup=False)

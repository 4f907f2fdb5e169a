"""`foragers world export`: write a world as a WARC file."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from foragers.worlds.archive import Archive
from foragers.worlds.exporting import beside, export_warc

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

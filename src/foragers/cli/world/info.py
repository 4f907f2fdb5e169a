"""`foragers world info`: measure a world, and print, write and draw what was found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from foragers.core import files
from foragers.core.display import plain
from foragers.evaluation.graph.clustering import Clustering
from foragers.evaluation.graph.degrees import Degrees, PowerLaw
from foragers.evaluation.graph.paths import PathLengths, Reach
from foragers.evaluation.graph.structure import DAY, Growth, Size, Structure, structure
from foragers.evaluation.plots import canvas
from foragers.evaluation.plots.degrees import plot_degrees
from foragers.worlds.archive import Archive

Row = tuple[str, str, str]


def info(archive: Archive, json_file: Path | None, plot: Path | None, console: Console) -> None:
    """Measure a world and print a table; write the JSON and the plot if they are asked for."""
    if plot:
        canvas.check(plot)
    name = archive.path.name if archive.path else "world"
    with console.status(f"measuring {escape(name)}"):
        found = structure(archive)
    console.print(table(found, name))
    seeds = [archive.book.href(url) for url in archive.seeds]
    more = f" and {len(seeds) - 1} more" if len(seeds) > 1 else ""
    if seeds:
        start = f"a crawl starts at {plain(seeds[0], 2000)}{more}"
        console.print(start, soft_wrap=True, markup=False)
    if json_file:
        write(found, json_file)
    if plot:
        plot_degrees(found.in_degrees, found.out_degrees, plot, title=name)


def write(found: Structure, file: Path) -> None:
    """Write all that was measured as JSON."""
    files.write(file, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")


def table(found: Structure, name: str) -> Table:
    """Return the table: a section for each question, and beside each number what it means."""
    grid = Table(title=escape(name), title_justify="left", show_header=False, box=SIMPLE)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(style="dim")
    sections = (
        size_rows(found.size),
        degree_rows("in-links", found.in_degrees),
        degree_rows("out-links", found.out_degrees),
        small_world_rows(found.clustering, found.paths, found.size.pages),
        reach_rows(found.reach_at_end, found.reach_over_time),
        growth_rows(found.growth, found.duration),
    )
    for section in sections:
        rows = list(section)
        for row in rows:
            grid.add_row(*row, end_section=row is rows[-1])
    return grid


def size_rows(size: Size) -> Iterator[Row]:
    """Say how much there is."""
    yield "pages", f"{size.pages:,}", f"on {count(size.hosts, 'host')}"
    yield "versions", f"{size.versions:,}", "of those pages"
    yield "redirects", f"{size.redirects:,}", "URLs that only lead on"
    yield "absent", f"{size.absent:,}", "URLs linked to, but never there"
    yield "links", f"{size.links:,}", "on all versions of all pages"
    yield "  distinct", f"{size.distinct_links:,}", "from one URL to another"
    yield "  between pages", f"{size.edges:,}", "redirects followed; used below"


def degree_rows(name: str, degrees: Degrees) -> Iterator[Row]:
    """Say how links are distributed."""
    yield name, f"{degrees.mean:.1f}", f"a page; at most {degrees.largest:,}"
    yield from law_rows("exponent, tail", degrees.tail)
    yield from law_rows("exponent, all", degrees.all)
    yield from law_rows("exponent, bounded", degrees.bounded)


def law_rows(name: str, law: PowerLaw | None) -> Iterator[Row]:
    """Return which power law was fitted, and to what."""
    if law is None:
        yield f"  {name}", "–", "too few different degrees"
        return
    span = f"{law.x_min:,} ≤ k ≤ {law.x_max:,}" if law.bounded else f"k ≥ {law.x_min:,}"
    fitted = f"{span}, {count(law.points, 'page')}, KS {law.distance:.3f}"
    yield f"  {name}", f"{law.exponent:.3f} ± {law.error:.3f}", fitted


def small_world_rows(found: Clustering, paths: PathLengths | None, pages: int) -> Iterator[Row]:
    """Return whether it is a small world."""
    how = "counted" if found.sample is None else f"± {found.average_error:.4f}, sampled"
    yield "clustering", f"{found.average:.4f}", f"{how}; mean over pages"
    how = "counted" if found.sample is None else f"± {found.transitivity_error:.4f}, sampled"
    yield "transitivity", f"{found.transitivity:.4f}", f"{how}; over all neighbours"
    if paths is None:
        yield "mean path", "–", "no page leads to another"
        return
    error = f" ± {paths.error:.2f}" if paths.error else ""
    sources = "all" if paths.sources == pages else f"{paths.sources:,}"
    yield (
        "mean path",
        f"{paths.mean:.2f}{error}",
        f"clicks, from {sources} pages; at most {paths.longest:,}",
    )


def reach_rows(at_end: Reach, over_time: Reach) -> Iterator[Row]:
    """Say how much a crawl can find."""
    for name, reach in (("reachable at the end", at_end), ("reachable over time", over_time)):
        yield name, f"{reach.share:.1%}", f"{reach.reached:,} of {count(reach.pages, 'page')}"


def growth_rows(growth: Growth, duration: float) -> Iterator[Row]:
    """Say how fast it changes."""
    if not growth.days:
        yield "duration", "–", "the world stands still"
        return
    yield "duration", f"{duration / DAY:,.1f}", "days"
    yield "new pages", f"{growth.new:,.1f}", f"a day; at most {max(growth.new_by_day):,}"
    yield (
        "changed pages",
        f"{growth.changed:,.1f}",
        f"a day; at most {max(growth.changed_by_day):,}",
    )


def count(number: int, noun: str) -> str:
    """Return a number and its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

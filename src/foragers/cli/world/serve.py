"""`foragers world serve`: a world as a web on this machine, until Ctrl-C."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite

from rich.console import Console
from rich.markup import escape

from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.serving.server import WorldServer, serve

SHOWN_SEEDS = 5


def serve_world(
    archive: Archive,
    console: Console,
    port: int = 8000,
    speed: float | None = None,
    since: str | None = None,
) -> None:
    """Serve a world, and print where it is and how to stop it.

    `since` is start, end or a date; by default time runs from the start if a speed is
    given, and stands still at the end if none is.
    """
    if speed is not None and not (isfinite(speed) and speed > 0):
        raise UsageError(f"--speed {speed:g}: give world seconds per second, more than 0")
    began = moment(archive, since or ("end" if speed is None else "start"))
    pace = 1.0 if speed is None else speed
    serve(archive, port, pace, began, ready=lambda server: announce(server, console))
    console.print("stopped")


def moment(archive: Archive, since: str) -> float | None:
    """Return the moment that --since names; None is the end, where time stands still."""
    if since in ("start", "end"):
        return archive.start if since == "start" else None
    try:
        parsed = datetime.fromisoformat(since)
    except ValueError:
        raise UsageError(
            f"--since {since}: give start, end or a date such as {day(archive.start)}"
        ) from None
    time = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    if time > archive.end:
        raise UsageError(
            f"--since {since} is after the end of this world;"
            f" it goes from {day(archive.start)} to {day(archive.end)}"
        )
    return time


def announce(server: WorldServer, console: Console) -> None:
    """Print what a user needs: the addresses to open, the time there, how to stop."""
    archive = server.archive
    hosts = len(archive.book.host_names)
    name = archive.path.name if archive.path else "a world"
    console.print(f"serving {escape(name)}: {archive.pages:,} pages, {hosts:,} hosts")
    for url in archive.seeds[:SHOWN_SEEDS]:
        href = archive.book.href(url)
        console.print(f"  {escape(server.address(href))}  [dim]is {escape(href)}[/dim]")
    if len(archive.seeds) > SHOWN_SEEDS:
        console.print(f"  and {len(archive.seeds) - SHOWN_SEEDS:,} other seeds")
    if server.since is None:
        console.print(f"time stands still at {day(archive.end)}")
    else:
        console.print(f"time runs from {day(server.since)}, {server.speed:g} seconds a second")
    if server.notice:
        console.print(f"[yellow]{escape(server.notice)}[/yellow]")
    console.print("Ctrl-C stops")


def day(time: float) -> str:
    """Return a moment as a date that --since takes."""
    return datetime.fromtimestamp(int(time), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

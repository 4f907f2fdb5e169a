"""All papers in one folder, with one page: `foragers reproduce all`.

Each paper has a folder of its own.  A paper that was finished before, by the same request and the
same version, is read back and not made again; so a reproduction that was stopped goes on where it
was.  The page is written after every paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from foragers.core.files import write
from foragers.errors import UsageError
from foragers.evaluation.tables import Exhibits
from foragers.papers.output import read_exhibits, write_exhibits
from foragers.papers.pages import index
from foragers.papers.request import PAPERS, PaperRequest, Progress, reproduce
from foragers.version import __version__

ALL = "all"
DONE = "request.json"
"""Written last: the request that the exhibits of a folder answer."""


def reproduce_all(
    request: PaperRequest, progress: Progress
) -> Iterator[tuple[str, Exhibits, bool]]:
    """Make the exhibits of each paper, and give them with whether they were there already."""
    if request.worlds or request.relevant or request.topic:
        raise UsageError(
            "all: --world, --relevant and --topic are for one paper at a time; name the paper"
        )
    done: dict[str, tuple[Exhibits, Path]] = {}
    for paper in PAPERS:
        folder = request.out / paper
        exhibits = finished(folder, request)
        was_there = exhibits is not None
        if exhibits is None:
            (folder / DONE).unlink(missing_ok=True)
            exhibits = reproduce(paper, replace(request, out=folder), progress)
            write_exhibits(exhibits, folder)
            write(folder / DONE, fingerprint(request))
        done[paper] = exhibits, folder
        write(request.out / "index.html", index(done).encode())
        yield paper, exhibits, was_there


def fingerprint(request: PaperRequest) -> bytes:
    """Return what decides the exhibits of a request."""
    parts = {
        "version": __version__,
        "runs": request.runs,
        "seed": request.seed,
        "scale": request.scale,
        "ledgers": request.ledgers,
    }
    return msgspec.json.encode(parts) + b"\n"


def finished(folder: Path, request: PaperRequest) -> Exhibits | None:
    """Return the exhibits of a folder if they answer the request, None if they must be made."""
    try:
        if (folder / DONE).read_bytes() != fingerprint(request):
            return None
        return read_exhibits(folder)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None

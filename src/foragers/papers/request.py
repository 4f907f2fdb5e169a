"""What a user asks of a paper: on which worlds, how large, how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, cast

from foragers.evaluation.tables import Exhibits
from foragers.papers.claims import corrected

PAPERS: Mapping[str, str] = {
    "spider": "links valued by what they lead to, learned on some sites and tried on others",
    "selection": "foragers that select where to start against foragers that learn where to go",
    "evolution": "a fleet of news foragers that multiplies and divides the work",
    "population": "agents that live on relevance, kept within bounds, and their rivals",
    "automata": "a crawler of learning automata against three that were trained",
}
"""Each paper, with what its exhibits show; its module is the one of that name beside this one."""


class PaperMeter(Protocol):
    """Something that shows how far the work is."""

    def __call__(self, done: int, note: str = "") -> None:
        """Show that so much is done."""
        ...


Progress: TypeAlias = Callable[[str, int], AbstractContextManager[PaperMeter]]
"""Called with what is done and how much of it there is, gives a meter."""


Kept: TypeAlias = Literal["paper", "tables", "all"]
"""Which simulated fleets leave a ledger: the paper's own, all in its tables, or all."""


@dataclass(frozen=True)
class PaperRequest:
    """How the exhibits of a paper are to be made.

    Without `worlds` a web is generated; `scale` is its size, and that of the experiment, as
    a share of the paper's.  `relevant` and `topic` say what is wanted on recorded webs.
    """

    out: Path
    worlds: tuple[Path, ...] = ()
    runs: int | None = None
    seed: int = 0
    jobs: int = 1
    scale: float = 1.0
    relevant: str | None = None
    topic: str | None = None
    ledgers: Kept = "tables"


def reproduce(paper: str, request: PaperRequest, progress: Progress) -> Exhibits:
    """Run the experiments of a paper."""
    make = import_module(f"foragers.papers.{paper}.paper").reproduce
    made = cast(Callable[[PaperRequest, Progress], Exhibits], make)(request, progress)
    return replace(made, verdicts=corrected(made.verdicts))

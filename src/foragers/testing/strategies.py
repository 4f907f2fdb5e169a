"""The contract of a strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foragers.core.protocols import Judge, Strategy, World
from foragers.core.types import NO_PARENT, Status
from foragers.strategies.registry import StrategyInfo
from foragers.testing.dialogue import Asked, Kind, Transcript, converse, replay
from foragers.testing.faults import (
    Barren,
    Late,
    ListedOnly,
    Lossy,
    Seedless,
    Shuffled,
    Tangled,
    Unkept,
    Vanished,
)

KINDS: tuple[Kind, ...] = ("plain", "log", "both")
FAULTS: tuple[Callable[[World], World], ...] = (Late, Shuffled, Lossy)
ODD: tuple[Callable[[World], World], ...] = (Vanished, Barren, Tangled, Seedless)
UNWANTED: tuple[Callable[[World], World], ...] = (Unkept, ListedOnly)
"""Worlds with links on pages that are not kept."""


def check_strategy(
    make: Callable[[], Strategy],
    world: Callable[[], World],
    judge: Judge,
    *,
    revisits: bool | None = None,
    downloads: int = 300,
) -> None:
    """Check that a strategy keeps its contract.

    `make` returns a new strategy, always with the same seed.  `world` returns a new world, best one
    with several hosts and connections.  `revisits`: the strategy may fetch a page again (by default
    its own attribute `revisits`).

    - It chooses at most n pages, on open hosts, that it was told of, with a finite promise and the
      parent and depth of the link, and none twice.  The same seed gives the same choices, and a
      pickled copy continues like the original.
    - Late, shuffled, lost and missing pages, pages without links or with links to themselves, and
      a world without seeds cause no error.
    - Links of pages that are not kept (noindex, sitemaps) are followed, except by a strategy with
      `near_seeds`, which fetches only seeds and the pages they link to.
    """
    kind_made = type(make())
    can = StrategyInfo.of(kind_made.__name__, kind_made)
    if revisits is None:
        revisits = can.revisits
    transcript = converse(make(), world(), judge, revisits=revisits, downloads=downloads)
    steps = len(transcript)
    assert any(isinstance(said, Asked) and said.choices for said in transcript), (
        f"{type(make()).__name__} chose nothing in this world, so that nothing can be checked"
    )
    for kind in KINDS:
        replay(make(), transcript, "the same seed and the same visits", doors=kind)
        for step in (1, steps // 3, steps // 2, steps - 1):
            replay(make(), transcript, "going on unpickled", doors=kind, pickle_at=step)
    limits: dict[str, Any] = {"revisits": revisits, "downloads": downloads}
    for seed, around in enumerate((*FAULTS, *ODD)):
        kind = KINDS[seed % len(KINDS)]
        converse(make(), around(world()), judge, seed=seed, doors=kind, **limits)
    for seed, around in enumerate(UNWANTED[: 1 if can.near_seeds else None]):
        kind = KINDS[seed % len(KINDS)]
        talk = converse(make(), around(world()), judge, seed=seed, doors=kind, **limits)
        assert follows_unwanted(talk), (
            f"{type(make()).__name__} follows no link of a page that is not kept"
            f" ({around.__name__}): told such links, it chose none"
        )


def follows_unwanted(transcript: Transcript) -> bool:
    """Return whether links of pages that are not kept were followed, if there were any."""
    listed: set[int] = set()
    chosen: set[int] = set()
    for said in transcript:
        if isinstance(said, Asked):
            chosen.update(choice.url for choice in said.choices if choice.parent != NO_PARENT)
            continue
        for visit in said.visits:
            if visit.page.status is Status.UNWANTED:
                listed.update(visit.links.targets.tolist())
    return not listed or bool(chosen & listed)

"""What a strategy promises."""

from __future__ import annotations

from collections.abc import Callable

from foragers.protocols import Judge, Strategy, World
from foragers.testing.dialogue import Asked, Kind, converse, replay
from foragers.testing.faults import Barren, Late, Lossy, Seedless, Shuffled, Tangled, Vanished

KINDS: tuple[Kind, ...] = ("plain", "log", "both")
FAULTS: tuple[Callable[[World], World], ...] = (Late, Shuffled, Lossy)
ODD: tuple[Callable[[World], World], ...] = (Vanished, Barren, Tangled, Seedless)


def check_strategy(
    make: Callable[[], Strategy],
    world: Callable[[], World],
    judge: Judge,
    *,
    revisits: bool | None = None,
    downloads: int = 300,
) -> None:
    """Check that a strategy keeps its promises.

    `make` returns a fresh strategy, always with the same seed; `world` a fresh world,
    best one with several hosts and connections; `revisits` says that the strategy may
    fetch a page again (if not said, its own `revisits` does).  What is checked: it chooses
    at most n pages, on open hosts, that it was told of, with a finite promise and the
    parent and depth that led there, none twice; the same seed gives the same choices; a
    pickled copy goes on like the original; late, shuffled and lost answers, missing pages,
    pages without links, links to oneself and a world without seeds are survived.
    """
    if revisits is None:
        revisits = bool(getattr(make(), "revisits", False))
    transcript = converse(make(), world(), judge, revisits=revisits, downloads=downloads)
    steps = len(transcript)
    assert any(isinstance(said, Asked) and said.choices for said in transcript), (
        f"{type(make()).__name__} chose nothing in this world, so that nothing can be checked"
    )
    for kind in KINDS:
        replay(make(), transcript, "the same seed and the same visits", doors=kind)
        for step in (1, steps // 3, steps // 2, steps - 1):
            replay(make(), transcript, "going on unpickled", doors=kind, pickle_at=step)
    for seed, around in enumerate((*FAULTS, *ODD)):
        kind = KINDS[seed % len(KINDS)]
        converse(
            make(),
            around(world()),
            judge,
            seed=seed,
            doors=kind,
            revisits=revisits,
            downloads=downloads,
        )

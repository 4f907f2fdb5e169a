"""A world with a limited number of downloads, or until a moment of its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from foragers.core.protocols import World
from foragers.core.types import Choice, Link, Page, Status


@dataclass(slots=True)
class Budget:
    """Another world, until the downloads are spent; nothing is started while it is `paused`."""

    world: World
    downloads: int
    started: int = 0
    paused: bool = False

    @property
    def now(self) -> float:
        """The time of the world inside."""
        return self.world.now

    @property
    def free(self) -> int:
        """The number of downloads that the inner world and the budget allow now."""
        return 0 if self.paused else min(self.world.free, self.downloads - self.started)

    @property
    def left(self) -> float:
        """The number of downloads left in the budget."""
        return min(self.world.left, self.downloads - self.started)

    @property
    def running(self) -> int:
        """The number of downloads in progress."""
        return self.world.running

    @property
    def seeds(self) -> Sequence[Link]:
        """The seeds of the world inside."""
        return self.world.seeds

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self.started >= self.downloads

    def start(self, choice: Choice) -> None:
        """Start a download and count it."""
        self.started += 1
        self.world.start(choice)

    def give_back(self, downloads: int) -> None:
        """Return downloads to the budget that were started and have no outcome."""
        self.started -= downloads

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return the next pages of the inner world; skipped pages cost nothing."""
        pages = self.world.finished(until)
        self.started -= sum(page.status is Status.SKIPPED for page in pages)
        return pages


@dataclass(slots=True)
class Period:
    """Another world, until a moment of its time."""

    world: World
    end: float

    @property
    def now(self) -> float:
        """The time of the world inside."""
        return self.world.now

    @property
    def free(self) -> int:
        """The number of downloads that may be started: none after the end."""
        return self.world.free if self.world.now < self.end else 0

    @property
    def left(self) -> float:
        """The number of downloads that the inner world allows."""
        return self.world.left

    @property
    def running(self) -> int:
        """The number of downloads in progress."""
        return self.world.running

    @property
    def seeds(self) -> Sequence[Link]:
        """The seeds of the world inside."""
        return self.world.seeds

    def start(self, choice: Choice) -> None:
        """Start a download."""
        self.world.start(choice)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return the next pages of the inner world, at the latest until the end."""
        return self.world.finished(min(until, self.end) if not self.world.running else until)

"""What a user can ask for: the options of the command line and of a settings file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """What is wanted: words, examples, labels, news, or a function of the user's."""

    topic: str | None = None
    similarity: str = "keywords"
    threshold: float | None = None
    examples: str | None = None
    relevant: str | None = None
    new_within: str | None = None
    judge: str | None = None
    idf: str | None = None

    def __str__(self) -> str:
        """Say in a few words what is wanted."""
        said = {
            "topic": self.topic and f"“{self.topic}”",
            "like the examples in": self.examples,
            "judged by": self.judge,
            "labelled": self.relevant,
            "new within": self.new_within,
        }
        parts = [f"{name} {value}" for name, value in said.items() if value]
        return ", ".join(parts) or "every page"


@dataclass(frozen=True)
class ReplayOptions:
    """One crawl of one world by one strategy.

    With `learns_since` it takes up what the crawls with all seeds from there on learned.
    With a `delay` it is as polite as a live crawl: one download at a time from each host, and
    a pause of so many seconds after it.
    """

    world: str
    strategy: str
    aim: Target = Target()
    budget: int = 2000
    seed: int = 0
    seeds: tuple[str, ...] = ()
    labels: str | None = None
    since: float | None = None
    seconds_per_page: float = 1.0
    connections: int = 1
    delay: float | None = None
    latency: tuple[float, float] | None = None
    learns_since: int | None = None

"""The presets by name, and the one function that makes a world from one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.generated.news import news_world
from foragers.worlds.generated.newsroom import NewsParameters
from foragers.worlds.generated.topics import TopicsParameters, topics_world


@dataclass(frozen=True)
class Preset:
    """A way of making worlds: its function, its parameters and its usual size."""

    make: Callable[[int, int, Any, dict[str, str | int | float]], Archive]
    parameters: type[Any]
    pages: int


PRESETS = {
    "news": Preset(news_world, NewsParameters, 33_000),
    "topics": Preset(topics_world, TopicsParameters, 20_000),
}


def generate(preset: str, seed: int = 0, pages: int | None = None, **params: float) -> Archive:
    """Make a world: the same arguments give the same world, byte for byte."""
    chosen = PRESETS.get(preset)
    if chosen is None:
        raise UsageError(f"no preset {preset!r}; choose one of {', '.join(PRESETS)}")
    known = {field.name: field for field in fields(chosen.parameters)}
    for name in params:
        if name not in known:
            raise UsageError(
                f"preset {preset!r} has no parameter {name!r}; it has {', '.join(known)}"
            )
    count = chosen.pages if pages is None else pages
    parameters = chosen.parameters(**params)
    origin = {"preset": preset, "seed": seed, "pages": count, **params}
    return chosen.make(seed, count, parameters, origin)

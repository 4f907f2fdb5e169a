"""The presets by name, and the function that makes a world from one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.generated.build import Origin
from foragers.worlds.generated.companies import CompaniesParameters, companies_world
from foragers.worlds.generated.departments import DepartmentsParameters, departments_world
from foragers.worlds.generated.news import news_world
from foragers.worlds.generated.news_pages import NewsParameters
from foragers.worlds.generated.topics import TopicsParameters, topics_world


@dataclass(frozen=True)
class Preset:
    """A kind of generated world: its function, its parameters, its default and smallest size."""

    make: Callable[[int, int, Any, Origin], Archive]
    parameters: type[Any]
    pages: int
    fewest: int


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "news": Preset(news_world, NewsParameters, 33_000, 500),
        "departments": Preset(departments_world, DepartmentsParameters, 20_000, 400),
        "companies": Preset(companies_world, CompaniesParameters, 6_500, 1_700),
        "topics": Preset(topics_world, TopicsParameters, 20_000, 200),
    }
)


def generate(
    preset: str, seed: int = 0, pages: int | None = None, **params: int | float
) -> Archive:
    """Make a world: the same arguments give the same world, byte for byte."""
    chosen = PRESETS.get(preset)
    if chosen is None:
        raise UsageError(f"no preset {preset!r}; choose one of {', '.join(PRESETS)}")
    count = chosen.pages if pages is None else pages
    if count < chosen.fewest:
        raise UsageError(
            f"preset {preset!r} needs at least {chosen.fewest} pages, not {count}; ask for more"
        )
    if seed < 0:
        raise UsageError(f"seed {seed} is negative; choose 0 or more")
    origin: Origin = {"preset": preset, "seed": seed, "pages": count, **params}
    return chosen.make(seed, count, parameters_of(preset, chosen, params), origin)


def parameters_of(preset: str, chosen: Preset, params: Mapping[str, int | float]) -> Any:
    """Return the parameters of a preset with some of them changed."""
    defaults = {field.name: field.default for field in fields(chosen.parameters)}
    for name, value in params.items():
        if name not in defaults:
            raise UsageError(
                f"preset {preset!r} has no parameter {name!r}; it has {', '.join(defaults)}"
            )
        whole = isinstance(defaults[name], int)
        if not isinstance(value, int if whole else int | float) or value < whole:
            wanted = "a whole number from 1" if whole else "a number from 0"
            raise UsageError(f"parameter {name!r} of {preset!r} is {value!r}; it must be {wanted}")
    return chosen.parameters(**params)

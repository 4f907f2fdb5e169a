"""Classes by name, each loaded when it is first asked for.

A crawl uses one strategy; loading all of them, with what they stand on, would take it longer
than fetching its first hundred pages.

The strategies by name, and how `NAME(param=value, …)` becomes one of them.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from foragers.core.models import Model, load_model
from foragers.core.protocols import Strategy
from foragers.errors import UsageError
from foragers.judges.topic import Topic
from foragers.strategies.optimal import Oracle


class Lazily(Mapping[str, type]):
    """Classes of some package, told as `module:Class`."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self._package = package
        self._places = places

    def __getitem__(self, name: str) -> type:
        module, _, kind = self._places[name].partition(":")
        found: type = getattr(import_module(f"{self._package}.{module}"), kind)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


STRATEGIES: Mapping[str, type] = Lazily(
    "foragers.strategies",
    {
        "auto": "auto.strategy:Auto",
        "breadth-first": "baselines:BreadthFirst",
        "random": "baselines:Random",
        "best-first": "baselines:BestFirst",
        "shark-search": "shark_search:SharkSearch",
        "spider": "spider.strategy:Spider",
        "rl-immediate": "spider.strategy:RlImmediate",
        "rl-future": "spider.strategy:RlFuture",
        "full-page": "spider.strategy:FullPage",
        "related": "spider.strategy:Related",
        "optimal": "optimal:Optimal",
        "lafc": "automata.lafc:Lafc",
        "hmm": "layered.hmm:Hmm",
        "bpm": "layered.hmm:Bpm",
        "hw": "layered.context_graph:Hw",
        "context-graph": "layered.context_graph:ContextGraph",
        "energy": "population.energy:Energy",
        "infospiders": "population.infospiders:InfoSpiders",
        "foragers": "fleet.strategy:MixedFleet",
        "wl": "fleet.strategy:Wl",
        "rl": "fleet.strategy:Rl",
        "wlrl": "fleet.strategy:Wlrl",
        "wlrl-refresh": "fleet.strategy:WlrlRefresh",
        "mixed-fleet": "fleet.strategy:MixedFleet",
        "no-learning": "fleet.strategy:NoLearning",
        "random-order": "fleet.strategy:RandomOrder",
        "home-page": "fleet.strategy:HomePage",
        "uniform": "uniform:Uniform",
    },
)
PLAIN = (bool, int, float, str)


@dataclass(frozen=True)
class StrategyInputs:
    """What a strategy may be given: a topic, its own source of chance, and, for one, an oracle.

    A `model` is what earlier crawls learned; one that the user names for a strategy goes before.
    `named` is that one, where it was read already.
    `new_within` is how many seconds old a page may be to count, if it is news that is wanted.
    """

    topic: Topic
    rng: np.random.Generator
    oracle: Oracle | None = None
    model: Model | None = None
    new_within: float = inf
    named: Model | None = None


def build(spec: str, brief: StrategyInputs) -> Strategy:
    """Make a strategy from `name` or `name(param=value, …)`; one with a `check` is told to."""
    name, given = parse(spec)
    kind = STRATEGIES[name]
    needed = {field.name for field in fields(kind)} & {"topic", "rng", "oracle", "new_within"}
    if "oracle" in needed and brief.oracle is None:
        raise UsageError(
            f"strategy '{name}' needs a world whose graph is known; use it with 'foragers compare'"
        )
    filled: dict[str, Any] = {**given, **{part: getattr(brief, part) for part in needed}}
    if brief.model is not None and hasattr(kind, "model_kind"):
        filled.setdefault(getattr(kind, "learned_field", "model"), brief.model)
    if "model" in given:
        filled["model"] = named_model(spec) if brief.named is None else brief.named
    strategy: Strategy = kind(**filled)
    if callable(check := getattr(strategy, "check", None)):
        check()
    return strategy


def named_model(spec: str) -> Model | None:
    """Read the model that a user names for a strategy, if one is named."""
    name, given = parse(spec)
    if "model" not in given:
        return None
    wanted, version = getattr(STRATEGIES[name], "model_kind")  # noqa: B009  known only by name
    return load_model(Path(str(given["model"])), wanted, version)


def needs_context(spec: str) -> bool:
    """Say whether a strategy may ask for the words around links and for their place in the page."""
    return bool(getattr(STRATEGIES[parse(spec)[0]], "needs_context", True))


def parse(
    spec: str, known: Mapping[str, type] | None = None, what: str = "strategy"
) -> tuple[str, dict[str, bool | int | float | str]]:
    """Return the name and the parameters of a strategy, or of something else, checked."""
    match = re.fullmatch(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*", spec, re.DOTALL)
    if not match:
        raise UsageError(f"{what} '{spec}' is not of the form NAME or NAME(param=value, ...)")
    name, inside = match.groups()
    known = STRATEGIES if known is None else known
    if name not in known:
        raise UsageError(f"unknown {what} '{name}'{suggest(name, known)}")
    settable = parameters(known[name])
    given: dict[str, bool | int | float | str] = {}
    for part in split(inside or ""):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"{what} '{name}': write '{part.strip()}' as param=value")
        if key not in settable:
            raise UsageError(f"{what} '{name}' has no parameter '{key}'{suggest(key, settable)}")
        if key in given:
            raise UsageError(f"{what} '{name}': {key} is given twice; give it once")
        given[key] = convert(f"{what} '{name}'", key, value, settable[key][0])
    return name, given


def parameters(kind: type) -> dict[str, tuple[type, Any]]:
    """Return the parameters that a user may set: name -> (type, default).

    A strategy that can use a model has a field of that name, which the user fills with the name
    of a file, and says in `model_kind` which kind and version that must hold.
    """
    hints = get_type_hints(kind)
    if hints.get("model") == Model | None:
        hints["model"] = str
    return {
        field.name: (hints[field.name], field.default)
        for field in fields(kind)
        if hints[field.name] in PLAIN and not field.name.startswith("_") and field.init
        if field.default is not MISSING
    }


def convert(whose: str, key: str, value: str, kind: type) -> bool | int | float | str:
    """Turn what the user wrote into the parameter's type."""
    literal: bool | int | float | str
    try:
        literal = ast.literal_eval(value.title() if kind is bool else value)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        literal = value
    if kind is float and type(literal) is int:
        literal = float(literal)
    if kind is str and not isinstance(literal, str):
        literal = value
    if type(literal) is not kind or literal in (inf, -inf):
        raise UsageError(f"{whose}: {key} must be {kind.__name__}, not '{value}'")
    return literal


def split(text: str) -> Sequence[str]:
    """Split at commas that are not inside brackets or quotes."""
    part = r"(?:[^,()\"']|\([^()]*\)|\"[^\"]*\"|'[^']*')*"
    if not re.fullmatch(rf"{part}(?:,{part})*", text):
        raise UsageError(f"'{text}': a bracket or quote is not closed")
    return [found for found in re.findall(part, text) if found.strip()]


def suggest(word: str, known: Mapping[str, object]) -> str:
    """Return the end of an error message: what the user may have meant, or what there is."""
    near = difflib.get_close_matches(word, known, n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; there are {', '.join(known)}" if known else "; it has none"

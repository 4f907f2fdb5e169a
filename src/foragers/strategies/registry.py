"""The strategies, and how what a user writes becomes one of them.

    best-first              a strategy of Foragers, loaded when it is first asked for
    mine                    one that `register_strategy` or another package's entry point names
    my_module:Mine          a class in a module
    path/to/file.py:Mine    a class in a file
    Mine, Mine(x=1)         a class or an object, from Python

Each but an object may be followed by parameters: `NAME(param=value, …)`.  `info` says what a
strategy can do; it is derived from the class, once.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from copy import deepcopy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_type_hints

import numpy as np

from foragers.core.models import Model, load_model
from foragers.core.plugins.guard import KnownUrls, StrategyGuard
from foragers.core.plugins.loading import (
    Given,
    in_one_line,
    installed,
    is_place,
    load_entry,
    load_place,
    name_of,
)
from foragers.core.population import Populous
from foragers.core.protocols import Explains, Learns, Strategy
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
GROUP = "foragers.strategies"
"""The entry points by which other packages offer strategies."""
BUILT_IN, REGISTERED = "built in", "registered"
INPUTS = ("topic", "rng", "oracle", "new_within")
"""What a strategy is given if it has a field of that name."""
StrategyLike: TypeAlias = "str | type | Strategy"
AnyClass = TypeVar("AnyClass", bound=type)


@dataclass(frozen=True)
class StrategyInfo:
    """What a strategy can do, and where it comes from.

    `needs_link_context`: it may ask for the words around links and their place in the page.
    `model_kind`: the kind and version of the model that its parameter `model` names, if it has
    one.  `saves`: it can save what it learns (`learned_kind`), and takes that up again in the
    field `learned_field`.  `revisits`: it fetches pages again.  `near_seeds`: it fetches seeds and
    what they link to, nothing else.  `explains`: it can say why it chose a page.  `populous`: it
    is a population of agents.
    """

    name: str
    kind: type
    origin: str = BUILT_IN
    needs_link_context: bool = True
    model_kind: tuple[str, int] | None = None
    saves: bool = False
    learned_kind: tuple[str, int] | None = None
    learned_field: str = "model"
    revisits: bool = False
    near_seeds: bool = False
    explains: bool = False
    populous: bool = False

    @classmethod
    def of(cls, name: str, kind: type, origin: str = BUILT_IN) -> StrategyInfo:
        """Derive what a class can do from its attributes and methods."""
        for method in ("ask", "tell"):
            if not callable(getattr(kind, method, None)):
                raise UsageError(
                    f"strategy '{name}' has no method {method} ({place_of(kind)});"
                    " a strategy has ask(n, closed) and tell(visits)"
                )
        model_kind = getattr(kind, "model_kind", None)
        return cls(
            name=name,
            kind=kind,
            origin=origin,
            needs_link_context=bool(getattr(kind, "needs_context", True)),
            model_kind=model_kind,
            saves=issubclass(kind, Learns),
            learned_kind=getattr(kind, "learned_kind", model_kind),
            learned_field=getattr(kind, "learned_field", "model"),
            revisits=bool(getattr(kind, "revisits", False)),
            near_seeds=bool(getattr(kind, "near_seeds", False)),
            explains=issubclass(kind, Explains),
            populous=issubclass(kind, Populous),
        )

    @property
    def is_built_in(self) -> bool:
        """Whether it is a part of Foragers."""
        return self.origin == BUILT_IN

    @property
    def learns_apart(self) -> bool:
        """Whether what it learns is something else than a model that one could train."""
        return self.learned_kind != self.model_kind


REGISTRY: dict[str, type] = {}
"""The classes that were registered in this process."""


def register_strategy(
    name: str, kind: AnyClass | None = None
) -> AnyClass | Callable[[AnyClass], AnyClass]:
    """Let a class be asked for as strategy by name; with a name alone this is a decorator."""
    if kind is None:
        return lambda decorated: register_strategy(name, decorated)  # type: ignore[return-value]
    if not re.fullmatch(r"[\w.-]+", name):
        raise UsageError(f"register_strategy({name!r}): use letters, digits, -, . and _")
    if name in STRATEGIES:
        raise UsageError(f"register_strategy({name!r}): Foragers has a strategy of that name")
    if not isinstance(kind, type):
        raise UsageError(f"register_strategy({name!r}): give a class, not {kind!r}")
    StrategyInfo.of(name, kind, REGISTERED)
    REGISTRY[name] = kind
    return kind


def registered() -> dict[str, str]:
    """Return the strategies that are no part of Foragers, by name, and where each comes from."""
    found = {}
    for name, entry in installed(GROUP).items():
        found[name] = f"package {entry.dist.name}" if entry.dist else "a package"
    found.update({name: f"{REGISTERED}, {name_of(kind)}" for name, kind in REGISTRY.items()})
    return {name: origin for name, origin in found.items() if name not in STRATEGIES}


def resolve(strategy: StrategyLike) -> str:
    """Return a strategy as text for the options; a class or an object travels with its name."""
    if isinstance(strategy, Given):
        return strategy
    if isinstance(strategy, str):
        name, _ = parse(strategy)
        return Given(strategy, REGISTRY[name]) if name in REGISTRY else strategy
    kind = strategy if isinstance(strategy, type) else type(strategy)
    name = name_of(kind)
    StrategyInfo.of(name, kind)
    if kind is strategy:
        return Given(name, strategy)
    changed = [
        f"{key}={value!r}"
        for key, (_, default) in parameters(kind).items()
        if type(value := getattr(strategy, key, default)) in PLAIN and value != default
    ]
    return Given(f"{name}({', '.join(changed)})" if changed else name, strategy)


def info(spec: str) -> StrategyInfo:
    """Return what the strategy can do that a user names."""
    if isinstance(spec, Given) and not isinstance(spec.thing, type):
        kind: type[Any] = spec.thing.__class__
        return StrategyInfo.of(name_of(kind), kind, REGISTERED)
    name, _ = parse(spec)
    if isinstance(spec, Given):
        return StrategyInfo.of(name, spec.thing, REGISTERED)
    return StrategyInfo.of(name, *class_of(name))


def class_of(name: str) -> tuple[type, str]:
    """Return the class of a strategy, and where it comes from."""
    if name in STRATEGIES:
        return STRATEGIES[name], BUILT_IN
    if name in REGISTRY:
        return REGISTRY[name], REGISTERED
    if is_place(name):
        kind, origin = load_place(name, "--strategy", "Class"), name.rpartition(":")[0]
    elif entry := installed(GROUP).get(name):
        kind, origin = load_entry(entry, "--strategy"), f"package {entry.dist and entry.dist.name}"
    else:
        known = {**STRATEGIES, **registered()}
        raise UsageError(f"unknown strategy '{name}'{suggest(name, known)}")
    if not isinstance(kind, type):
        raise UsageError(f"--strategy {name}: is a {type(kind).__name__}, not a class")
    StrategyInfo.of(name, kind, origin)
    return kind, origin


def is_safe(spec: str) -> bool:
    """Say whether a strategy is a part of Foragers, so that naming it runs nobody else's code."""
    match = re.fullmatch(NAMED, spec, re.DOTALL)
    return match is not None and match[1] in STRATEGIES


def place_of(kind: type) -> str:
    """Return the file and line at which a class begins."""
    try:
        return f"{inspect.getsourcefile(kind)}, line {inspect.getsourcelines(kind)[1]}"
    except (OSError, TypeError):
        return f"{kind.__module__}:{kind.__qualname__}"


def guard_of(spec: str, urls: KnownUrls) -> StrategyGuard | None:
    """Return what checks the answers of a strategy; those of Foragers need none."""
    return None if info(spec).is_built_in else StrategyGuard(str(spec), urls)


def waiting_in(strategy: Strategy) -> int | None:
    """Return how many known pages wait to be fetched, if the strategy can tell."""
    frontier = getattr(strategy, "frontier", None)
    return len(frontier) if isinstance(frontier, Sized) else None


def is_learning(strategy: Strategy) -> bool:
    """Say whether what a strategy expects depends on what this crawl has found so far."""
    return bool(getattr(strategy, "learns", True))


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
    """Make a strategy from what a user names; one with a `check` is told to."""
    found = info(spec)
    if isinstance(spec, Given) and not isinstance(spec.thing, type):
        thing = spec.thing
        return made(found, lambda: deepcopy(thing))
    name, given = parse(spec)
    needed = init_names(found.kind) & set(INPUTS)
    if "oracle" in needed and brief.oracle is None:
        raise UsageError(
            f"strategy '{name}' needs a world whose graph is known; use it with 'foragers compare'"
        )
    filled: dict[str, Any] = {**given, **{part: getattr(brief, part) for part in needed}}
    if brief.model is not None and found.model_kind is not None:
        filled.setdefault(found.learned_field, brief.model)
    if "model" in given and found.model_kind is not None:
        filled["model"] = named_model(spec) if brief.named is None else brief.named
    strategy = made(found, lambda: found.kind(**filled))
    if callable(check := getattr(strategy, "check", None)):
        check()
    return strategy


def made(found: StrategyInfo, make: Callable[[], Strategy]) -> Strategy:
    """Make a strategy; what goes wrong with one of the user's is told in one line."""
    try:
        return make()
    except Exception as error:
        if found.is_built_in or isinstance(error, UsageError):
            raise
        raise UsageError(
            f"--strategy {found.name}: cannot be made ({in_one_line(error)};"
            f" {place_of(found.kind)}); its fields need defaults, but for topic, rng, new_within"
        ) from error


def named_model(spec: str) -> Model | None:
    """Read the model that a user names for a strategy, if one is named."""
    found, given = info(spec), parse(spec)[1]
    if found.model_kind is None or "model" not in given:
        return None
    wanted, version = found.model_kind
    return load_model(Path(str(given["model"])), wanted, version)


NAMED = r"\s*([^()\s](?:[^()\n]*[^()\s])?)\s*(?:\((.*)\))?\s*"
"""A name or a place, and parameters in brackets."""
PLAIN_NAME = r"[\w.-]+"


def parse(
    spec: str, known: Mapping[str, type] | None = None, what: str = "strategy"
) -> tuple[str, dict[str, bool | int | float | str]]:
    """Return the name and the parameters of a strategy, or of something else, checked."""
    match = re.fullmatch(NAMED, spec, re.DOTALL)
    if not match or not (re.fullmatch(PLAIN_NAME, match[1]) or (is_place(match[1]) and not known)):
        raise UsageError(f"{what} '{spec}' is not of the form NAME or NAME(param=value, ...)")
    name, inside = match.groups()
    if isinstance(spec, Given):
        if not isinstance(spec.thing, type):
            return str(spec), {}
        kind = spec.thing
    elif known is None:
        kind = class_of(name)[0]
    elif name not in known:
        raise UsageError(f"unknown {what} '{name}'{suggest(name, known)}")
    else:
        kind = known[name]
    settable = parameters(kind)
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
    if not is_dataclass(kind):
        return {
            parameter.name: (type(parameter.default), parameter.default)
            for parameter in init_parameters(kind)
            if type(parameter.default) in PLAIN
        }
    try:
        hints = get_type_hints(kind)
    except Exception:  # hints that cannot be read here: types imported for type checkers alone, …
        hints = {field.name: type(field.default) for field in fields(kind)}
    if hints.get("model") == Model | None:
        hints["model"] = str
    return {
        field.name: (hints[field.name], field.default)
        for field in fields(kind)
        if hints[field.name] in PLAIN and not field.name.startswith("_") and field.init
        if field.default is not MISSING
    }


def init_parameters(kind: type) -> list[inspect.Parameter]:
    """Return what the constructor of a class takes by name."""
    try:
        taken = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return []
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [parameter for parameter in taken if parameter.kind in by_name]


def init_names(kind: type) -> set[str]:
    """Return the names of what the constructor of a class takes."""
    if is_dataclass(kind):
        return {field.name for field in fields(kind)}
    return {parameter.name for parameter in init_parameters(kind)}


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

"""The strategies, and how what a user writes becomes one of them.

    best-first              a strategy of Foragers, loaded when it is first used
    mine                    one registered by `register_strategy` or another package's entry point
    my_module:Mine          a class in a module
    path/to/file.py:Mine    a class in a file
    Mine, Mine(x=1)         a class or an object, from Python

All except an object may be followed by parameters: `NAME(param=value, …)`.  `info` returns the
capabilities of a strategy, which are derived from its class here and nowhere else.
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
from typing import Any, TypeAlias, TypeVar, get_type_hints, overload

import numpy as np

from foragers.core.models import Model, load_model
from foragers.core.options import KINDS
from foragers.core.plugins.guard import KEPT, KnownUrls, StrategyGuard, failures_named
from foragers.core.plugins.loading import (
    Given,
    in_one_line,
    installed,
    is_place,
    load_entry,
    load_place,
    name_of,
    place_of,
)
from foragers.core.population import Census, Populous
from foragers.core.protocols import (
    ChecksParameters,
    Explains,
    HasFrontier,
    Learns,
    LearnsInCrawl,
    Strategy,
)
from foragers.core.types import Addresses
from foragers.errors import UsageError
from foragers.judges.topic import Topic
from foragers.strategies.optimal import Oracle


class Lazily(Mapping[str, type]):
    """Classes of a package, named as `module:Class` and imported on demand."""

    def __init__(self, package: str, classes: Mapping[str, str]) -> None:
        self._package = package
        self._classes = classes

    def __getitem__(self, name: str) -> type:
        module, _, kind = self._classes[name].partition(":")
        imported: type = getattr(import_module(f"{self._package}.{module}"), kind)
        return imported

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)


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
        "watch": "watch.strategy:Watch",
        "tag-path-bandit": "peers.tag_path_bandit:TagPathBandit",
        "host-bandit": "peers.host_bandit:HostBandit",
        "q-learning": "peers.q_learning:QLearning",
        "keyword-scorer": "peers.keyword_scorer:KeywordScorer",
    },
)
PLAIN = (bool, int, float, str)
GROUP = "foragers.strategies"
"""The entry points by which other packages offer strategies."""
BUILT_IN, REGISTERED = "built in", "registered"
INPUTS = ("topic", "rng", "oracle", "new_within")
"""The inputs that a strategy gets if it has a field of that name."""
StrategyLike: TypeAlias = "str | type | Strategy"
AnyClass = TypeVar("AnyClass", bound=type)


@dataclass(frozen=True)
class StrategyInfo:
    """The capabilities of a strategy, and its origin.

    `needs_link_context`: it uses the words around links and their position in the page.
    `reads_lists`: it requests sitemaps and feeds itself.
    `model_kind`: the kind and version of the model that its parameter `model` names, if it has
    one.  `saves`: it can save what it learns (`learned_kind`), and gets that again in the
    field `learned_field`.  `revisits`: it fetches pages again.  `near_seeds`: it fetches only seeds
    and their links.  `explains`: it can explain its choices.  `populous`: it
    is a population of agents.

    A class declares those of `DECLARED` as class attributes; the others follow from its methods.
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
    reads_lists: bool = False
    explains: bool = False
    populous: bool = False

    @classmethod
    def of(cls, name: str, kind: type, origin: str = BUILT_IN) -> StrategyInfo:
        """Derive the capabilities of a class from its attributes and methods."""
        for method in ("ask", "tell"):
            if not callable(getattr(kind, method, None)):
                raise UsageError(
                    f"strategy '{name}' has no method {method} ({place_of(kind)});"
                    " a strategy has ask(n, closed) and tell(visits)"
                )
        declared = {attr: getattr(kind, attr) for attr in DECLARED if hasattr(kind, attr)}
        declared.setdefault("learned_kind", declared.get("model_kind"))
        return cls(
            name,
            kind,
            origin,
            saves=issubclass(kind, Learns),
            explains=issubclass(kind, Explains),
            populous=issubclass(kind, Populous),
            **declared,
        )

    @property
    def is_built_in(self) -> bool:
        """Whether it is a part of Foragers."""
        return self.origin == BUILT_IN

    @property
    def learns_apart(self) -> bool:
        """Whether what it learns differs from the model that `foragers train` makes."""
        return self.learned_kind != self.model_kind


DECLARED = (
    *("needs_link_context", "model_kind", "learned_kind", "learned_field"),
    *("revisits", "near_seeds", "reads_lists"),
)
"""The capabilities that are class attributes of a strategy."""
REGISTRY: dict[str, type] = {}
"""The classes that were registered in this process."""


@overload
def register_strategy(name: str, kind: AnyClass) -> AnyClass: ...
@overload
def register_strategy(name: str) -> Callable[[AnyClass], AnyClass]: ...
def register_strategy(name: str, kind: type | None = None) -> object:
    """Register a class as a strategy; with a name alone this is a decorator."""
    if kind is None:
        return lambda decorated: register_strategy(name, decorated)
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
    """Return the strategies that are not part of Foragers, with their origins."""
    origins = {}
    for name, entry in installed(GROUP).items():
        origins[name] = f"package {entry.dist.name}" if entry.dist else "a package"
    origins.update({name: f"{REGISTERED}, {name_of(kind)}" for name, kind in REGISTRY.items()})
    return {name: origin for name, origin in origins.items() if name not in STRATEGIES}


def resolve(strategy: StrategyLike) -> str:
    """Return a strategy as text for the options; the text carries a class or an object along."""
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


def with_class(spec: str) -> str:
    """Return a strategy that is named by its place together with its class."""
    if isinstance(spec, Given) or is_safe(spec):
        return spec
    name, _ = parse(spec)
    return Given(spec, class_of(name)[0]) if is_place(name) else resolve(spec)


def info(spec: str) -> StrategyInfo:
    """Return the capabilities of a strategy."""
    if isinstance(spec, Given) and not isinstance(spec.thing, type):
        kind: type[Any] = spec.thing.__class__
        return StrategyInfo.of(name_of(kind), kind, REGISTERED)
    name, _ = parse(spec)
    if isinstance(spec, Given):
        return StrategyInfo.of(name, spec.thing, REGISTERED)
    return StrategyInfo.of(name, *class_of(name))


def class_of(name: str) -> tuple[type, str]:
    """Return the class of a strategy, and its origin."""
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
        raise UsageError(f"--strategy {name}: not a class, but {kind!r:.40}")
    StrategyInfo.of(name, kind, origin)
    return kind, origin


def is_safe(spec: str) -> bool:
    """Return whether a strategy is part of Foragers, so that it runs no other code."""
    match = re.fullmatch(NAMED, spec, re.DOTALL)
    return match is not None and match[1] in STRATEGIES


def guard_of(spec: str, urls: KnownUrls, kept: str = KEPT) -> StrategyGuard | None:
    """Return a guard that checks the answers of a strategy; those of Foragers need none."""
    return None if info(spec).is_built_in else StrategyGuard(str(spec), urls, kept)


def waiting_in(strategy: Strategy) -> int | None:
    """Return the number of known pages that wait to be fetched, if the strategy knows it."""
    with failures_named(strategy, "frontier"):
        frontier = strategy.frontier if isinstance(strategy, HasFrontier) else None
        return len(frontier) if isinstance(frontier, Sized) else None


def census_of(strategy: Strategy) -> Census | None:
    """Return who lived when, if the strategy is a population."""
    if not isinstance(strategy, Populous):
        return None
    with failures_named(strategy, "census"):
        return strategy.census()


def learned_by(strategy: Strategy, addresses: Addresses) -> Model | None:
    """Return what a strategy has learned for later crawls, if it does that."""
    if not isinstance(strategy, Learns):
        return None
    with failures_named(strategy, "learned"):
        return strategy.learned(addresses)


def is_learning(strategy: Strategy) -> bool:
    """Return whether the promises of a strategy depend on the pages found so far."""
    return strategy.learns if isinstance(strategy, LearnsInCrawl) else True


@dataclass(frozen=True)
class StrategyInputs:
    """The inputs of a strategy: a topic, a random generator and, for `optimal`, an oracle.

    `model` is what earlier crawls learned; a model named by the user (`named`, if it was read
    already) takes precedence.  `new_within` is the largest age of a relevant page in seconds, if
    the crawl looks for news.
    """

    topic: Topic
    rng: np.random.Generator
    oracle: Oracle | None = None
    model: Model | None = None
    new_within: float = inf
    named: Model | None = None


def build(spec: str, inputs: StrategyInputs) -> Strategy:
    """Make a strategy from its name and parameters, and check it."""
    about = info(spec)
    if isinstance(spec, Given) and not isinstance(spec.thing, type):
        thing = spec.thing
        return made(about, lambda: deepcopy(thing))
    name, given = parse(spec)
    needed = init_names(about.kind) & set(INPUTS)
    if "oracle" in needed and inputs.oracle is None:
        raise UsageError(
            f"strategy '{name}' needs a world whose graph is known; use it with 'foragers compare'"
        )
    filled: dict[str, Any] = {**given, **{part: getattr(inputs, part) for part in needed}}
    if inputs.model is not None and about.learned_kind is not None:
        filled.setdefault(about.learned_field, inputs.model)
    if "model" in given and about.model_kind is not None:
        filled["model"] = named_model(spec) if inputs.named is None else inputs.named
    strategy = made(about, lambda: about.kind(**filled))
    if isinstance(strategy, ChecksParameters):
        with failures_named(strategy, "check", kept=""):
            strategy.check()
    return strategy


def made(about: StrategyInfo, make: Callable[[], Strategy]) -> Strategy:
    """Make a strategy; an error in one of the user's becomes a UsageError of one line."""
    try:
        return make()
    except (Exception, SystemExit) as error:
        if about.is_built_in or isinstance(error, UsageError):
            raise
        remedy = "its fields need defaults, except topic, rng, new_within"
        raise UsageError(
            f"--strategy {about.name}: cannot be made ({in_one_line(error)};"
            f" {place_of(about.kind, error)});"
            f" {remedy if isinstance(error, TypeError) else 'mend the strategy'}"
        ) from error


def named_model(spec: str) -> Model | None:
    """Read the model that a user names for a strategy, if one is named."""
    about, given = info(spec), parse(spec)[1]
    if about.model_kind is None or "model" not in given:
        return None
    kind, version = about.model_kind
    return load_model(Path(str(given["model"])), kind, version)


NAMED = r"\s*([^()\s](?:[^()\n]*[^()\s])?)\s*(?:\((.*)\))?\s*"
"""A name, module or file, and parameters in brackets."""
PLAIN_NAME = r"[\w.-]+"


def parse(
    spec: str, known: Mapping[str, type] | None = None, what: str = "strategy"
) -> tuple[str, dict[str, bool | int | float | str]]:
    """Return the name and the checked parameters of a strategy, or of another kind (`what`)."""
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

    A strategy that can use a model has a field `model`, for which the user gives the name of a
    file, and declares its kind and version in `model_kind`.
    """
    if not is_dataclass(kind):
        return {
            parameter.name: (type(parameter.default), parameter.default)
            for parameter in init_parameters(kind)
            if type(parameter.default) in PLAIN
        }
    try:
        hints = get_type_hints(kind)
    except Exception:  # hints that cannot be evaluated: types imported for type checkers only, …
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
    """Return the parameters of a constructor that can be passed by name."""
    try:
        every = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return []
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [parameter for parameter in every if parameter.kind in by_name]


def init_names(kind: type) -> set[str]:
    """Return the names of the parameters of a constructor."""
    if is_dataclass(kind):
        return {field.name for field in fields(kind)}
    return {parameter.name for parameter in init_parameters(kind)}


def convert(whose: str, key: str, value: str, kind: type) -> bool | int | float | str:
    """Convert the text of a parameter to its type."""
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
        raise UsageError(f"{whose}: {key} must be {KINDS[kind]}, not '{value}'")
    return literal


def split(text: str) -> Sequence[str]:
    """Split at commas that are not inside brackets or quotes."""
    part = r"(?:[^,()\"']|\([^()]*\)|\"[^\"]*\"|'[^']*')*"
    if not re.fullmatch(rf"{part}(?:,{part})*", text):
        raise UsageError(f"'{text}': a bracket or quote is not closed")
    return [piece for piece in re.findall(part, text) if piece.strip()]


def suggest(word: str, known: Mapping[str, object]) -> str:
    """Return the end of an error message: the most similar name, or all names."""
    near = difflib.get_close_matches(word, known, n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; there are {', '.join(known)}" if known else "; it has none"

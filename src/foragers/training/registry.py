"""The trainers by name, and how `KIND(option=value, …)` becomes one.

A trainer is a frozen dataclass in this package.  Its plain fields (bool, int, float, str) with
defaults are its options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, TypeAlias, cast

from foragers.core.models import Model
from foragers.errors import UsageError
from foragers.evaluation.tables import Table
from foragers.strategies.registry import parse, suggest
from foragers.training.lesson import Lesson

TRAINERS: Mapping[str, str] = {
    "spider": "the worth of links by their words, for spider, rl-immediate, rl-future, …",
    "hmm": "a hidden Markov model of the distance to wanted pages, for hmm and bpm",
    "context-graph": "the words of pages near wanted ones, for context-graph and hw",
    "states": "clusters of pages by their words, for wl, rl, wlrl and the other fleets",
}
"""Each kind of model, and its use."""
CLASSES: Mapping[str, str] = {
    "spider": "spider:SpiderTrainer",
    "hmm": "layered:HmmTrainer",
    "context-graph": "layered:ContextGraphTrainer",
    "states": "states:StatesTrainer",
}
"""The trainer of each kind: module and class in this package."""


class Meter(Protocol):
    """Shows progress."""

    def __call__(self, done: int, note: str = "") -> None:
        """Show how much is done."""
        ...


Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Meter]]
"""Called with a description of the work and its size; gives a meter."""


@dataclass(frozen=True)
class Trained:
    """A model, and lines that describe it."""

    model: Model
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()


class Trainer(Protocol):
    """Makes a model from recorded worlds."""

    def train(self, lessons: Sequence[Lesson], progress: Progress) -> Trained:
        """Learn from all lessons together."""
        ...


def needs_target(trainer: Trainer) -> bool:
    """Return whether a trainer must be told what is wanted; most must."""
    return bool(getattr(trainer, "needs_target", True))


def trainer_of(spec: str) -> Trainer:
    """Make a trainer from `kind` or `kind(option=value, …)`."""
    name = spec.partition("(")[0].strip()
    if name not in TRAINERS:
        raise UsageError(f"--kind {name}: unknown{suggest(name, TRAINERS)}")
    module, _, class_name = CLASSES[name].partition(":")
    kind = cast(type, getattr(import_module(f"foragers.training.{module}"), class_name))
    _, given = parse(spec, {name: kind}, "--kind")
    return cast(Trainer, kind(**given))

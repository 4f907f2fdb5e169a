"""What a crawl learned, for the next one with the same aim: read if it is there, written after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from foragers.errors import UsageError
from foragers.files import check_writable
from foragers.models import Model, load_model, save_model
from foragers.protocols import Learns, Strategy
from foragers.session.order import Order
from foragers.strategies.registry import STRATEGIES, parse
from foragers.types import Addresses

AIM = "aim"
"""The fact of a model that says what was wanted when it was learned."""


def recall(order: Order) -> Model | None:
    """Return what earlier crawls learned, None before the first."""
    if order.learned is None:
        return None
    name, given = parse(order.strategy)
    kind = STRATEGIES[name]
    if not hasattr(kind, "learned"):
        some = ", ".join(name for name, kind in STRATEGIES.items() if hasattr(kind, "learned"))
        raise UsageError(
            f"--learned: '{name}' saves nothing that it learns; strategies that do: {some}"
        )
    apart = hasattr(kind, "learned_kind")  # what it learns is no model that one could train
    if "model" in given and not apart:
        raise UsageError("--learned and model=… exclude each other; give one of them")
    file, aim = Path(order.learned), str(order.aim)
    check_writable(file, "--learned")
    if not file.exists():
        return None
    wanted, version = getattr(kind, "learned_kind" if apart else "model_kind")
    model = load_model(file, wanted, version, "name another file, or remove it to begin anew")
    if model.facts.get(AIM, aim) != aim:
        raise UsageError(
            f"--learned {file}: was learned for {model.facts[AIM]}, not for {aim};"
            " name another file"
        )
    return model


def retain(order: Order, strategy: Strategy, addresses: Addresses) -> None:
    """Write down what a strategy has learned, and for what."""
    if order.learned is not None and isinstance(strategy, Learns):
        model = strategy.learned(addresses)
        facts = {**model.facts, AIM: str(order.aim)}
        save_model(replace(model, facts=facts), Path(order.learned))

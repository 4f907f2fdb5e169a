"""Where one automaton goes: simulated, and bounded by the paper's theorem (section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.tables import Cell, Figure, Table, Verdict
from foragers.strategies.automata.automaton import convergence_bound

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

RATES = (0.01, 0.05, 0.09, 0.2, 0.3, 0.5)
CHANCES = (0.8, 0.6, 0.4, 0.2, 0.2)
"""How often each of five links is rewarded; the first is the best."""
AUTOMATA, STEPS = 2000, 6000
ALMOST_ONE = 0.9
SHOWN = 400

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Convergence:
    """Many automata with one learning rate."""

    rate: float
    mean: Floats
    won: float
    lost: float
    bound: float

    @property
    def error(self) -> float:
        """Return one deviation of the share that won."""
        return float(np.sqrt(max(self.won * (1 - self.won), 1e-9) / AUTOMATA))


def simulate(rate: float, rng: np.random.Generator) -> Convergence:
    """Let many automata learn side by side with L_R-I (1)."""
    actions = len(CHANCES)
    p = np.full((AUTOMATA, actions), 1 / actions)
    everyone, chances = np.arange(AUTOMATA), np.array(CHANCES)
    mean = np.empty(STEPS)
    for step in range(STEPS):
        chosen = (np.cumsum(p, axis=1) < rng.random((AUTOMATA, 1))).sum(axis=1)
        chosen = np.minimum(chosen, actions - 1)
        paid = everyone[rng.random(AUTOMATA) < chances[chosen]]
        p[paid] *= 1 - rate
        p[paid, chosen[paid]] += rate
        mean[step] = p[:, 0].mean()
    won, lost = (p[:, 0] > ALMOST_ONE).mean(), (p[:, 1:].max(axis=1) > ALMOST_ONE).mean()
    bound = convergence_bound(1 / actions, rate, CHANCES[1] / CHANCES[0])
    return Convergence(rate, mean, float(won), float(lost), bound)


def simulated(seed: int) -> list[Convergence]:
    """Simulate all learning rates."""
    return [
        simulate(rate, np.random.default_rng([seed, place])) for place, rate in enumerate(RATES)
    ]


def convergence_table(found: Sequence[Convergence]) -> Table:
    """Return how often the best link wins, beside what the theorem promises."""
    rows: list[tuple[Cell, ...]] = [
        (f"{one.rate:.2f}", one.won, one.bound, one.lost) for one in found
    ]
    note = (
        f"{AUTOMATA:,} automata of {len(CHANCES)} links, rewarded with chances"
        f" {', '.join(map(str, CHANCES))}; {STEPS:,} choices. Won: the best link's probability is"
        f" above {ALMOST_ONE}; at least: the lower bound of section 4, solved for these."
    )
    columns = ("a", "won", "at least", "lost to another")
    return Table("convergence", "Convergence of an automaton", columns, rows, note)


def convergence_figure(found: Sequence[Convergence]) -> Figure:
    """Return the mean probability of the best link over time, and the share that wins."""

    def draw(drawing: Drawing) -> None:
        left, right = drawing.subplots(1, 2)
        for one, colour in zip(found, COLOURS, strict=False):
            left.plot(
                np.arange(1, SHOWN + 1), one.mean[:SHOWN], color=colour, label=f"{one.rate:g}"
            )
        left.set(xlabel="choices", ylabel="mean probability of the best link", ylim=(0, 1.02))
        left.legend(title="a", loc="lower right", ncols=2)
        rates = np.linspace(RATES[0], RATES[-1], 200)
        ratio = CHANCES[1] / CHANCES[0]
        bounds = [convergence_bound(1 / len(CHANCES), rate, ratio) for rate in rates]
        right.plot(rates, bounds, "--", color=COLOURS[6], label="lower bound")
        right.errorbar(
            [one.rate for one in found],
            [one.won for one in found],
            [2 * one.error for one in found],
            fmt="o",
            color=COLOURS[0],
            label="simulated",
        )
        right.set(xlabel="learning rate a", ylabel="share of automata that find the best link")
        right.set_ylim(0, 1.02)
        right.legend(loc="lower left")

    rows = [
        (one.rate, step + 1, float(one.mean[step])) for one in found for step in range(0, SHOWN, 10)
    ]
    columns = list(zip(*rows, strict=True))
    return Figure(
        "figure-convergence",
        "Convergence of an automaton, for several learning rates",
        dict(zip(("rate", "choices", "probability"), columns, strict=True)),
        draw,
        "Right: marks are simulated, with two deviations; the line is the bound of section 4.",
        width=9.0,
        height=4.2,
    )


def convergence_claim(found: Sequence[Convergence]) -> Verdict:
    """Judge the theorem."""
    holds = all(one.won >= one.bound - 3 * one.error for one in found)
    worst = min(found, key=lambda one: one.won - one.bound)
    small = found[0]
    return Verdict(
        "With a small enough learning rate the best link wins with any wanted certainty",
        holds and small.won > 0.99,
        f"a = {small.rate:g}: {small.won:.3f} of the automata; nearest to its bound is a ="
        f" {worst.rate:g}, {worst.won:.3f} against {worst.bound:.3f}",
        "the bound of the theorem, within three standard errors",
        "simulated automata",
    )

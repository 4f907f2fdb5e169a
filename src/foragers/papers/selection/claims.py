"""The claims of `selection`, and ours beyond it, judged by simulations."""

from __future__ import annotations

from collections.abc import Sequence

from foragers.evaluation.tables import Verdict
from foragers.papers.claims import alike, less, more
from foragers.papers.fleets.measures import STORES
from foragers.papers.fleets.runs import FleetOutcome
from foragers.papers.selection.figures import by_kind, peakedness, rise
from foragers.papers.selection.tables import Values

ALIKE = 0.1
"""Two efficiencies are about the same if they differ by no more than this share."""


def small_world_claims(
    world: str, values: Values, outcomes: Sequence[FleetOutcome]
) -> list[Verdict]:
    """Judge what the paper says of the web as it is."""
    rl, wl = values["RL"], values["WL"]
    kinds = by_kind(outcomes, ("RL", "WL"))
    sent = "sent efficiency"
    found = [
        more(f"{world}: WL has the higher sent efficiency", wl[sent], rl[sent]),
        more(
            f"{world}: WL finds more relevant documents (Table 2)", wl["relevant"], rl["relevant"]
        ),
        *fresher(world, "WL", "RL", values),
        alike(
            f"{world}: RL and WL have a similar download efficiency (within {ALIKE:.0%})",
            rl["download efficiency"],
            wl["download efficiency"],
            ALIKE,
        ),
        more(
            f"{world}: RL finds more URLs a download",
            rl["relative found URL"],
            wl["relative found URL"],
        ),
        more(
            f"{world}: RL's download efficiency is more uneven over time (Fig. 2)",
            [peakedness(one) for one in kinds["RL"]],
            [peakedness(one) for one in kinds["WL"]],
        ),
    ]
    halves = [rise(one) for one in kinds["WL"]]
    found.append(
        more(
            f"{world}: WL's download efficiency rises with time (second half against first)",
            [second for _, second in halves],
            [first for first, _ in halves],
        )
    )
    return found


def rewired_claims(world: str, values: Values) -> list[Verdict]:
    """Judge what the paper says of the rewired web: RL performs better there than WL."""
    rl, wl = values["RL"], values["WL"]
    return [
        more(f"{world}: RL finds more relevant documents", rl["relevant"], wl["relevant"]),
        more(
            f"{world}: RL has the higher sent efficiency",
            rl["sent efficiency"],
            wl["sent efficiency"],
        ),
        *fresher(world, "RL", "WL", values),
    ]


def fresher(world: str, ours: str, theirs: str, values: Values) -> list[Verdict]:
    """Judge freshness and age by all three definitions."""
    found = []
    for how in STORES.values():
        fresh, age = f"freshness, {how}", f"age (h), {how}"
        found += [
            more(f"{world}: {ours} is fresher, {how}", values[ours][fresh], values[theirs][fresh]),
            less(
                f"{world}: {ours} has the lower age, {how}", values[ours][age], values[theirs][age]
            ),
        ]
    return found


def our_claims(world: str, values: Values) -> list[Verdict]:
    """Judge what the paper does not ask: whether it is the learning, and what does better."""
    relevant, sent = "relevant", "sent efficiency"
    still, by_chance = values["no learning"], values["random order"]
    pairs = [
        ("control", "WL sends more efficiently than foragers that do not learn", sent, "WL", still),
        ("control", "WL finds more than foragers that do not learn", relevant, "WL", still),
        ("control", "RL finds more than foragers that do not learn", relevant, "RL", still),
        ("control", "WL finds more than random order", relevant, "WL", by_chance),
        ("control", "RL finds more than random order", relevant, "RL", by_chance),
        ("beyond", "WLRL finds more than random order", relevant, "WLRL", by_chance),
        ("beyond", "WLRL finds more than WL", relevant, "WLRL", values["WL"]),
        ("beyond", "refresh finds more than WLRL", relevant, "refresh", values["WLRL"]),
        ("beyond", "refresh finds more than random order", relevant, "refresh", by_chance),
        ("beyond", "mixed finds more than WL alone", relevant, "mixed", values["WL"]),
        ("beyond", "mixed finds more than RL alone", relevant, "mixed", values["RL"]),
        ("beyond", "the normalised step finds more than the paper's", relevant,
         "RL normalised", values["RL"]),
        ("beyond", "refresh finds more than polling the home page", relevant, "refresh",
         values["home page"]),
    ]  # fmt: skip
    return [
        more(f"{world} ({what}): {claim}", values[ours][measure], theirs[measure])
        for what, claim, measure, ours, theirs in pairs
    ]

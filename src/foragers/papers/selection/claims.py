"""The claims of `selection`, and ours beyond it, judged by simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from foragers.evaluation.tables import Verdict
from foragers.papers.claims import alike, less, more
from foragers.papers.fleets.measures import ONE_PAGE, STORES
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
    sent, efficiency = "sent efficiency", "download efficiency"
    uneven = {kind: [peakedness(one) for one in runs] for kind, runs in kinds.items()}
    halves, why = [rise(one) for one in kinds["WL"]], lengths(values)
    return [
        against("WL has the higher sent efficiency", wl[sent], rl[sent], world, why),
        against(
            "WL finds more relevant documents (Table 2)",
            wl["relevant"],
            rl["relevant"],
            world,
            why,
        ),
        *fresher(world, "WL", "RL", values),
        alike(
            f"RL and WL have a similar download efficiency (within {ALIKE:.0%})",
            rl[efficiency],
            wl[efficiency],
            ALIKE,
            world=world,
            pairs=False,
        ),
        against(
            "RL finds more URLs a download",
            rl["relative found URL"],
            wl["relative found URL"],
            world,
        ),
        against(
            "RL's download efficiency is more uneven over time (Fig. 2)",
            uneven["RL"],
            uneven["WL"],
            world,
        ),
        more(
            "WL's download efficiency rises with time (second half against first)",
            [second for _, second in halves],
            [first for first, _ in halves],
            world=world,
        ),
    ]


def against(
    claim: str, ours: Sequence[float], theirs: Sequence[float], world: str, reason: str = ""
) -> Verdict:
    """Judge that one fleet has more of something than another; their runs are not paired."""
    return more(claim, ours, theirs, reason, world=world, pairs=False)


def lengths(values: Values) -> str:
    """Return how long the paths were, since starting pages decide where they are short."""
    told = [
        f"{kind} {np.nanmean(values[kind][ONE_PAGE]):.0%}"
        for kind in ("RL", "WL")
        if np.isfinite(values[kind][ONE_PAGE]).any()
    ]
    return f"paths of one page: {', '.join(told)}" if told else ""


def rewired_claims(world: str, values: Values) -> list[Verdict]:
    """Judge what the paper says of the rewired web: RL performs better there than WL."""
    rl, wl, sent, why = values["RL"], values["WL"], "sent efficiency", lengths(values)
    found = "relevant"
    return [
        against("Rewired: RL finds more relevant documents", rl[found], wl[found], world, why),
        against("Rewired: RL has the higher sent efficiency", rl[sent], wl[sent], world, why),
        *fresher(world, "RL", "WL", values, "Rewired: "),
    ]


def fresher(world: str, ours: str, theirs: str, values: Values, prefix: str = "") -> list[Verdict]:
    """Judge freshness and age by all three definitions."""
    found = []
    for how in STORES.values():
        fresh, age = f"freshness, {how}", f"age (h), {how}"
        found += [
            against(
                f"{prefix}{ours} is fresher, {how}",
                values[ours][fresh],
                values[theirs][fresh],
                world,
            ),
            less(
                f"{prefix}{ours} has the lower age, {how}",
                values[ours][age],
                values[theirs][age],
                world=world,
                pairs=False,
            ),
        ]
    return found


def control_claims(world: str, values: Values) -> list[Verdict]:
    """Judge what the paper does not ask: whether it is the learning."""
    relevant, sent = "relevant", "sent efficiency"
    still, by_chance, home = (values[kind] for kind in ("no learning", "random order", "home page"))
    return told(
        world,
        values,
        [
            ("WL sends more efficiently than foragers that do not learn", sent, "WL", still),
            ("WL finds more than foragers that do not learn", relevant, "WL", still),
            ("RL finds more than foragers that do not learn", relevant, "RL", still),
            ("WL finds more than random order", relevant, "WL", by_chance),
            ("RL finds more than random order", relevant, "RL", by_chance),
            ("WL finds more than polling the home page", relevant, "WL", home),
        ],
    )


def beyond_claims(world: str, values: Values) -> list[Verdict]:
    """Judge what fleets do that the paper does not have."""
    relevant, by_chance = "relevant", values["random order"]
    return told(
        world,
        values,
        [
            ("WLRL finds more than random order", relevant, "WLRL", by_chance),
            ("WLRL finds more than WL", relevant, "WLRL", values["WL"]),
            ("refresh finds more than WLRL", relevant, "refresh", values["WLRL"]),
            ("refresh finds more than random order", relevant, "refresh", by_chance),
            ("mixed finds more than WL alone", relevant, "mixed", values["WL"]),
            ("mixed finds more than RL alone", relevant, "mixed", values["RL"]),
            ("mixed finds more than with WL watchers", relevant, "mixed", values["WL watchers"]),
            ("the normalised step finds more than the paper's", relevant, "RL normalised",
             values["RL"]),
            ("refresh finds more than polling the home page", relevant, "refresh",
             values["home page"]),
        ],
    )  # fmt: skip


Told = tuple[str, str, str, Mapping[str, Sequence[float]]]


def told(world: str, values: Values, pairs: Sequence[Told]) -> list[Verdict]:
    """Judge claims that are not the paper's."""
    return [
        against(f"(not in the paper) {claim}", values[ours][measure], theirs[measure], world)
        for claim, measure, ours, theirs in pairs
    ]

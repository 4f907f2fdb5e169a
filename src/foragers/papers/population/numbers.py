"""What `population` reports: its settings, and what its figures are said to show."""

from __future__ import annotations

from collections.abc import Mapping

PAGES, AGENTS, UPPER, LOWER = 25_000, 200, 250, 150
"""Pages, first agents and bounds of Figs. 5 and 6; the lower bound is not told and is ours."""
COST = 0.5
"""C; of Fig. 4 the paper says only that it is the same for both crawlers."""
HIGH_GAIN = 30
"""G of the crawler of Fig. 4, and of those of Figs. 5 and 6."""
RUNS = 5
TOPICS: Mapping[str, str] = {
    "robotics": "robot sensor actuator",
    "vision": "image camera recognition",
    "databases": "database query transaction",
    "networks": "network router protocol",
    "security": "encryption password attack",
}
"""Topics of the generated web, and their words; the paper does not name its own."""

LOW, USABLE, HIGH = "low ρ", "usable ρ", "high ρ"
FACTORS: Mapping[str, float] = {LOW: 1 / 3, USABLE: 0.85, HIGH: 3.0}
"""Shares of the ρ at which the pages that the sigmoid collected would cost what they bring.

The paper names no ρ; its usable one was found by trying, and so was ours (with 1.0 a population
grew fifteenfold on the generated web).
"""
SIGMOIDS: Mapping[str, tuple[float, float]] = {
    "C = 0.5, G = 4": (0.5, 4.0),
    "C = 0.5, G = 8": (0.5, 8.0),
    "C = 0.25, G = 8": (0.25, 8.0),
}
"""C and G of Fig. 3, of which the paper tells only G = 8."""
BEST = "C = 0.5, G = 8"
BUFFERED, UNBUFFERED = "conserved, G = 30", "not conserved, G = 30"
LITERAL = "to the letter: "
LITERALS: Mapping[str, str] = {name: f"{LITERAL}{name}" for name in (*SIGMOIDS, BUFFERED)}
"""The same as the paper prints them (`literal=true`), beside ours, which conserve energy."""

SAID: Mapping[str, str] = {
    LOW: "dies very quickly",
    USABLE: "remains usable",
    HIGH: "increases brutally",
    **dict.fromkeys(SIGMOIDS, "increases, but not drastically"),
    BUFFERED: "between the bounds, mostly at the upper one",
    UNBUFFERED: "brutal variations",
    **dict.fromkeys(
        (f"to the letter: {name}" for name in SIGMOIDS), "increases, but not drastically"
    ),
    "to the letter: conserved, G = 30": "between the bounds, mostly at the upper one",
}
"""What the paper says of each population."""

RIVALS: Mapping[str, str] = {
    "best-first": "best-first",
    "energy, as in the paper": "",
    "energy, our defaults": "energy",
    "infospiders": "infospiders",
    "foragers": "foragers",
    "automata (LAFC)": "lafc",
    "breadth-first": "breadth-first",
}
"""Who spends the same budget in the comparison that the paper does not make."""
PAPERS_OWN = "energy, as in the paper"

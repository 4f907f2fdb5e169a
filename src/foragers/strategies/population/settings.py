"""The numbers that tune populations and are no parameters of their strategies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BalanceSettings:
    """How relevance is turned into energy."""

    saturation: float = 8.0  # λ · distance to the nearer end of the range; the paper
    max_argument: float = 500.0  # of the sigmoid, saturated long before; more would overflow
    min_pages: int = 100  # before the curve is shifted; guess
    ranks: int = 512  # evenly spaced, over which the energies are summed; CPU
    growth: float = 1.05  # of the pages, after which the shift is computed again; CPU
    halvings: int = 40  # of the interval of the shift: exact to 1e-9
    shifted: bool = True  # False: the curve as the paper prints it


@dataclass(frozen=True)
class RestartSettings:
    """Where agents go on that have no link to follow."""

    documents: int = 50_000  # kept with their links; memory
    tries: int = 8  # documents drawn, of which the best is taken; guess
    max_sharpness: float = 1e30  # with this the best link is always taken; a larger one overflows


@dataclass(frozen=True)
class NeuronSettings:
    """How agents of InfoSpiders learn (Menczer and Belew 2000, as far as it is known)."""

    rate: float = 0.1  # learning rate; guess
    foresight: float = 0.5  # μ, the weight of the best link ahead; guess
    change: float = 0.2  # largest relative change of weights and sharpness in a clone; guess
    min_sharpness: float = 1.0  # guess
    max_sharpness: float = 100.0  # guess
    keywords: int = 8  # of an agent; guess
    frequent: int = 10  # most frequent words of a page, which clones may take; guess


@dataclass(frozen=True)
class PopulationSettings:
    """The settings of all parts of a population."""

    balance: BalanceSettings = BalanceSettings()
    restart: RestartSettings = RestartSettings()
    neuron: NeuronSettings = NeuronSettings()
    max_agents: int = 100_000  # if the model sets no bound; memory
    saved_values: int = 100_000  # of the history, and agents, kept for the next crawl; memory
    max_energy: float = 1e9  # of a document or an agent of an earlier crawl; more is refused
    known_hops: int = 50  # of an agent over known documents, one after the other; guess


DEFAULT_POPULATION = PopulationSettings()

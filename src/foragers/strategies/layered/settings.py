"""The numbers that tune the layered strategies and are no parameters of theirs.

The papers are Diligenti and others (2000) for context graphs, and Liu, Janssen and Milios (2006)
for the hidden Markov model, of which we had no copy.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LayeredSettings:
    """How models are learned, and how much of a page is used."""

    max_chars: int = 40_000  # of a page: its subject shows early, and pages can be very long; CPU
    best_words: int = 40  # of a page, by tf·idf, that a context graph uses; guess
    unread: float = -1e6  # log likelihood of the words of a layer without pages: impossible
    smoothing: float = 0.5  # added to every count of the hidden Markov model; guess
    kmeans_rounds: int = 10  # at most; CPU
    lsi_rounds: int = 3  # of the subspace iteration; CPU
    tiny: float = 1e-12  # smaller sums count as zero
    finest: float = 1e-3  # smallest ε of hmm: smaller steps are lost in the digits of a promise
    cached_anchors: int = 20_000  # of bpm, since menus are the same on every page; memory

    # Without a model, a crawl learns from its own pages: after this many relevant pages, but not
    # before `min_pages` pages, and from `max_pages` pages at most.  Guesses.
    lessons: tuple[int, ...] = (5, 40)
    min_pages: int = 40
    max_pages: int = 600
    layers: int = 6  # relevant pages, four layers around them (the paper), and all others
    states: int = 4  # of the hidden Markov model; the paper
    clusters: int = 8  # guess; a model trained beforehand may have more
    rank: int = 20  # LSI dimensions; guess


DEFAULT_LAYERED = LayeredSettings()

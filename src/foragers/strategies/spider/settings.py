"""The numbers that tune the spider, each with its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SpiderSettings:
    """How the value of links is computed, and how often a spider learns during a crawl."""

    gamma: float = 0.5  # discount of a reward per step; Rennie and McCallum 1999, section 4
    depth: int = 20  # steps of Q: an error below 0.000001, which moves no link into another bin
    online_depth: int = 10  # the same during a crawl: an error below 0.001; CPU
    in_links: int = 3  # links to a page that are kept, to learn from and to score it by; memory
    first_lesson: int = 20  # pages between two lessons, at least; guess
    lesson_growth: float = 1.2  # and 20 % more pages than at the last lesson; CPU
    max_words: int = 2_000_000  # of a growing lexicon, most of them seen once; memory
    cached_links: int = 50_000  # links whose evidence is cached; memory
    shown_words: int = 20  # in an explanation

    @property
    def max_value(self) -> float:
        """The upper bound of Q: the sum of all discounts."""
        return 1 / (1 - self.gamma)


DEFAULT_SPIDER = SpiderSettings()

"""The judge of a topic in words, in whatever form they stand on a page."""

from foragers.judges.words.judge import COMMON, Standing, Words

__all__ = ["COMMON", "Standing", "Words"]

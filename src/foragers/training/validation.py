"""Cross-validation: how well the bins of links are predicted on sites that were left out.

Sites are left out in turn; with more than `MOST_FOLDS` of them, several at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import by_row
from foragers.text.bayes import log_likelihoods, log_priors
from foragers.text.link_counts import FEWEST, FINEST, bins_of, merged
from foragers.text.link_text import TEXTS
from foragers.training.link_examples import Ints, LinkExamples

MOST_FOLDS = 30

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Accuracy:
    """Shares of links, one for each site that was left out.

    `right`: the predicted bin is correct.  `right_of_two`: correct as to whether the link gives
    immediate reward.  `recall`: the share found of the links with immediate reward (on sites that
    have some).
    """

    text: str
    bins: int
    right: tuple[float, ...]
    right_of_two: tuple[float, ...]
    recall: tuple[float, ...]


def folds_of(examples: LinkExamples, most: int = MOST_FOLDS) -> Ints:
    """Return the fold of every link: its site, or one of `most` groups of sites of similar size."""
    sites, links = np.unique(examples.sites, return_counts=True)
    fold_of = np.zeros(len(examples.site_names), np.int64)
    if len(sites) <= most:
        fold_of[sites] = np.arange(len(sites))
        return fold_of[examples.sites]
    filled = np.zeros(most, np.int64)
    for index in np.argsort(-links, kind="stable"):
        fold = int(np.argmin(filled))
        fold_of[sites[index]] = fold
        filled[fold] += links[index]
    return fold_of[examples.sites]


def accuracies(
    examples: LinkExamples,
    texts: Sequence[str],
    bags: Mapping[str, Sequence[str]] = TEXTS,
    shrink: float = 0.0,
) -> list[Accuracy]:
    """Return the accuracy for each text, of some bags, and each number of bins.

    With `shrink`, the words of bins without immediate reward are counted as if each had so many
    more, distributed as in all of these bins together: the finer bins have few links of their own.
    """
    folds = folds_of(examples)
    number = int(folds.max(initial=-1)) + 1
    if number < 2:
        return []
    bins = bins_of(examples.values)
    found = []
    for text in texts:
        told = {many: np.zeros(len(examples), np.int64) for many in range(FEWEST, FINEST + 1)}
        counts = {
            bag: examples.counted(
                bag, np.arange(len(examples)), folds * FINEST + bins, number * FINEST
            )
            for bag in bags[text]
        }
        for fold in range(number):
            links = np.flatnonzero(folds == fold)
            trained = {
                bag: every.reshape(number, FINEST, -1).sum(axis=0) - every[fold * FINEST :][:FINEST]
                for bag, every in counts.items()
            }
            held = np.bincount(bins[folds != fold], minlength=FINEST)
            for many, guesses in told.items():
                guesses[links] = guess(examples, links, trained, held, many, shrink)
        found += [summed_up(text, many, guesses, bins, folds) for many, guesses in told.items()]
    return found


def guess(
    examples: LinkExamples,
    links: Ints,
    counts: dict[str, Ints],
    held: Ints,
    bins: int,
    shrink: float = 0.0,
) -> Ints:
    """Return the most probable bin of some links, from the counts of others."""
    there, scores = bin_scores(examples, links, counts, held, bins, shrink)
    best: Ints = there[np.argmax(scores, axis=1)]
    return best


def bin_scores(
    examples: LinkExamples,
    links: Ints,
    counts: Mapping[str, Ints],
    held: Ints,
    bins: int,
    shrink: float = 0.0,
) -> tuple[Ints, Floats]:
    """Return the bins that have links, and log P(bin) + Σ log P(word|bin) of some links for each.

    They follow from the counts of other links, of which `held` are in each of five bins.
    """
    there = np.flatnonzero(merged(held, bins))
    scores = np.zeros((len(links), len(there))) + log_priors(merged(held, bins)[there])
    for bag, every in counts.items():
        known = np.flatnonzero(every.any(axis=0))
        weights = np.zeros((every.shape[1], len(there)))
        counted = shrunk(merged(every[:, known], bins).astype(np.float64), shrink)
        weights[known] = log_likelihoods(counted[there]).T
        rows, index = np.unique(examples.row_of[bag][links], return_inverse=True)
        scores += by_row(examples.texts[bag][rows], weights)[index]
    return there, scores


def shrunk(counts: Floats, by: float) -> Floats:
    """Return counts with so many words added to each bin but the first, as all these have them."""
    common = counts[1:].sum(axis=0)
    if not by or not common.sum():
        return counts
    return np.concatenate((counts[:1], counts[1:] + by * common / common.sum()))


def summed_up(text: str, bins: int, guesses: Ints, truth: Ints, folds: Ints) -> Accuracy:
    """Return the shares of correct predictions in each fold."""
    true = np.minimum(truth, bins - 1)
    right, right_of_two, recall = [], [], []
    for fold in range(int(folds.max()) + 1):
        here = folds == fold
        right.append(float(np.mean(guesses[here] == true[here])))
        right_of_two.append(float(np.mean((guesses[here] == 0) == (true[here] == 0))))
        if (wanted := here & (true == 0)).any():
            recall.append(float(np.mean(guesses[wanted] == 0)))
    return Accuracy(text, bins, tuple(right), tuple(right_of_two), tuple(recall))

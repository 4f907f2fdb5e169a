"""Whether a page shows something that pages of its path have not shown before.

A text is new if a good part of the phrases it has of its own never stood at this path.
A list is judged by what it lists: any choice and order of known things makes new
phrases where two of them meet, so a list must show some link for the first time.
A page without words of its own may still lead on, to shapes that proved worth it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.filters.traps.boilerplate import Own, PageLinks, number_of
from foragers.filters.traps.bounded import Filter, Keys
from foragers.filters.traps.fingerprint import Sample, thinned, thinness_for
from foragers.filters.traps.reputation import PatternOutcome, PatternRecords
from foragers.urls.shapes import Shape, shape_of

MIN_WORDS = 5
"""One changing word, such as a counter of visitors, makes three new phrases; that is not enough."""
NEW_SHARE = 0.35
NEW_SHARE_OF_LIST = 0.8
WORDS_PER_LINK = 5
"""Pages with fewer words of their own for each link are lists."""
TRUST = 64
"""How many pages may count as leading on to a shape of which too little is known."""
_MAX_PHRASES = 24
_MAX_LINKS = 12
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_HIGH = np.uint64(32)
_ANYWHERE = np.uint64(number_of("anywhere"))


class Judgement(NamedTuple):
    """What a page brought, and the places of the links that no page had before."""

    outcome: PatternOutcome
    unseen: list[int]


@dataclass(slots=True)
class NewContent:
    """Judges pages by what was shown before at the same path."""

    shown: Filter
    standings: PatternRecords

    def judge(
        self, shape: Shape, own: Own, links: PageLinks, copied: bool, exact: bool
    ) -> Judgement:
        """Say what a page brought; a copy can lead on only if it has hardly any words.

        An exact copy is given half the trust.
        """
        phrases, thinness = few(own)
        here = len(phrases) + len(own.numbers)
        keys = np.concatenate((phrases, own.numbers, links.numbers)).astype(np.uint64)
        # One look at the filter for all three questions: the look itself is what costs.
        new = ~self.shown.has(keyed(keys, here, shape.path))
        self.shown.add(keys[new])
        unseen = new[here:].nonzero()[0].tolist()
        others, fresh = _elsewhere(shape, own.links, new[len(phrases) : here])
        if copied and own.words > 4 * MIN_WORDS:
            return Judgement(PatternOutcome.DULL, unseen)
        words = int(np.count_nonzero(new[: len(phrases)]))
        share = words / max(1, len(phrases))
        is_list = others * WORDS_PER_LINK >= own.words
        enough = share >= NEW_SHARE_OF_LIST and bool(fresh) if is_list else share >= NEW_SHARE
        if enough and words << thinness >= MIN_WORDS and not copied:
            return Judgement(PatternOutcome.NEW, unseen)
        trust = TRUST // 2 if exact else TRUST
        leads = any(self.standings.promises(target, trust) for target in fresh)
        return Judgement(PatternOutcome.LEADS if leads else PatternOutcome.DULL, unseen)


def few(own: Own) -> tuple[Sample, int]:
    """Return as many of a page's own phrases as are looked up, and how thin that sample is."""
    thinness = max(own.thinness, thinness_for(own.phrases, _MAX_PHRASES))
    return thinned(own.phrases, thinness), thinness


def _elsewhere(
    shape: Shape, links: Sequence[str], new: NDArray[np.bool_]
) -> tuple[int, list[Shape]]:
    """Return about how many links lead to other paths, and the shapes of those that are new."""
    step = max(1, len(links) // _MAX_LINKS)
    others, fresh = 0, {}
    for i in range(0, len(links), step):
        target = shape_of(links[i])
        if target.path != shape.path:
            others += step
            if new[i]:
                fresh[target.full] = target
    return others, list(fresh.values())


def keyed(numbers: Keys, here: int, place: str) -> Keys:
    """Turn numbers into what they are known by at a place, and beyond the first so many anywhere.

    The same number is known by another at each place.
    """
    numbers <<= _HIGH
    numbers[:here] |= np.uint64(number_of(place))
    numbers[here:] |= _ANYWHERE
    numbers *= _MIX
    numbers ^= numbers >> _HIGH
    numbers *= _MIX
    return numbers

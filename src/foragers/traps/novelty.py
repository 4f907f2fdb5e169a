"""Whether a page shows something that pages of its path have not shown before.

A text is new if a good part of the phrases it has of its own never stood at this path.
A list is judged by what it lists: any choice and order of known things makes new
phrases where two of them meet, so a list must show some link for the first time.
A page without words of its own may still lead on, to shapes that proved worth it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foragers.traps.fingerprint import Sample, thinned
from foragers.traps.frames import Own, number_of
from foragers.traps.remember import Filter, Keys
from foragers.traps.shapes import Shape, shape_of
from foragers.traps.standing import Outcome, Standings

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


@dataclass(slots=True)
class Novelty:
    """Judges pages by what was shown before at the same path."""

    shown: Filter
    standings: Standings

    def outcome(self, shape: Shape, own: Own, copied: bool) -> Outcome:
        """Return what a page brought; a copy can lead on only if it has hardly any words."""
        share, words = self._new_phrases(shape.path, own)
        others, fresh = self._new_links(shape, own)
        if copied and own.words > 4 * MIN_WORDS:
            return Outcome.DULL
        is_list = others * WORDS_PER_LINK >= own.words
        enough = share >= NEW_SHARE_OF_LIST and bool(fresh) if is_list else share >= NEW_SHARE
        if enough and words >= MIN_WORDS and not copied:
            return Outcome.NEW
        leads = any(self.standings.promises(target, TRUST) for target in fresh)
        return Outcome.LEADS if leads else Outcome.DULL

    def _new_phrases(self, path: str, own: Own) -> tuple[float, int]:
        """Return the share of a page's own phrases that are new here, and about how many."""
        thinness, phrases = own.thinness, own.phrases
        while len(phrases) > _MAX_PHRASES:
            thinness += 1
            phrases = thinned(phrases, thinness)
        if not len(phrases):
            return 0.0, 0
        keys = keyed(phrases, path)
        new = int(np.count_nonzero(~self.shown.has(keys)))
        self.shown.add(keys)
        return new / len(phrases), new << thinness

    def _new_links(self, shape: Shape, own: Own) -> tuple[int, list[Shape]]:
        """Return how many of a page's own links lead to other paths, and shapes of new ones."""
        if not own.links:
            return 0, []
        keys = keyed(own.numbers, shape.path)
        new = ~self.shown.has(keys)
        self.shown.add(keys[new])
        step = max(1, len(own.links) // _MAX_LINKS)
        others, fresh = 0, {}
        for i in range(0, len(own.links), step):
            target = shape_of(own.links[i])
            if target.path != shape.path:
                others += step
                if new[i]:
                    fresh[target.full] = target
        return others, list(fresh.values())


def keyed(numbers: Sample, place: str) -> Keys:
    """Return numbers as they are known at one place and nowhere else."""
    mixed = (numbers.astype(np.uint64) << _HIGH | np.uint64(number_of(place))) * _MIX
    return (mixed ^ (mixed >> _HIGH)) * _MIX

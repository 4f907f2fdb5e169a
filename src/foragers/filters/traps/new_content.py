"""Whether a page shows something that pages of its path have not shown before.

A text is new if a good part of its own phrases never stood at this path.
A list is judged by its links: any choice and order of known entries makes new phrases where two
of them meet, so a list must show some link for the first time.
A page without words of its own may still lead to URL patterns that have proved productive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from foragers.filters.traps.boilerplate import OwnContent, PageLinks, crc_of
from foragers.filters.traps.bounded import SeenKeys
from foragers.filters.traps.fingerprint import Sample, thinned, thinness_for
from foragers.filters.traps.reputation import PatternOutcome, PatternRecords
from foragers.filters.traps.settings import DEFAULT_TRAPS, NewContentSettings
from foragers.urls.shapes import Shape, shape_of


class PageNews(NamedTuple):
    """What a page brought, and the indexes of the links that no page had before."""

    outcome: PatternOutcome
    unseen: list[int]


@dataclass(slots=True)
class NewContent:
    """Compares pages with the content shown before at the same path."""

    seen: SeenKeys
    records: PatternRecords
    settings: NewContentSettings = DEFAULT_TRAPS.new_content

    def judge(
        self, shape: Shape, own: OwnContent, links: PageLinks, copied: bool, exact: bool
    ) -> PageNews:
        """Return what a page brought; a copy can lead on only if it has hardly any words.

        An exact copy gets half the trust.
        """
        settings = self.settings
        phrases, thinness = few(own, settings.max_phrases)
        here = len(phrases) + len(own.link_hashes)
        # One look at the filter for all three questions, since each call is costly.
        new = self.seen.unseen(phrases, own.link_hashes, links.hashes, crc_of(shape.path))
        unseen = [i for i, is_new in enumerate(new[here:]) if is_new]
        others, fresh = self._elsewhere(shape, own.links, new[len(phrases) : here])
        if copied and own.words > settings.max_copied_words:
            return PageNews(PatternOutcome.NOTHING, unseen)
        words = new.count(1, 0, len(phrases))
        share = words / max(1, len(phrases))
        if others * settings.words_per_link >= own.words:
            enough = share >= settings.new_share_of_list and bool(fresh)
        else:
            enough = share >= settings.new_share
        if enough and words << thinness >= settings.min_words and not copied:
            return PageNews(PatternOutcome.WORDS, unseen)
        trust = settings.trust // 2 if exact else settings.trust
        leads = any(self.records.promises(target, trust) for target in fresh)
        return PageNews(PatternOutcome.LINKS if leads else PatternOutcome.NOTHING, unseen)

    def _elsewhere(self, shape: Shape, links: Sequence[str], new: bytes) -> tuple[int, list[Shape]]:
        """Return about how many links lead to other paths, and the shapes of the new ones."""
        step = max(1, len(links) // self.settings.max_links)
        others, fresh = 0, {}
        for i in range(0, len(links), step):
            target = shape_of(links[i])
            if target.path != shape.path:
                others += step
                if new[i]:
                    fresh[target.full] = target
        return others, list(fresh.values())


def few(own: OwnContent, most: int) -> tuple[Sample, int]:
    """Return up to `most` of a page's own phrases, and the thinness of that sample."""
    thinness = max(own.thinness, thinness_for(own.phrases, most))
    return thinned(own.phrases, thinness), thinness

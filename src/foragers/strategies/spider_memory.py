"""What the words of links add that are the same on every page: most pages show the same links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from foragers.strategies.spider_reading import Lexicon, Numbers, Said, parted
from foragers.strategies.spider_scoring import Floats, Scorer
from foragers.types import UrlId

MOST = 50_000
"""So many links are remembered; then it begins anew."""


@dataclass
class Memory:
    """The evidence of links by their own words and addresses, which is all but what is near them.

    It only saves time, so it is no part of what is kept of a spider.
    """

    lexicon: Lexicon
    scorer: Scorer
    _rows: dict[tuple[UrlId, str], list[float]] = field(default_factory=dict, repr=False)

    def scores(self, shared: Numbers, urls: Sequence[UrlId], said: Said) -> Floats:
        """Return the scores of the links of a page, a row a link (see `Scorer`)."""
        if len(self._rows) + len(urls) > MOST:
            self._rows = {}
        rows, keys = self._rows, list(zip(urls, said.anchors, strict=True))
        new = [place for place, key in enumerate(keys) if key not in rows]
        columns = [self.lexicon.near(said)] if said.arounds else []
        if new:
            fresh = Said([said.anchors[at] for at in new], [said.hrefs[at] for at in new], ())
            columns += (self.lexicon.own(fresh), self.lexicon.url(fresh))
        # All texts are weighed at once, which is much faster.
        found = self.scorer.evidence(parted(shared, columns))
        if new:
            alone = found[-2 * len(new) : -len(new)] + found[-len(new) :]
            rows.update(zip([keys[at] for at in new], alone.tolist(), strict=True))
        own = np.array([rows[key] for key in keys])
        if said.arounds:
            own += found[1 : 1 + len(keys)]
        return self.scorer.total(found[:1], own)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_rows": {}}

"""Near duplicates among exported pages."""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.filters.traps.duplicates import ExactDuplicates, NearDuplicates
from foragers.filters.traps.fingerprint import fingerprint


@dataclass(slots=True)
class Copies:
    """Finds pages with the text of an earlier one, or nearly that, among the last thousands."""

    exact: ExactDuplicates = field(default_factory=ExactDuplicates)
    near: NearDuplicates = field(default_factory=NearDuplicates)

    def find(self, text: str, url: str) -> str | None:
        """Return the URL of an earlier page with this text, or None.

        It is "" if that page was so long ago that its URL is forgotten.
        """
        if not text:
            return None
        found = fingerprint(text, url)
        same = self.exact.find_or_add(found.digest, url)
        return same if same is not None else self.near.find_or_add(found.phrases, url)

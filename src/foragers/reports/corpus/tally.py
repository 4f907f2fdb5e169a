"""What an export left out, and what it could not read."""

from __future__ import annotations

from dataclasses import dataclass

from foragers.core.display import counted


@dataclass
class Tally:
    """Counts of pages that were left out, were copies, or have no archived response."""

    short: int = 0
    other_language: int = 0
    copies: int = 0
    without_archive: int = 0

    def lines(self, dropped: bool) -> list[str]:
        """Return what is worth telling, one sentence each."""
        said = (
            (self.short, "left out: fewer words than --min-words"),
            (self.other_language, "left out: in another language than --language"),
            (self.copies if dropped else 0, "left out: near duplicates"),
            (
                self.without_archive,
                "without an archived response: their text is the one of the ledger,"
                " without structure",
            ),
        )
        return [f"{counted(number, 'page')} {what}" for number, what in said if number]

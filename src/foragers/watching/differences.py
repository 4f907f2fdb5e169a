"""The main text of a page, and what has changed in it.

Menus, lists of the most read and footers change at every look, so only main texts are compared and
told, which are extracted from the archived responses.  A page without one has the text of the
ledger.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from foragers.core.display import plain
from foragers.core.types import Page
from foragers.errors import UsageError
from foragers.parsing.content_type import HTML, kind_of
from foragers.parsing.main_text.extract import extract
from foragers.storage.warc.playback import read_record

LONGEST_LINE, LONGEST_DIFF = 600, 4000
SHORT = 8
"""Words of a sentence that is taken for a counter if only its numbers change."""
FEWEST_WORDS = 3
"""Words of a changed sentence, at least."""
SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)|\n+")
NUMBER = re.compile(r"\d+")
COUNTER = re.compile(
    r"\b\d+\s*(?:s|sec|seconds?|min|minutes?|h|hours?|days?)\s+ago\b"
    r"|\b[\d.,]+[km]?\s+(?:comments?|views?|likes?|shares?|reads?|replies|votes?|points?)\b",
    re.IGNORECASE,
)
"""What runs on by itself: the age of a page, and the counters of its readers."""


@dataclass(frozen=True)
class MainTexts:
    """Reads the main texts of pages from the archive of a watch, if it has one."""

    archive: Path | None = None

    def of(self, page: Page) -> str:
        """Return the title and the main text of a page."""
        # A list of the most read may name the page itself: its title stands once, at the top.
        return f"{page.document.title}\n{self.below_title(page)}"

    def below_title(self, page: Page) -> str:
        """Return the main text of a page without its title."""
        document = page.document
        text = self._main(page) or document.text
        return without_lists(text, [*page.links.anchors, document.title])

    def _main(self, page: Page) -> str:
        # The name of a record is data: it must not lead out of the folder.
        if self.archive is None or not page.record or "/" in page.record or "\\" in page.record:
            return ""
        with suppress(UsageError, OSError, ValueError, OverflowError):
            response = read_record(self.archive, page.record)
            content_type = response.header("Content-Type")
            if response.body and kind_of(content_type) in ("", *HTML):
                return extract(response.body, page.href, content_type).text
        return ""


def without_lists(text: str, anchors: Sequence[str]) -> str:
    """Return a text without the lines that are links alone: other articles, which come and go."""
    links = set(anchors)
    return "\n".join(line for line in text.split("\n") if line.strip(" -•*#") not in links)


def sentences(text: str) -> list[str]:
    """Split a text into sentences, or long pieces."""
    return [part.strip() for part in SENTENCE.split(text) if part.strip()]


def sense(sentence: str) -> str:
    """Return a sentence without what runs on by itself."""
    still = COUNTER.sub("", sentence)
    return NUMBER.sub("0", still) if still.count(" ") < SHORT else still


def difference(before: str, after: str) -> str:
    """Return what has changed from one text to another, line by line; "" if it is nothing."""
    old, new = sentences(before), sentences(after)
    lines: list[str] = []
    matcher = SequenceMatcher(None, [*map(sense, old)], [*map(sense, new)], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            lines += [f"- {plain(one, LONGEST_LINE)}" for one in old[a:b]]
            lines += [f"+ {plain(one, LONGEST_LINE)}" for one in new[c:d]]
    told = [line for line in lines if len(words_of(line)) >= FEWEST_WORDS]
    return "\n".join(lines)[:LONGEST_DIFF] if told else ""


def words_of(line: str) -> list[str]:
    """Return the words of a line without its numbers."""
    return [word for word in re.findall(r"\w+", line) if not word.isdigit()]

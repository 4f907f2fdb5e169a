"""What users say of the pages of a crawl, while it runs or before it is resumed.

`foragers feedback` adds a line to `feedback.jsonl`: a visit of the ledger, and whether pages like
it are wanted.  The crawl teaches its judge and writes to `lessons.jsonl` after how many visits
it did, so that a resumed crawl and `explain` apply it after the same visit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from foragers.core.protocols import Judge, Ledger
from foragers.core.types import Page
from foragers.errors import UsageError
from foragers.judges.build import teachable

GIVEN, LEARNED = "feedback.jsonl", "lessons.jsonl"
Pages = Callable[[int], Page]
"""Returns the page of a visit, by its number."""


class Remark(msgspec.Struct, frozen=True):
    """A user's word on the page of one visit; `after` how many visits the judge learned it."""

    url: str
    visit: int
    more: bool
    after: int = -1


def remark(folder: Path, one: Remark) -> None:
    """Write down what a user says."""
    append(folder / GIVEN, one)


def lessons(folder: Path) -> list[Remark]:
    """Return what the judge of a crawl was taught, in that order."""
    return list(read_lines(folder / LEARNED))


def page_of(ledger: Ledger, visit: int) -> Page:
    """Return the page of a visit."""
    return next(ledger.read(visit - 1)).page


def append(file: Path, one: Remark) -> None:
    """Add a line to a file."""
    try:
        with file.open("ab") as stream:
            stream.write(msgspec.json.encode(one) + b"\n")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


def read_lines(file: Path) -> Iterator[Remark]:
    """Give the lines of a file that are complete."""
    try:
        data = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            yield msgspec.json.decode(line, type=Remark)
        except msgspec.DecodeError as error:
            raise UsageError(f"{file}, line {number}: {error}; remove the line") from error


@dataclass
class Feedback:
    """Applies the feedback in a crawl's folder to its judge."""

    folder: Path
    judge: Judge
    pages: Pages
    _size: int = -1
    _taught: list[Remark] | None = None
    _given: Path = field(init=False)
    _given_name: str = field(init=False)

    def __post_init__(self) -> None:
        self._given = self.folder / GIVEN
        self._given_name = str(self._given)  # looked at in every step of a crawl

    def restore(self, visits: int) -> None:
        """Apply the feedback that was given after a number of visits again."""
        learner = teachable(self.judge)
        for one in self._known()[learner.lessons :] if learner is not None else ():
            if one.after > visits:
                return
            self._teach(one)

    def restore_all(self, visits: int) -> None:
        """Teach all that is left of the last crawl: visits that came after it may be lost."""
        self.restore(max([visits, *(one.after for one in self._known())]))

    def learn(self, visits: int) -> Sequence[str]:
        """Teach what users have said since the last time, and return it as lines for them."""
        # This is asked in every step, and mostly nobody has said anything.
        if not os.access(self._given_name, os.F_OK):
            return ()
        try:
            size = self._given.stat().st_size
        except OSError:
            return ()
        if size == self._size:
            return ()
        self._size = size
        said = []
        for one in list(read_lines(self._given))[len(self._known()) :]:
            lesson = msgspec.structs.replace(one, after=visits)
            append(self.folder / LEARNED, lesson)
            self._known().append(lesson)
            wish = "more pages like" if one.more else "no pages like"
            if teachable(self.judge) is None:
                said.append(f"feedback: this judge does not learn ({one.url})")
            else:
                self._teach(lesson)
                said.append(f"feedback: {wish} {one.url}")
        return said

    def _known(self) -> list[Remark]:
        """Return the feedback, read from the folder the first time."""
        if self._taught is None:
            self._taught = lessons(self.folder)
        return self._taught

    def _teach(self, one: Remark) -> None:
        learner = teachable(self.judge)
        if learner is not None:
            page = self.pages(one.visit)
            learner.teach(page.document, page.href, one.more)

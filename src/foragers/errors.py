"""Errors that the user can correct: one line that names the cause and the remedy."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class DamagedError(ValueError):
    """Damaged data; the caller, which knows the file, turns this into a `UsageError`."""


FLAG = re.compile(r"(?<!\S)--(no-)?([a-z][a-z-]*[a-z])\b")


class UsageError(Exception):
    """Wrong input: the message is one line that names the option or file and the remedy.

    `option` is the name of the wrong option, spelled as an argument in Python, and `value` its
    value.  Without `option`, the option at the start of the message counts.
    """

    def __init__(self, message: str, *, option: str = "", value: object = None) -> None:
        super().__init__(message)
        begins = FLAG.match(message)
        self.option = option or (begins[2].replace("-", "_") if begins else "")
        self.value = value

    def in_python(self) -> str:
        """Return the message with arguments of a function in place of command-line options."""
        text, value = str(self), self.value
        begins = FLAG.match(text)
        end = begins.end() if begins else 0
        shown = {str(value), f"{value:g}" if isinstance(value, int | float) else ""} - {""}
        for spelled in sorted(shown, key=len, reverse=True) if end and value is not None else ():
            if text[end:].startswith(f" {spelled}"):
                text = f"{self.option}={value!r}{text[end + len(spelled) + 1 :]}"
                break
        # A message such as `--strategy mine.py:Mine: …` contains the value.
        if begins and value is None and (given := re.match(r" (\S+): ", text[end:])):
            text = f"{self.option}={given[1]!r}{text[end + given.end(1) :]}"
        return with_arguments(text)


def with_arguments(text: str) -> str:
    """Return a text with arguments of a function in place of command-line options."""
    return FLAG.sub(lambda flag: argument(flag[2], bool(flag[1])), text)


def argument(name: str, off: bool = False) -> str:
    """Return how an option of the command line is written in Python."""
    return f"{name.replace('-', '_')}={'False' if off else ''}"


@contextmanager
def python_names() -> Iterator[None]:
    """Let errors name arguments of Python, not options of the command line."""
    try:
        yield
    except UsageError as error:
        error.args = (error.in_python(),)
        raise


class WriteError(UsageError):
    """A file of a crawl that cannot be written; the command itself is correct."""

    def __init__(self, path: Path | str, why: object, remedy: str = "make room") -> None:
        super().__init__(
            f"{path} cannot be written: {why}; all before it is kept,"
            f" {remedy} and start the same crawl again"
        )


class FetcherError(WriteError):
    """What keeps the process that fetches for a crawl from going on, in its own words."""

    def __init__(self, message: str) -> None:
        UsageError.__init__(self, message)


class DatabaseError(WriteError):
    """A database that fails, or cannot be reached: no fault of the command either."""

    def __init__(self, place: str, why: object) -> None:
        UsageError.__init__(
            self,
            f"{place}: {why}; all before it is kept,"
            " start the same command again when the database is back",
        )


class NothingFetchedError(Exception):
    """No seed could be fetched; the command itself is correct."""

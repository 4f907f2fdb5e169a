"""What goes wrong and is the user's to mend, in one line that says how."""

from pathlib import Path


class DamagedError(ValueError):
    """Data is not what it should be; who knows from which file it is says so to the user."""


class UsageError(Exception):
    """Wrong input: the message is one line that names the option or file and the remedy."""


class WriteError(UsageError):
    """A file of a crawl that cannot be written: no fault of the command, which is right."""

    def __init__(self, path: Path | str, why: object, remedy: str = "make room") -> None:
        super().__init__(
            f"{path} cannot be written: {why}; all before it is kept,"
            f" {remedy} and start the same crawl again"
        )


class NothingFetchedError(Exception):
    """No seed could be fetched: the command has failed, though nothing was wrong with it."""

"""Being here puts this folder on the path, so that tests can import `worlds_by_hand`."""

from __future__ import annotations

import os
import signal
import sqlite3
import traceback
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from support.postgres import PostgresServer

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A script's `make test &` ignores Ctrl-C, and so would each program that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A proxy, colours and widths are settings of who runs the tests; a test sets those it is about.
for name in list(os.environ):
    if name.lower().endswith("_proxy") or name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES"):
        del os.environ[name]

# How long an example takes says more about the machine than about the code.
settings.register_profile("foragers", deadline=None)
settings.load_profile("foragers")


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what belongs to a user, the key of checkpoints, away from who runs the tests."""
    before, state = os.environ.get("XDG_STATE_HOME"), tmp_path_factory.mktemp("state")
    os.environ["XDG_STATE_HOME"] = str(state)
    yield state
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    """Let no test inherit what `main` sets for the processes of a command."""
    yield
    os.environ.pop("PYTHONSAFEPATH", None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that the tests of this process share."""
    from support.postgres import running_postgres

    with running_postgres() as server:
        yield server


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    """The URL of an empty schema in a database."""
    return postgres.new_schema()


class Watched(sqlite3.Connection):
    """A connection that says where it was opened if nobody closes it, on every Python."""

    opened = ""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.opened = "".join(traceback.format_stack(limit=6)[:-1])

    def close(self) -> None:
        self.opened = ""
        super().close()

    def __del__(self) -> None:
        if self.opened:
            said = f"a database was not closed that was opened here:\n{self.opened}"
            warnings.warn(said, ResourceWarning, stacklevel=1)


vars(sqlite3)["connect"] = partial(sqlite3.connect, factory=Watched)

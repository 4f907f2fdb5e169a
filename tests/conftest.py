"""Being here puts this folder on the path, so that tests can import `worlds_by_hand`."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A script's `make test &` ignores Ctrl-C, and so would each program that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

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

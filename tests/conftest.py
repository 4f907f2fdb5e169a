"""Being here puts this folder on the path, so that tests can import `worlds_by_hand`."""

import signal

from hypothesis import settings

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A script's `make test &` ignores Ctrl-C, and so would each program that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says more about the machine than about the code.
settings.register_profile("foragers", deadline=None)
settings.load_profile("foragers")

"""Being here puts this folder on the path, so that tests can import `worlds_by_hand`."""

from hypothesis import settings

# How long an example takes says more about the machine than about the code.
settings.register_profile("foragers", deadline=None)
settings.load_profile("foragers")

"""What passes between the loop, a strategy, a world, a judge and a ledger."""

from foragers.core.types import *  # noqa: F403

"""Finding crawler traps at bounded cost: see `traps.traps`."""

from foragers.traps.canonical import canonical
from foragers.traps.traps import Kind, Traps, Verdict

__all__ = ["Kind", "Traps", "Verdict", "canonical"]

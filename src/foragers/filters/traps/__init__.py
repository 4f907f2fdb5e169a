"""Finding crawler traps at bounded cost: see `traps.traps`."""

from foragers.filters.traps.detector import TrapKind, Traps, TrapVerdict
from foragers.urls.canonical import canonical

__all__ = ["TrapKind", "TrapVerdict", "Traps", "canonical"]

"""Detection of crawler traps at bounded cost: see `filters.traps.detector`."""

from foragers.filters.traps.detector import TrapKind, Traps, TrapVerdict
from foragers.urls.canonical import canonical

__all__ = ["TrapKind", "TrapVerdict", "Traps", "canonical"]

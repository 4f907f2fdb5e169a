"""Pure functions over ledgers and worlds."""

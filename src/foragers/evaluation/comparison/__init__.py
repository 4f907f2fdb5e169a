"""Fair comparison: the same worlds, budgets and seeds for every strategy."""

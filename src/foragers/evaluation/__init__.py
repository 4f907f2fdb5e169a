"""Metrics, plots and comparisons over ledgers and worlds."""

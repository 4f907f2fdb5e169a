"""Part of foragers."""

"""URLs: resolved, normalised, and numbered by the million."""

"""Pages that are made by their scripts: which they are, and what they say once these have run."""

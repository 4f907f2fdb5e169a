"""WARC files: written, indexed, repaired and read."""

"""WARC files made into worlds."""

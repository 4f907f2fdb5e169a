"""Import of WARC files."""

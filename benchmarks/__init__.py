"""Speed and memory, as ratios against a bare loop in the same run: `make bench`."""

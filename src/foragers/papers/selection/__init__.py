"""The experiments of the paper `selection`."""

"""The experiments of the paper `population`."""

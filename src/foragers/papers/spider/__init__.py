"""The experiments of the paper `spider`."""

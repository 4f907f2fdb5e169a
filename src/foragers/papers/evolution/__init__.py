"""The experiments of the paper `evolution`."""

"""The experiments of the paper `automata`."""

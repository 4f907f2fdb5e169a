"""Learning automata, one for every page."""

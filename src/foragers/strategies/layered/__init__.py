"""Context graphs and hidden Markov models."""

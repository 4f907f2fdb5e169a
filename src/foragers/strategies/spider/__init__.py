"""The reinforcement-learning spider."""

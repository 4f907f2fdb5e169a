"""Populations of agents that live on energy."""

"""Fleets simulated on a recorded web."""

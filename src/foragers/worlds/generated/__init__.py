"""Worlds made up by rule: the same preset, size and seed give the same web, byte for byte."""

"""Plots with labelled axes and legends; the same data give the same bytes."""

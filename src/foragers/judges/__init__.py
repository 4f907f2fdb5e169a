"""Judges: what makes a page relevant."""

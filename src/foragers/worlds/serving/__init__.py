"""Worlds served over HTTP."""

"""Fetching over HTTP: which addresses may be reached, and the client that reaches them."""

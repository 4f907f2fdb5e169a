"""Code of the user's: how it is found, what it gets, and what it may return."""

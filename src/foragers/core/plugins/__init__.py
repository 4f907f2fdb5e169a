"""Code of the user's: where it is, what it is given, and what it may answer."""

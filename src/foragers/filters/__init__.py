"""Which URLs are in scope and worth fetching."""

"""Fetching by other machines: the crawl orders, nodes that lease hosts fetch."""

"""Metrics of a crawl."""

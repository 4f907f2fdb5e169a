"""The record of a crawl: in memory, or in SQLite."""

"""Webs to crawl: recorded, generated, rewired."""

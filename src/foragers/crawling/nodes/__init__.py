"""Nodes: processes that fetch for a crawl on another machine."""

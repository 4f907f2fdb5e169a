"""HTML: text, links and head of a page."""

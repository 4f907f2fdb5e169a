"""One crawling strategy, or one family of them, a file."""

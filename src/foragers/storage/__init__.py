"""What a crawl writes: ledgers and WARC files."""

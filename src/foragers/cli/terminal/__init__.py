"""What the commands print: progress, the live view of a crawl, and its summary."""

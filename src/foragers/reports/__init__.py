"""What people take away from a crawl's folder: exports, explanations, the report."""

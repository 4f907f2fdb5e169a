"""What users tell a running crawl, and what it tells them, through files of its folder."""

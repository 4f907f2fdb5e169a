"""A crawl as a corpus: main text, languages, near duplicates, and the formats of other tools."""

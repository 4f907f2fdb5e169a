"""The main text of a page, in blocks: paragraphs, headings, lists, tables and code."""

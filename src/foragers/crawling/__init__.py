"""A crawl of the live web in a folder: begun, stopped, killed, and resumed."""

"""A crawl as web pages, while it runs and afterwards (`foragers serve`)."""

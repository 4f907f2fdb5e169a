"""What the add-on tells the scheduler, as signals of Scrapy's."""

page_parsed = object()
"""A callback has ended: `response`, the `urls` that it requests, and its number of `items`."""
request_failed = object()
"""A request has no response: `request`, the `reason`, and whether it was `skipped`."""
PARENT = "foragers_parent"
"""The key in a request's meta for the URL of the page that it was made from."""

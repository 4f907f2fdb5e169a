"""The page of the Python interface, made from signatures and docstrings."""

from __future__ import annotations

SECTIONS = {
    "Crawl": ("foragers.crawl", "foragers.LiveCrawl", "foragers.FetchedPage"),
    "Compare": (
        "foragers.compare",
        "foragers.replay",
        "foragers.open_world",
        "foragers.generate",
        "foragers.import_warc",
    ),
    "Register": ("foragers.register_strategy", "foragers.register_judge"),
    "Errors": ("foragers.UsageError",),
    "The four interfaces": (
        "foragers.core.protocols.Strategy",
        "foragers.core.protocols.World",
        "foragers.core.protocols.Judge",
        "foragers.core.protocols.Ledger",
    ),
    "Records": (
        "foragers.core.types.Choice",
        "foragers.core.types.Visit",
        "foragers.core.types.Page",
        "foragers.core.types.Link",
        "foragers.core.types.Status",
    ),
    "For strategies": ("foragers.frontier.Frontier", "foragers.judges.topic.Topic"),
    "Checks for your own parts": (
        "foragers.testing.check_strategy",
        "foragers.testing.check_world",
        "foragers.testing.check_ledger",
    ),
}
INTRODUCTION = """\
# Python interface

Made from the signatures and docstrings of the code. [The guide](../python.md) shows examples of
all of it.

Everything else in the package may change from version to version.

"""


def page() -> str:
    """Return the page; mkdocstrings fills in what the marks name."""
    return INTRODUCTION + "\n".join(
        f"## {title}\n\n" + "\n".join(f"::: {name}\n" for name in names)
        for title, names in SECTIONS.items()
    )

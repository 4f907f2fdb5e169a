"""The page of JSON schemas, made from the classes that are written as JSON."""

from __future__ import annotations

import json

import msgspec

from foragers.crawling.progress import LeftAlone
from foragers.evaluation.comparison.result import Result
from foragers.evaluation.comparison.several import SeveralResults
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import Summary
from foragers.worlds.store import Manifest

WRITTEN = {
    "The numbers of a crawl": (
        Summary,
        "`crawl --json FILE` writes these fields with further ones "
        "([progress and summary](../crawling.md#progress-and-summary)).",
    ),
    "An estimate of recall": (Estimate, "`estimate` of `crawl --json` and of `crawl.json`."),
    "A host to ask again later": (LeftAlone, "`left_alone` of `crawl --json`."),
    "A comparison on one world": (
        Result,
        "`compare --json FILE`, and `result.json` of `compare --out DIR`.",
    ),
    "A comparison on several worlds": (SeveralResults, "The same for several worlds or topics."),
    "A world": (Manifest, "`world.json` in the folder of a world ([format](../world-format.md))."),
}
INTRODUCTION = """\
# JSON schemas

The JSON files that Foragers writes, as [JSON Schema](https://json-schema.org/) 2020-12. They are
made from the classes that are written. Fields may be added in later versions; readers should
ignore fields that they do not know.

"""


def page() -> str:
    """Return the page, one schema in each section."""
    return INTRODUCTION + "\n".join(
        f"## {title}\n\n{said}\n\n```json\n{json.dumps(schema(kind), indent=2)}\n```\n"
        for title, (kind, said) in WRITTEN.items()
    )


def schema(kind: type) -> dict[str, object]:
    """Return the schema of a class."""
    return msgspec.json.schema(kind)

"""Main text against two public corpora: precision, recall, F1, and CPU milliseconds a page.

    FORAGERS_TEXT_CORPORA=FOLDER python -m benchmarks main_text

See `text_corpora` for the folder.  trafilatura is measured beside ours where it is installed.
"""

from __future__ import annotations

import logging
from importlib import import_module
from importlib.util import find_spec

from benchmarks.text_corpora import (
    ARTICLES,
    FINAL,
    SNIPPETS,
    Extractor,
    Score,
    article_pages,
    halves,
    missing,
    score_articles,
    score_snippets,
    snippet_pages,
)
from foragers.parsing.html.parse import parse
from foragers.parsing.main_text.extract import extract

LEAST_F1, MOST_MS = 0.93, 5.0
"""What main text comes to on pages that it was not made with, and what it may cost."""
OURS = "foragers"


def extractors() -> dict[str, Extractor]:
    """Return the extractors that are installed."""
    found: dict[str, Extractor] = {
        OURS: lambda body, url: extract(body, url).text,
        "the crawl's own text": lambda body, url: parse(body, url).document.text,
    }
    if find_spec("trafilatura") is not None:
        logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
        other = import_module("trafilatura")
        found["trafilatura"] = lambda body, url: (
            other.extract(body, url=url, include_comments=False, include_tables=True) or ""
        )
    return found


def run() -> bool:
    """Measure all extractors; return whether ours meets its aims on the final halves."""
    if problem := missing():
        print(problem)
        return True
    met = True
    corpora = (
        (SNIPPETS, snippet_pages(), score_snippets),
        (ARTICLES, article_pages(), score_articles),
    )
    for corpus, samples, score in corpora:
        for half, some in halves(samples).items():
            for name, extractor in extractors().items():
                found: Score = score(some, extractor)
                print(
                    f"{corpus:30} {half:12} {len(some):4} pages  {name:22}"
                    f" P {found.precision:.3f}  R {found.recall:.3f}  F1 {found.f1:.3f}"
                    f"  {found.ms:5.2f} ms",
                    flush=True,
                )
                if name == OURS and half == FINAL:
                    met &= found.f1 >= LEAST_F1 and found.ms <= MOST_MS
    return met

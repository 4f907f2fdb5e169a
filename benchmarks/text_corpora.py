"""Two public corpora of pages with their main text, and how an extractor scores on them.

`FORAGERS_TEXT_CORPORA` names a folder with copies of two repositories: `trafilatura`
(adbar/trafilatura, for its folder `tests`) and `article-extraction-benchmark`
(scrapinghub/article-extraction-benchmark).  Training also reads `readability`
(mozilla/readability) if it is there.  Every second page of a corpus, in the order of their names,
is for development and the others are for the final figure.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import process_time
from types import ModuleType

FOLDER = Path(os.environ.get("FORAGERS_TEXT_CORPORA", "text-corpora"))
SNIPPETS, ARTICLES, READABILITY = "trafilatura", "article-extraction-benchmark", "readability"
DEVELOPMENT, FINAL = "development", "final"
Extractor = Callable[[bytes, str], str]


@dataclass(frozen=True)
class Sample:
    """A page, with snippets that its main text has and has not, or with the whole text."""

    url: str
    body: bytes
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Score:
    """What an extractor came to on some pages."""

    precision: float
    recall: float
    f1: float
    ms: float


def halves(samples: list[Sample]) -> dict[str, list[Sample]]:
    """Return the two halves of a corpus."""
    return {DEVELOPMENT: samples[::2], FINAL: samples[1::2]}


def missing() -> str:
    """Return what is to be done if the corpora are not there, or ""."""
    for name in (SNIPPETS, ARTICLES):
        if not (FOLDER / name).is_dir():
            return f"no {FOLDER / name}: set FORAGERS_TEXT_CORPORA (see benchmarks/text_corpora.py)"
    return ""


def snippet_pages() -> list[Sample]:
    """Return the pages of trafilatura's corpus."""
    tests = FOLDER / SNIPPETS / "tests"
    items = json.loads((tests / "evaldata.json").read_text("utf-8"))
    found = []
    for url in sorted(items):
        item = items[url]
        places = (tests / "cache" / item["file"], tests / "eval" / item["file"])
        body = next(place for place in places if place.is_file()).read_bytes()
        found.append(Sample(url, body, tuple(item["with"]), tuple(item["without"])))
    return found


def article_pages() -> list[Sample]:
    """Return the pages of scrapinghub's corpus."""
    folder = FOLDER / ARTICLES
    truth = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    return [
        Sample(
            truth[key].get("url", key),
            gzip.decompress((folder / "html" / f"{key}.html.gz").read_bytes()),
            text=truth[key]["articleBody"],
        )
        for key in sorted(truth)
    ]


def readability_pages() -> list[Sample]:
    """Return the pages of readability's tests, with the text that it is known to give."""
    folder = FOLDER / READABILITY / "test" / "test-pages"
    found = []
    for page in sorted(folder.iterdir()) if folder.is_dir() else ():
        expected = page / "expected.html"
        if expected.is_file():
            text = expected.read_text("utf-8")
            found.append(Sample(page.name, (page / "source.html").read_bytes(), text=text))
    return found


def score_snippets(samples: Iterable[Sample], extractor: Extractor) -> Score:
    """Count snippets, as trafilatura's own evaluation does: white space does not matter."""
    right = wrong = lost = pages = 0
    seconds = 0.0
    for sample in samples:
        start = process_time()
        text = normal(extractor(sample.body, sample.url))
        seconds += process_time() - start
        found = sum(normal(snippet) in text for snippet in sample.wanted)
        right += found
        lost += len(sample.wanted) - found
        wrong += sum(normal(snippet) in text for snippet in sample.unwanted)
        pages += 1
    precision, recall = right / max(right + wrong, 1), right / max(right + lost, 1)
    f1 = 2 * right / max(2 * right + wrong + lost, 1)
    return Score(precision, recall, f1, 1000 * seconds / max(pages, 1))


def score_articles(samples: Iterable[Sample], extractor: Extractor) -> Score:
    """Compare whole texts by the corpus's own evaluation."""
    evaluation, matches = own_evaluation(), []
    seconds, pages = 0.0, 0
    for sample in samples:
        start = process_time()
        text = extractor(sample.body, sample.url)
        seconds += process_time() - start
        matches.append(evaluation.string_shingle_matching(true=sample.text, pred=text))
        pages += 1
    found = evaluation.metrics_from_tp_fp_fns(matches)
    ms = 1000 * seconds / max(pages, 1)
    return Score(found["precision"], found["recall"], found["f1"], ms)


def own_evaluation() -> ModuleType:
    """Load the evaluation that comes with scrapinghub's corpus."""
    spec = spec_from_file_location("corpus_evaluation", FOLDER / ARTICLES / "evaluate.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(FOLDER / ARTICLES / "evaluate.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def normal(text: str) -> str:
    """Return a text with single spaces."""
    return re.sub(r"\s+", " ", text).strip()

"""Trains the classifier of main text on the development halves of two public corpora.

    FORAGERS_TEXT_CORPORA=FOLDER python -m benchmarks.main_text_training

Blocks are labelled by the corpora: by snippets, or by the whole text.  Other blocks of pages with
snippets are labelled as trafilatura labels them, at a lower weight.  Weights of words come from
other sites than the block itself (five folds), so that the forest is trained on weights as it will
meet them.
"""

from __future__ import annotations

import argparse
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.text_corpora import (
    DEVELOPMENT,
    Sample,
    article_pages,
    halves,
    normal,
    readability_pages,
    score_articles,
    score_snippets,
    snippet_pages,
)
from foragers.core.models import save_model
from foragers.parsing.main_text.block_classifier import FILE, BlockClassifier, Forest, to_model
from foragers.parsing.main_text.blocks import PageBlocks
from foragers.parsing.main_text.extract import blocks_of, without_last_headings
from foragers.parsing.main_text.features import SHORT_CHARS, Table, TokenWeights, table, words_of

FOLDS = 5
OVERLAP = 0.6
"""A block is main text if this share of its triples of words is in the true text."""
BY_SNIPPET, BY_TEXT, BY_OTHERS = 3.0, 1.0, 0.3
"""Weights of labels, by who gave them."""
CLASS_SITES, WORD_SITES = 5, 8
"""A class name, or a word, counts if so many sites use it."""
LEAST_WEIGHT = 15
"""Weights below this, in hundredths, are left out."""
TREES, DEPTH = 150, 5
_WORD = re.compile(r"\w+")
Labels = NDArray[np.float64]


@dataclass
class Page:
    """A page to train on: its blocks, with their labels and weights."""

    sample: Sample
    blocks: PageBlocks
    labels: Labels
    weights: Labels

    @property
    def fold(self) -> int:
        """The fold of the page's site."""
        site = re.sub(r"^https?://(www\.)?", "", self.sample.url).split("/")[0]
        return blake2b(site.encode(), digest_size=4).digest()[0] % FOLDS


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(text.lower())


def labels_by_text(page: PageBlocks, text: str) -> Labels:
    """Label the blocks that are in the true text."""
    true = words(text)
    triples = set(zip(true, true[1:], true[2:], strict=False))
    whole = f" {' '.join(true)} "
    labels = []
    for block in page.blocks:
        own = words(block.text)
        if len(own) < 5:
            labels.append(float(bool(own) and f" {' '.join(own)} " in whole))
        else:
            found = [three in triples for three in zip(own, own[1:], own[2:], strict=False)]
            labels.append(float(sum(found) >= OVERLAP * len(found)))
    return np.array(labels)


def label_by_snippets(page: Page) -> None:
    """Correct the labels of the blocks that snippets stand in."""
    texts = [normal(block.text) for block in page.blocks.blocks]
    starts = np.cumsum([0, *[len(text) + 1 for text in texts]]).tolist()
    whole = " ".join(texts)
    votes: dict[int, set[tuple[bool, bool]]] = defaultdict(set)
    for good, snippets in ((True, page.sample.wanted), (False, page.sample.unwanted)):
        for snippet in map(normal, snippets):
            places = [match.start() for match in re.finditer(re.escape(snippet), whole)][:50]
            for place in places:
                first = bisect_right(starts, place) - 1
                last = bisect_right(starts, place + len(snippet) - 1) - 1
                for number in range(first, last + 1):
                    votes[number].add((good, len(places) == 1))
    for number, said in votes.items():
        if said == {(False, True)} or said == {(False, False)}:
            page.labels[number], page.weights[number] = 0.0, BY_SNIPPET
        elif (True, True) in said and not any(not good for good, _ in said):
            page.labels[number], page.weights[number] = 1.0, BY_SNIPPET
        elif said == {(True, False)} and page.labels[number]:
            page.weights[number] = BY_SNIPPET / 2


def pages_to_train_on() -> list[Page]:
    """Return the labelled pages of the development halves."""
    other = import_module("trafilatura")
    found = []
    for sample in halves(snippet_pages())[DEVELOPMENT]:
        blocks = blocks_of(sample.body)
        text = other.extract(sample.body, url=sample.url, include_comments=False) or ""
        labels = labels_by_text(blocks, text)
        page = Page(sample, blocks, labels, np.full(len(labels), BY_OTHERS))
        label_by_snippets(page)
        found.append(page)
    for sample in halves(article_pages())[DEVELOPMENT]:
        blocks = blocks_of(sample.body)
        labels = labels_by_text(blocks, sample.text)
        found.append(Page(sample, blocks, labels, np.full(len(labels), BY_TEXT)))
    for sample in readability_pages():
        blocks, body = blocks_of(sample.body), LexborHTMLParser(sample.text).body
        labels = labels_by_text(blocks, body.text(separator=" ") if body else "")
        found.append(Page(sample, blocks, labels, np.full(len(labels), BY_OTHERS)))
    for page in found:
        sizes = np.array([len(block.text) for block in page.blocks.blocks])
        page.weights *= np.minimum(3, 1 + sizes / 150)
    return [page for page in found if len(page.labels)]


def lexicon_of(pages: Sequence[Page]) -> TokenWeights:
    """Weigh class names and words by how often they stand with main text and with the rest."""
    good, bad = Counter[str](), Counter[str]()
    with_class, with_word = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
    good_words, bad_words = Counter[str](), Counter[str]()
    for number, page in enumerate(pages):
        counts = Counter[str](), Counter[str]()
        for block, label in zip(page.blocks.blocks, page.labels, strict=True):
            tokens, element = set[str](), block.owner
            while element >= 0:
                tokens.update(page.blocks.tokens.get(element, ()))
                element = page.blocks.parents[element]
            counts[int(label > 0)].update(tokens)
            if len(block.text) <= SHORT_CHARS:
                own = set(words_of(block.text))
                (good_words if label else bad_words).update(own)
                for word in own:
                    with_word[word].add(number)
        sizes = [max(1, int((page.labels == label).sum())) for label in (0, 1)]
        for token in {*counts[0], *counts[1]}:
            with_class[token].add(number)
            bad[token] += counts[0][token] / sizes[0]  # type: ignore[assignment]
            good[token] += counts[1][token] / sizes[1]  # type: ignore[assignment]
    classes = {
        token: round(100 * math.log((good[token] + 0.5) / (bad[token] + 0.5)))
        for token, sites in with_class.items()
        if len(sites) >= CLASS_SITES
    }
    odds = (sum(bad_words.values()) + 1) / (sum(good_words.values()) + 1)
    weights = {
        word: round(100 * math.log((good_words[word] + 1) / (bad_words[word] + 1) * odds))
        for word, sites in with_word.items()
        if len(sites) >= WORD_SITES
    }
    return TokenWeights(
        {token: weight for token, weight in classes.items() if abs(weight) >= LEAST_WEIGHT},
        {word: weight for word, weight in weights.items() if abs(weight) >= LEAST_WEIGHT},
    )


def fitted(rows: Sequence[Table], pages: Sequence[Page]) -> Forest:
    """Fit a forest to the labels of blocks."""
    model = HistGradientBoostingClassifier(
        max_iter=TREES, learning_rate=0.1, max_bins=64, max_depth=DEPTH, max_leaf_nodes=None,
        min_samples_leaf=40, l2_regularization=3.0, early_stopping=False, random_state=0,
    )  # fmt: skip
    labels = np.concatenate([page.labels for page in pages])
    weights = np.concatenate([page.weights for page in pages])
    model.fit(np.vstack(rows), labels, weights)
    return forest_of(model)


def forest_of(model: Any) -> Forest:
    """Return a fitted model as complete trees, with values in thousandths."""
    nodes = 2**DEPTH - 1
    features = np.zeros((len(model._predictors), nodes), np.int16)
    limits = np.full(features.shape, np.inf)
    values = np.zeros((len(features), nodes + 1), np.int32)

    def place(tree: Any, number: int, at: int, into: int) -> None:
        node = tree[number]
        if at >= nodes:
            values[into, at - nodes] = round(1000 * float(node["value"]))
        elif node["is_leaf"]:
            place(tree, number, 2 * at + 1, into)
            place(tree, number, 2 * at + 2, into)
        else:
            features[into, at] = node["feature_idx"]
            limits[into, at] = node["num_threshold"]
            place(tree, int(node["left"]), 2 * at + 1, into)
            place(tree, int(node["right"]), 2 * at + 2, into)

    for number, (predictor,) in enumerate(model._predictors):
        place(predictor.nodes, 0, 0, number)
    start = round(1000 * float(np.ravel(model._baseline_prediction)[0]))
    return Forest(features, limits, values, start)


def train(pages: list[Page], validated: bool = True) -> BlockClassifier:
    """Train a classifier; if `validated`, print how it does on sites it was not trained on."""
    rows: list[Table] = [np.zeros((0, 0))] * len(pages)
    for fold in range(FOLDS):
        lexicon = lexicon_of([page for page in pages if page.fold != fold])
        for i in (i for i, page in enumerate(pages) if page.fold == fold):
            rows[i] = table(pages[i].blocks, lexicon)
    if validated:
        validate(pages, rows)
    return BlockClassifier(lexicon_of(pages), fitted(rows, pages))


def validate(pages: list[Page], rows: list[Table]) -> None:
    """Print what a forest comes to on sites that it was not trained on."""
    texts = {}
    for fold in range(FOLDS):
        others = [i for i, page in enumerate(pages) if page.fold != fold]
        forest = fitted([rows[i] for i in others], [pages[i] for i in others])
        for i in (i for i, page in enumerate(pages) if page.fold == fold):
            chosen = (forest.scores(rows[i]) > 0).nonzero()[0].tolist()
            chosen = without_last_headings(pages[i].blocks, chosen)
            blocks = pages[i].blocks.blocks
            texts[pages[i].sample.body] = "\n".join(blocks[number].text for number in chosen)
        print(f"fold {fold + 1} of {FOLDS}", flush=True)
    samples = [page.sample for page in pages]
    print(score_snippets([one for one in samples if one.wanted], lambda body, _: texts[body]))
    articles = [one for one in samples if one.text and "://" in one.url]
    print(score_articles(articles, lambda body, _: texts[body]), flush=True)


def main() -> None:
    """Train, and write the model."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=FILE)
    options.add_argument("--quick", action="store_true", help="do not validate")
    given = options.parse_args()
    out: Path = given.out
    pages = pages_to_train_on()
    print(f"{len(pages)} pages, {sum(len(page.labels) for page in pages)} blocks", flush=True)
    classifier = train(pages, not given.quick)
    facts = {"trained on": "development halves; see benchmarks/main_text_training.py"}
    save_model(to_model(classifier, facts), out)
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

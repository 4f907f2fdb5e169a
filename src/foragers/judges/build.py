"""From a target to the judge of its pages.

One of `topic`, `examples`, `judge` says what is wanted; `new_within` asks for news, of
that kind if one is given.  `relevant` names labels of a recorded world: alone they are the
judge, beside another they are only the truth to measure against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from foragers.core.options import Target, check_ranges
from foragers.core.protocols import Judge
from foragers.core.types import Document, Ids, UrlId
from foragers.errors import UsageError
from foragers.judges.corpus import read_texts
from foragers.judges.examples import LAST, Examples
from foragers.judges.function import FunctionJudge, JudgeFunction
from foragers.judges.keywords import Keywords, Tfidf, topic_counts
from foragers.judges.novelty import InLanguage, Novelty, parse_duration
from foragers.judges.simple import Documents, Everything, LabelJudge
from foragers.judges.topic import NoTopic, Teachable, Topic, full_text
from foragers.judges.words import Standing, Words
from foragers.judges.words.meaning import Meaning
from foragers.judges.words.vectors import table_of
from foragers.parsing.documents import parse_types
from foragers.parsing.language import parse_languages
from foragers.text.tfidf import DocumentFrequencies

if TYPE_CHECKING:
    from foragers.worlds.archive import Archive

CORPUS = 2000
"""In how many pages of a recorded world words are counted for idf."""


def build_judge(target: Target, archive: Archive | None = None) -> Judge:
    """Return the judge that a target describes, or say in one line what is wrong with it."""
    _check(target)
    kind: Keywords | Words | Tfidf | Examples | FunctionJudge | LabelJudge | Documents | None = None
    if target.relevant is not None:
        kind = LabelJudge(truth(archive, target.relevant))
    if target.topic is not None:
        kind = _topic_judge(target.topic, target, archive)
    elif target.examples is not None:
        kind = _examples_judge(target.examples, archive)
    elif target.judge is not None:
        kind = _call_judge(target.judge)
    elif target.want:
        kind = Documents(parse_types(target.want))
    if target.threshold is not None and kind is not None:
        kind = replace(kind, threshold=target.threshold)
    judge: Judge = Everything() if kind is None else kind
    if target.new_within is not None:
        judge = Novelty(parse_duration(target.new_within), kind)
    languages = parse_languages(target.language)
    return InLanguage(languages, judge) if languages else judge


def truth(archive: Archive | None, relevant: str) -> frozenset[UrlId]:
    """Return the URLs that carry a label, or any of several joined by commas."""
    if archive is None:
        raise UsageError("--relevant needs a recorded world with labels; use --topic on a live web")
    known = archive.labels.urls
    parts = [relevant] if relevant in known else relevant.split(",")
    wanted = [name for part in parts if (name := part.strip())]
    if not wanted:
        raise UsageError(f"--relevant contains no label; {_labels_like('', known)}")
    for name in wanted:
        if name not in known:
            raise UsageError(f"--relevant {name}: no such label; {_labels_like(name, known)}")
    return frozenset(int(url) for name in wanted for url in known[name])


def topic_of(judge: Judge) -> Topic:
    """Return what a strategy may ask about words: the judge's own topic, or none."""
    if isinstance(judge, Novelty | InLanguage):
        return NoTopic() if judge.topic is None else topic_of(judge.topic)
    if callable(getattr(judge, "likeness", None)):
        return cast(Topic, judge)
    return NoTopic()


def standing_of(judge: Judge) -> Standing | None:
    """Return what a judge lets pass so far, if it is one whose threshold adapts."""
    if isinstance(judge, Novelty | InLanguage):
        return None if judge.topic is None else standing_of(judge.topic)
    return judge.standing() if isinstance(judge, Words) else None


def teachable(judge: Judge) -> Teachable | None:
    """Return who learns from pages of which somebody says whether they are wanted."""
    if isinstance(judge, Novelty | InLanguage):
        return None if judge.topic is None else teachable(judge.topic)
    return judge if isinstance(judge, Teachable) else None


def within_of(judge: Judge) -> float:
    """Return how many seconds old a page may be, if it is news that is wanted."""
    inner = judge.topic if isinstance(judge, InLanguage) else judge
    return inner.within if isinstance(inner, Novelty) else inf


def _check(target: Target) -> None:
    """Refuse options that contradict each other."""
    given = {
        "--topic": target.topic,
        "--examples": target.examples,
        "--judge": target.judge,
        "--want": target.want or None,
    }
    kinds = [option for option, value in given.items() if value is not None]
    if kinds == ["--topic", "--examples"] and target.similarity not in ("words", "meaning"):
        raise UsageError(
            "--examples teach the judge of words; leave out --similarity, or use meaning"
        )
    if len(kinds) > 1 and kinds != ["--topic", "--examples"]:
        raise UsageError(f"{' and '.join(kinds)} exclude each other; give one of them")
    if target.similarity in ("tfidf", "meaning") and target.topic is None:
        raise UsageError(
            f"--similarity {target.similarity} compares pages with a topic; add --topic WORDS"
        )
    if target.vectors is not None and target.similarity != "meaning":
        raise UsageError("--vectors gives the meaning of words; add --similarity meaning")
    if target.idf is not None and target.similarity != "tfidf":
        raise UsageError("--idf weighs words for tf·idf; add --similarity tfidf")
    if target.threshold is not None and not kinds:
        raise UsageError("--threshold needs --topic, --examples or --judge")
    check_ranges(target)


def _topic_judge(topic: str, target: Target, archive: Archive | None) -> Keywords | Words | Tfidf:
    if not topic_counts(topic):
        raise UsageError(f"--topic {topic!r} has no words; give some, best three or more")
    if target.similarity == "words":
        return _taught(Words(topic), target.examples, archive)
    if target.similarity == "meaning":
        _ = table_of(target.vectors)  # vectors that are not there are found out now
        return _taught(Meaning(topic, vectors=target.vectors), target.examples, archive)
    if target.similarity == "keywords":
        return Keywords(topic)
    if target.idf is not None:
        texts: Iterable[str] = [example.text for example in read_texts(target.idf, "--idf")]
    elif archive is not None:
        texts = _texts(archive, CORPUS)
    else:
        return Tfidf(topic)
    return Tfidf(topic, frequencies=DocumentFrequencies.of(texts), growing=False)


def _examples_judge(path: str | Path, archive: Archive | None) -> Examples:
    found = read_texts(path, "--examples")
    positive = tuple(example.text for example in found if example.relevant)
    negative = tuple(example.text for example in found if not example.relevant)
    if not positive:
        raise UsageError(f"--examples {path}: all are negative; add examples of what is wanted")
    background = () if negative or archive is None else tuple(_texts(archive, LAST))
    return Examples(positive, negative, background)


def _call_judge(judge: str | JudgeFunction) -> FunctionJudge:
    call = FunctionJudge(judge)
    _ = call.resolved  # a function that is not there is found out now, not at the first page
    return call


def _taught(judge: Words, examples: str | None, archive: Archive | None) -> Words:
    """Return a judge that learns while crawling; on a recorded world it has learned before."""
    for example in read_texts(examples, "--examples") if examples is not None else ():
        judge.teach(Document(text=example.text), "", example.relevant)
    judge.lessons = 0  # those of a crawl are counted apart
    _ = judge.query  # a topic without words is refused now
    if archive is not None:
        for url, document in _sample(archive, CORPUS):
            judge.judge(document, url)
        judge.growing = False
    return judge


def _texts(archive: Archive, limit: int) -> Iterator[str]:
    """Return the texts of at most this many pages of a world."""
    return (full_text(document) for _, document in _sample(archive, limit))


def _sample(archive: Archive, limit: int) -> Iterator[tuple[str, Document]]:
    """Return at most this many pages, spread evenly over a world, as they were last."""
    urls = np.flatnonzero(archive.latest >= 0)
    latest = archive.latest[urls]
    there = (archive.codes[latest] == 200) & (archive.redirects[latest] < 0)
    urls, pages = urls[there], latest[there]
    step = max(1, -(-len(pages) // limit))
    for url, version in zip(urls[::step].tolist(), pages[::step].tolist(), strict=True):
        yield archive.book.href(url), archive.texts.document(version)


def _labels_like(name: str, known: Mapping[str, Ids]) -> str:
    """Return a remedy that names the labels closest to a name, or the first ones."""
    if not known:
        return "this world has none; import it with --labels FILE"
    close = get_close_matches(name, known, n=5, cutoff=0.4) or sorted(known)[:5]
    return f"there is {', '.join(close)}" + (", …" if len(close) < len(known) else "")

"""Judges of a topic against labels: how good their decisions are, by what the user typed.

Every page of six recorded webs is judged in the order of a breadth-first crawl, for every label
that five pages have and for each way to ask for it.  Decisions are made when a page comes in
(crawling) and once more with what the judge knows at the end.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import gettempdir

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.judging_table import Outcome, auc, bins_of, f1, tables
from benchmarks.judging_topics import WEBS, typed
from benchmarks.standings_worlds import recorded
from foragers.core.files import write
from foragers.core.options import ReplayOptions
from foragers.core.protocols import Judge
from foragers.core.types import Choice, Page
from foragers.evaluation.comparison.study import Study, prepare
from foragers.judges.keywords import Keywords, Tfidf
from foragers.judges.words.judge import Words, WordSettings
from foragers.judges.words.meaning import Meaning
from foragers.worlds.replay import Recorded

LEAST_F1, LEAST_AUC = 0.45, 0.78
"""What the default comes to: F1 over all labels, AUC for the bare names that people gave."""
JUDGES: dict[str, Callable[[str], Judge]] = {
    "keywords": Keywords,
    "tfidf": Tfidf,
    "words alone": lambda topic: Words(topic, settings=WordSettings(learned=0.0)),
    "words": Words,
    "words and meaning": Meaning,
}
DEFAULT = "words"
Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]


def breadth_first(study: Study) -> Iterator[Page]:
    """Return all pages: those within reach of the seeds in that order, and then the others'."""
    oracle, archive = study.oracle, study.archive
    world = Recorded(archive, None)
    seen = set(archive.seeds)
    waiting, done = deque(archive.seeds), set()
    for start in (None, *study.pages().tolist()):
        if start is not None and start not in seen:
            seen.add(start)
            waiting.append(start)
        while waiting:
            final = oracle.final(waiting.popleft())
            if final < 0 or final in done:
                continue
            done.add(final)
            yield world.answer(Choice(final, archive.book.host(final)))
            fresh = [url for url in oracle.successors(final) if url not in seen]
            seen.update(fresh)
            waiting.extend(fresh)


class Trial:
    """One judge at work on one web."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.scores: list[float] = []
        self.passed: list[bool] = []

    def see(self, page: Page) -> None:
        """Judge a page."""
        score = self.judge.relevance(page)
        self.scores.append(score)
        self.passed.append(score >= self.judge.threshold)


def judged(web: str, path: Path, judges: Sequence[str]) -> list[Outcome]:
    """Judge all pages of a web for all of its topics."""
    study = prepare(ReplayOptions(str(path), "breadth-first"))
    pages = list(breadth_first(study))
    labels = study.archive.labels.urls
    finals = np.array([page.final for page in pages])
    truth = {name: np.isin(finals, urls) for name, urls in labels.items()}
    aims = list(typed(web, {name: int(has.sum()) for name, has in truth.items()}))
    trials = {(name, aim): Trial(JUDGES[name](aim.topic)) for aim in aims for name in judges}
    for page in pages:  # the words of a page are cut out once for all judges
        for trial in trials.values():
            trial.see(page)
    found = []
    for (name, aim), trial in trials.items():
        has = truth[aim.label]
        scores, passed = np.array(trial.scores), np.array(trial.passed)
        last, kept = last_word(trial.judge, pages, scores, passed)
        found.append(
            Outcome(
                *(name, *aim, aim.by_people, float(has.mean()), float(passed.mean())),
                *(f1(has, passed), f1(has, kept), auc(has, scores), auc(has, last)),
                *bins_of(has, scores),
            )
        )
    return found


def last_word(
    judge: Judge, pages: Sequence[Page], scores: Numbers, passed: Flags
) -> tuple[Numbers, Flags]:
    """Return what a judge that learns says of all pages at the end."""
    if not isinstance(judge, Words | Tfidf):
        return scores, passed
    judge.growing = False
    last = np.array([judge.relevance(page) for page in pages])
    return last, last >= judge.threshold


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    reader = argparse.ArgumentParser("python -m benchmarks.judging", description=__doc__)
    there = Path(gettempdir()) / "foragers-judging"
    reader.add_argument("--out", type=Path, default=there, help=f"({there})")
    reader.add_argument("--judges", default=",".join(JUDGES), metavar="A,B")
    reader.add_argument("--only", default="", metavar="NAME,NAME", help="of the webs, these")
    reader.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return reader.parse_args(arguments)


def main(arguments: Sequence[str]) -> bool:
    """Judge, print and write the tables; say whether the default is as good as it should be."""
    chosen = options(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    there = Path(os.environ.get("FORAGERS_WORLDS", chosen.out / "worlds"))
    there.mkdir(parents=True, exist_ok=True)
    only = set(filter(None, chosen.only.split(","))) or set(WEBS)
    webs = {web: path for web, path in recorded(there, WEBS).items() if web in only}
    if not webs:
        print("   the recorded webs are not here: nothing to measure")
        return True
    judges = chosen.judges.split(",")
    with ProcessPoolExecutor(chosen.jobs) as pool:
        work = [pool.submit(judged, web, path, judges) for web, path in webs.items()]
        outcomes = [outcome for done in work for outcome in done.result()]
    text = "\n".join(tables(outcomes))
    print(text)
    write(chosen.out / "judging.md", text.encode())
    write(chosen.out / "judging.json", msgspec.json.encode(outcomes))
    return DEFAULT not in judges or holds([one for one in outcomes if one.judge == DEFAULT])


def holds(outcomes: Sequence[Outcome]) -> bool:
    """Say whether a judge decides well enough, and orders pages well for one word of a user's."""
    decided = float(np.mean([one.f1 for one in outcomes]))
    bare = [one.auc for one in outcomes if one.by_people and one.form == "name"]
    ordered = float(np.mean(bare)) if bare else 1.0
    print(f"   F1 {decided:.3f} (at least {LEAST_F1}), AUC {ordered:.3f} (at least {LEAST_AUC})")
    return decided >= LEAST_F1 and ordered >= LEAST_AUC


def run() -> bool:
    """Run with the usual options."""
    return main(())


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)

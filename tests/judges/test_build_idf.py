"""`--idf FILE`: how rare words are is told by a corpus of the user's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.options import Target
from foragers.crawling.options import CrawlOptions
from foragers.judges.build import build_judge
from foragers.judges.keywords import Tfidf
from foragers.worlds.store import save
from support.worlds_by_hand import small_world

TEXTS = ["tea and milk", "tea and sugar", "tea with lemon", "coffee"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "corpus.txt"
    file.write_text("\n".join(TEXTS))
    return file


def test_a_crawl_weighs_words_by_the_corpus(corpus: Path) -> None:
    order = CrawlOptions(
        seeds=("http://a.test/",), aim=Target("tea lemon", "tfidf", idf=str(corpus))
    )
    judge = build_judge(order.aim)
    assert isinstance(judge, Tfidf)
    assert not judge.growing
    assert (judge.frequencies.documents, judge.frequencies.counts["tea"]) == (4, 3)
    # lemon is rarer there than tea, so that a text with lemon alone is nearer.
    assert judge.likeness("lemon") > judge.likeness("tea")


def test_a_comparison_weighs_words_by_the_corpus(corpus: Path, tmp_path: Path) -> None:
    texts = {"a": "tea", "b": "lemon"}
    save(small_world({"a": ["b"], "b": []}, texts=texts, seeds=["a"]), tmp_path / "w")
    found = []
    for extra in ([], ["--idf", str(corpus)]):
        out = tmp_path / "result.json"
        asked = ["compare", str(tmp_path / "w"), "--topic", "tea lemon", "--similarity", "tfidf"]
        asked += ["--threshold", "0.75", "--strategies", "breadth-first", "--jobs", "1"]
        assert main([*asked, *extra, "--json", str(out)]) == 0
        runs = json.loads(out.read_text())["strategies"]["breadth-first"]["runs"]
        found.append(runs[0]["relevant"])
    # In the world both words are as rare; in the corpus lemon is: 1.92 / √(1.22² + 1.92²) > 0.75.
    assert found == [0, 1]


def test_idf_without_tfidf_is_refused(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["crawl", "http://a.test/", "--topic", "tea", "--idf", str(corpus), "--out", "x"]) == 2
    )
    assert "--similarity tfidf" in capsys.readouterr().err

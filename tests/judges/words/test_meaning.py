"""The judge that also knows words of like meaning."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from pathlib import Path

import pytest

from foragers.core.options import Target
from foragers.core.types import Document
from foragers.errors import UsageError
from foragers.judges.build import build_judge, standing_of, topic_of
from foragers.judges.words import Words
from foragers.judges.words.meaning import Meaning


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    file = tmp_path / "vectors.txt"
    file.write_text("professor 1 0\nlecturer 0.8 0.6\nguitar 0 1\nbook 0 -1\n")
    return str(file)


def test_a_page_that_means_the_same_has_half_of_the_cosine_as_evidence(vectors: str) -> None:
    judge = Meaning("professor", vectors=vectors)
    assert judge.evidence(Document(text="a lecturer")) == pytest.approx(0.5 * 0.8, abs=1e-3)
    assert judge.evidence(Document(text="a guitar")) == pytest.approx(0, abs=1e-3)
    # A word that stands e² times counts three times: (2.4 + 0, 1.8 - 1), rounded to 16ths.
    often = judge.evidence(Document(text="lecturer " * 7 + "book"))
    assert often == pytest.approx(0.5 * 2.4 / (2.4**2 + 0.8**2) ** 0.5, abs=0.02)


def test_words_of_the_topic_count_as_before(vectors: str) -> None:
    page = Document(text="professor and lecturer")
    more = Meaning("professor", vectors=vectors).evidence(page)
    assert Words("professor").evidence(page) < more <= Words("professor").evidence(page) + 0.5


def test_links_that_mean_the_same_are_like_the_topic(vectors: str) -> None:
    judge = Meaning("professor", vectors=vectors)
    assert judge.likeness("our lecturer") == pytest.approx(0.4, abs=1e-3)
    assert judge.likeness("the professor") == 1.0
    assert judge.likeness("guitar") == pytest.approx(0, abs=1e-3)
    assert judge.likeness("moon") == 0


def test_it_can_be_asked_for_with_vectors_of_the_users_and_pickled(vectors: str) -> None:
    judge = build_judge(Target(topic="professor", similarity="meaning", vectors=vectors))
    assert judge == Meaning("professor", vectors=vectors)
    assert standing_of(judge) is not None
    again = pickle.loads(pickle.dumps(judge))
    assert topic_of(again).likeness("lecturer") == topic_of(judge).likeness("lecturer")


def test_wrong_use_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="add --similarity meaning"):
        build_judge(Target(topic="tea", vectors="x"))
    with pytest.raises(UsageError, match="add --topic"):
        build_judge(Target(similarity="meaning"))
    with pytest.raises(UsageError, match="check the path"):
        build_judge(Target(topic="tea", similarity="meaning", vectors=str(tmp_path / "none")))


@pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama is not installed")
def test_the_installed_vectors_know_that_professors_are_faculty() -> None:
    judge = Meaning("faculty")
    assert judge.likeness("professors") > 2 * judge.likeness("guitars")
    near = judge.evidence(Document(text="a professor and her lectures at the university"))
    far = judge.evidence(Document(text="a guitar and a drum in the garage"))
    assert near > far + 0.05

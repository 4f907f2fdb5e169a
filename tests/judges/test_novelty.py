import pickle
from math import nan

from foragers.core.types import Status
from foragers.judges.build import topic_of
from foragers.judges.keywords import Keywords
from foragers.judges.novelty import InLanguage, Novelty
from support.judged_pages import page

DAY = 24 * 3600


def test_a_page_a_day_old_is_new_and_a_second_later_it_is_not() -> None:
    assert Novelty().relevance(page(time=DAY, born=0)) == 1.0
    assert Novelty().relevance(page(time=DAY + 1, born=0)) == 0.0


def test_a_version_is_new_once() -> None:
    judge = Novelty()
    assert [judge.relevance(page(version=1)) for _ in range(2)] == [1.0, 0.0]


def test_a_changed_page_is_a_new_page() -> None:
    judge = Novelty()
    assert judge.relevance(page(url=5, version=1)) == 1.0
    assert judge.relevance(page(url=5, version=2)) == 1.0


def test_with_a_topic_only_new_pages_on_topic_count() -> None:
    judge = Novelty(topic=Keywords("green tea"))
    assert judge.threshold == 0.75
    assert judge.relevance(page("green tea", version=1)) >= judge.threshold
    assert judge.relevance(page("coffee", version=2)) < judge.threshold
    assert judge.relevance(page("green tea", version=3, time=DAY + 1)) == 0.0


def test_failures_and_pages_of_unknown_date_are_not_new() -> None:
    judge = Novelty()
    assert judge.relevance(page(status=Status.UNCHANGED)) == 0.0
    assert judge.relevance(page(born=nan)) == 0.0
    assert judge.relevance(page(version=-1)) == 0.0
    assert judge.relevance(page()) == 1.0, "what did not count is not remembered as seen"


def test_what_was_seen_survives_pickling() -> None:
    judge = Novelty()
    judge.relevance(page(version=1))
    again = pickle.loads(pickle.dumps(judge))
    assert again.relevance(page(version=1)) == 0.0
    assert again.relevance(page(version=2)) == 1.0


def test_pages_in_other_languages_are_irrelevant() -> None:
    judge = InLanguage(frozenset({"de"}), Keywords("tee"))
    german = (
        "Der grüne Tee kommt aus den Bergen, und man trinkt den Tee dort am Morgen mit Freunden."
    )
    english = "The word tee stands for a small peg on which a golf ball is placed before the game."
    assert judge.relevance(page(german)) > 0.0
    assert judge.relevance(page(english)) == 0.0
    assert judge.relevance(page("tee")) > 0.0, "a few words show no language"
    assert topic_of(judge).likeness("tee") == Keywords("tee").likeness("tee") > 0

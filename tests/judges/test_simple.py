import pickle

from foragers.core.types import Status
from foragers.judges.simple import Documents, Everything, LabelJudge
from foragers.judges.topic import NoTopic
from support.judged_pages import page


def test_a_page_with_the_label_is_relevant() -> None:
    judge = LabelJudge(frozenset({3, 5}))
    assert judge.relevance(page(url=3)) == 1.0
    assert judge.relevance(page(url=4)) == 0.0


def test_it_is_the_url_after_redirects_that_counts() -> None:
    judge = LabelJudge(frozenset({3}))
    assert judge.relevance(page(url=9, final=3)) == 1.0
    assert judge.relevance(page(url=3, final=9)) == 0.0


def test_a_labelled_page_that_failed_is_not_relevant() -> None:
    judge = LabelJudge(frozenset({3}))
    assert judge.relevance(page(url=3, status=Status.MISSING)) == 0.0
    assert judge.relevance(page(url=3, status=Status.UNCHANGED)) == 0.0


def test_without_a_topic_every_good_page_counts() -> None:
    assert Everything().relevance(page()) == 1.0
    assert Everything().relevance(page(status=Status.REFUSED)) == 0.0


def test_no_text_is_like_no_topic() -> None:
    assert NoTopic().likeness("anything") == 0.0


def test_they_survive_pickling() -> None:
    for judge in (LabelJudge(frozenset({3})), Everything(), NoTopic()):
        assert pickle.loads(pickle.dumps(judge)) == judge


def test_a_link_text_that_names_a_wanted_type_is_like_it() -> None:
    judge = Documents(frozenset({"pdf"}))
    assert [judge.likeness(text) for text in ("Annual report (PDF, 2 MB)", "About us")] == [
        1.0,
        0.0,
    ]
    assert judge.relevance(page("a page about pdf")) == 0.0

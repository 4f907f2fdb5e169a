"""The judge of words in any form, against numbers worked out by hand."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.options import Target
from foragers.core.types import Document
from foragers.errors import UsageError
from foragers.judges.build import build_judge
from foragers.judges.words import Occurrences, Words, parse_query

FILLER = " ".join(["nothing"] * 399)
SOME_WORDS = st.lists(
    st.sampled_from(["solar", "panels", "inverter", "the", "moon", "cheese"]),
    min_size=1,
    max_size=30,
).map(" ".join)


def test_evidence_is_that_of_the_formula() -> None:
    # One word in a page of 400: saturation 1 / (1 + 3), weight 1, divided by the one weight.
    # (pages with it + 2) / (pages + 100) = 1/50 is rarer than 1/20, so the weight is 1.
    assert Words("solar").evidence(Document(text=f"solar {FILLER}")) == pytest.approx(1 / 4)
    # In the title as well: x = 5.
    titled = Document(title="Solar", text=f"solar {FILLER}")
    assert Words("solar").evidence(titled) == pytest.approx(5 / 8)


def test_pairs_of_neighbouring_words_count_half() -> None:
    # Two words, x = 1 each, and one pair, in a page of 400 words: (1/4 + 1/4 + 1/8) / 2.
    text = f"solar panel {FILLER}".rsplit(" ", 1)[0]
    assert Words("solar panel").evidence(Document(text=text)) == pytest.approx(5 / 16)
    # A comma separates them.
    assert Words("solar, panel").evidence(Document(text=text)) == pytest.approx(1 / 4)


def test_relevance_rises_from_nothing_to_one_and_reaches_the_threshold_at_the_cut() -> None:
    judge = Words("solar", growing=False)
    assert judge.cut == pytest.approx(0.4 * 0.7)
    assert judge.judge(Document(text="moon"), is_new=False) == 0.0
    assert judge.threshold <= 1 / (1 + 3.1)  # what has the evidence of the cut is relevant
    good = Document(title="Solar solar", text="solar " * 40)
    assert judge.judge(good, is_new=False) > 0.7


@pytest.mark.parametrize("form", ["panel", "panels", "Panels", "PANEL'S"])
def test_words_are_known_in_any_form(form: str) -> None:
    assert Words("solar panels").evidence(Document(text=f"a {form} for you")) > 0


def test_alternatives_count_as_one_word() -> None:
    one = Words("car|automobile", growing=False)
    text = "a car is an automobile"
    assert one.evidence(Document(text=text)) == one.evidence(Document(text="a car is a car"))
    assert len(one.query.terms) == 1


def test_quotes_demand_that_words_stand_side_by_side() -> None:
    judge = Words('"type theory"')
    assert judge.evidence(Document(text="we study type theories here")) > 0
    assert judge.evidence(Document(text="a theory of the type")) == 0


def test_an_excluded_word_excludes_the_page() -> None:
    judge = Words("solar -jobs")
    assert judge.evidence(Document(text="solar power")) > 0
    assert judge.evidence(Document(text="solar power, and a job for you")) == 0
    assert judge.evidence(Document(title="Jobs", text="solar power")) == 0


def test_a_long_page_is_not_more_relevant_for_being_long() -> None:
    judge = Words("solar panel", growing=False)
    short = Document(text="solar panel " * 10)
    index = Document(text="solar panel " * 10 + FILLER * 50)
    assert judge.evidence(index) < judge.evidence(short) / 4


def test_the_cut_follows_the_best_pages() -> None:
    judge = Words("solar")
    first = judge.cut
    for number in range(20):
        judge.judge(Document(title="Solar", text="solar " * (40 + number)))
    assert judge.cut > first


@given(SOME_WORDS, st.sampled_from(["inverter", "moon", "grid"]))
def test_an_added_word_never_lowers_what_the_others_add_up_to(text: str, added: str) -> None:
    document = Document(text=text)
    few, more = Words("solar, panel", growing=False), Words(f"solar, panel, {added}", growing=False)
    # Both divide by the sum of the two largest weights, which are all 1 here.
    assert more.evidence(document) >= few.evidence(document)


@given(SOME_WORDS)
def test_words_are_found_where_they_stand(text: str) -> None:
    found = Occurrences.of(Document(text=text), parse_query("solar panel"))
    plain = [word.removesuffix("s") for word in text.split()]
    expected = [(n, word) for n, word in enumerate(plain) if word in ("solar", "panel")]
    assert list(found.hits) == expected
    assert found.length == len(plain)


def test_a_pickled_judge_goes_on_like_the_original() -> None:
    judge = Words("solar panel")
    for number in range(10):
        judge.judge(Document(text="solar " * number))
    again = pickle.loads(pickle.dumps(judge))
    document = Document(text="solar panels and a roof")
    assert again.judge(document) == judge.judge(document)


def test_the_option_chooses_it_and_refuses_a_topic_without_words() -> None:
    assert isinstance(build_judge(Target(topic="solar", similarity="words")), Words)
    with pytest.raises(UsageError, match="no words"):
        build_judge(Target(topic="-solar", similarity="words"))


def test_a_word_that_stands_on_every_page_weighs_least() -> None:
    judge = Words("page, rare")
    for _ in range(100):
        judge.judge(Document(text=f"page {FILLER}"))
    # p = 102 / 200, and ln(200 / 102) / ln 20 is below the least weight of 1/4; the other has 1.
    expected = 0.25 * (1 / 4) / (1 + 0.25)
    assert judge.evidence(Document(text=f"page {FILLER}")) == pytest.approx(expected)

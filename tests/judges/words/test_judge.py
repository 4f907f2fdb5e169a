"""The judge of words in any form, against numbers worked out by hand."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.options import Target
from foragers.core.types import Document
from foragers.errors import UsageError
from foragers.judges.build import build_judge, standing_of
from foragers.judges.novelty import Novelty
from foragers.judges.words.judge import Words, WordSettings
from support.judged_pages import page

FILLER = " ".join(["nothing"] * 399)
SOME_WORDS = st.lists(
    st.sampled_from(["solar", "panels", "inverter", "the", "moon", "cheese"]),
    min_size=1,
    max_size=30,
).map(" ".join)
ADDED = st.sampled_from(["inverter", "moon", "grid", '"solar panel"', "cheese|moon"])


def test_evidence_is_that_of_the_formula() -> None:
    # One word in a page of 400: saturation 1 / (1 + 3), weight 1, divided by the one weight.
    # (pages with it + 2) / (pages + 100) = 1/50 is rarer than 1/20, so the weight is 1.
    plain = Document(text=f"solar {FILLER}")
    assert Words("solar").evidence(plain) == pytest.approx(1 / 4)
    # In the URL as well: x = 3; in the title: x = 5; in a heading: x = 2.
    assert Words("solar").evidence(plain, "http://a.test/solar.html") == pytest.approx(3 / 6)
    titled = Document(title="Solar", text=plain.text)
    assert Words("solar").evidence(titled) == pytest.approx(5 / 8)
    headed = Document(headings=("All about", "Solar"), text=plain.text)
    assert Words("solar").evidence(headed) == pytest.approx(2 / 5)


def test_a_short_page_needs_fewer_words() -> None:
    # Of 4 words: saturation 1 / (1 + 3 (0.4 + 0.6 · 4 / 400)).
    expected = 1 / (1 + 3 * (0.4 + 0.6 * 4 / 400))
    assert Words("solar").evidence(Document(text="a solar roof there")) == pytest.approx(expected)


def test_pairs_of_neighbouring_words_count_half() -> None:
    # Two words, x = 1 each, and one pair, in a page of 400 words: 1/4 + 1/4 + 1/8.
    text = f"solar panel {FILLER}".rsplit(" ", 1)[0]
    assert Words("solar panel").evidence(Document(text=text)) == pytest.approx(5 / 8)
    # A comma separates them.
    assert Words("solar, panel").evidence(Document(text=text)) == pytest.approx(1 / 2)


@pytest.mark.parametrize("form", ["panel", "panels", "Panels", "PANEL'S"])
def test_words_are_known_in_any_form(form: str) -> None:
    assert Words("solar panels").evidence(Document(text=f"a {form} for you")) > 0


def test_words_are_known_in_the_form_of_the_pages_language() -> None:
    judge = Words("Haus")
    assert judge.evidence(Document(text="zwei alte Häuser", language="de-AT")) > 0
    assert judge.evidence(Document(text="zwei alte Häuser", language="")) == 0
    assert Words("solar panels").evidence(Document(text="a solar panel", language="xx")) > 0


def test_alternatives_count_as_one_word() -> None:
    one = Words("car|automobile", growing=False)
    text = "a car is an automobile"
    assert one.evidence(Document(text=text)) == one.evidence(Document(text="a car is a car"))
    assert one.evidence(Document(title="car automobile")) == one.evidence(Document(title="car"))


def test_quotes_demand_that_words_stand_side_by_side() -> None:
    judge = Words('"type theory"')
    assert judge.evidence(Document(text="we study type theories here")) > 0
    assert judge.evidence(Document(text="a theory of the type")) == 0


def test_an_excluded_word_excludes_the_page() -> None:
    judge = Words("solar -jobs")
    assert judge.evidence(Document(text="solar power")) > 0
    assert judge.evidence(Document(text="solar power, and a job for you")) == 0
    assert judge.judge(Document(title="Jobs", text="solar power")) == 0


def test_a_book_index_of_140_000_characters_is_not_relevant() -> None:
    entries = [f"entry{number} {number}, {number + 3}" for number in range(9000)]
    for place in range(0, 6500, 1300):  # five times each
        entries[place] = "solar panel, 12; inverter, 14"
    index = Document(title="Index", text=". ".join(entries)[:140_000])
    judge = Words("solar panel inverter")
    assert judge.judge(index) < judge.threshold / 4
    assert judge.judge(Document(text="Solar panels and inverters for your roof")) > judge.threshold


def test_the_readme_topic_accepts_another_form_of_its_words() -> None:
    judge = Words("solar panel inverter")
    good = Document(title="Solar panels and inverters", text="Solar panels and inverters. " * 20)
    assert judge.judge(good) > 0.5


@given(st.lists(SOME_WORDS, min_size=1, max_size=20), ADDED)
def test_an_added_word_never_lowers_the_evidence_of_any_page(texts: list[str], added: str) -> None:
    few, more = Words("solar, panel"), Words(f"solar, panel, {added}")
    for text in texts:
        document = Document(text=text)
        assert more.evidence(document) >= few.evidence(document) * (1 - 1e-12)
        few.judge(document)
        more.judge(document)


@given(SOME_WORDS, ADDED)
def test_an_added_word_never_makes_a_page_less_relevant(text: str, added: str) -> None:
    document = Document(text=text)
    for topic in ("solar", "solar panel", "moon, solar panel"):
        few, more = Words(topic, growing=False), Words(f"{topic}, {added}", growing=False)
        before, after = few.judge(document, is_new=False), more.judge(document, is_new=False)
        assert after >= before * (1 - 1e-12)


@given(SOME_WORDS, st.sampled_from(["", "de", "fr"]))
def test_occurrences_are_counted_where_they_stand(text: str, language: str) -> None:
    count = sum(word.removesuffix("s") == "panel" for word in text.split())
    length = len(text.split())
    expected = count / (count + 3 * (0.4 + 0.6 * length / 400))
    judge = Words("panel")
    assert judge.evidence(Document(text=text, language=language)) == pytest.approx(expected)


def test_a_pickled_judge_goes_on_like_the_original() -> None:
    judge = Words("solar panel")
    for number in range(120):
        judge.judge(Document(text="solar roof " * (number % 7) + FILLER))
    again = pickle.loads(pickle.dumps(judge))
    document = Document(text="solar panels and a roof")
    assert again.judge(document) == judge.judge(document)
    assert again.standing() == judge.standing()


def test_it_is_the_default_and_refuses_a_topic_without_words() -> None:
    assert isinstance(build_judge(Target(topic="solar")), Words)
    assert build_judge(Target(topic="solar", threshold=0.6)).threshold == 0.6
    with pytest.raises(UsageError, match="no words"):
        build_judge(Target(topic="-solar"))


def test_a_word_that_stands_on_every_page_weighs_least_and_is_named() -> None:
    judge = Words("page, rare", settings=WordSettings(learned=0.0))
    for _ in range(100):
        judge.judge(Document(text=f"page {FILLER}"))
    # p = 102 / 200, and ln(200 / 102) / ln 20 is below the least weight of 1/4; the other has 1.
    assert judge.evidence(Document(text=f"page {FILLER}")) == pytest.approx(1 / 4)
    assert judge.evidence(Document(text=f"rare {FILLER}")) == pytest.approx(1)
    assert judge.standing().common == ("page",)


def test_a_judge_says_what_it_lets_pass() -> None:
    judge = Words("solar")
    for number in range(200):
        judge.judge(Document(text="solar " * 30 if number % 20 == 0 else "moon"))
    assert judge.standing().said == "10 of the 200 pages so far"
    assert standing_of(Novelty(topic=judge)) == judge.standing()
    assert standing_of(Novelty()) is None


def test_strategies_may_ask_for_the_words_alone() -> None:
    judge = Words('solar panel, "home page", car|bus, -jobs')
    assert judge.words == "solar panel home page car bus"
    assert judge.weights == dict.fromkeys(judge.words.split(), 1)


def test_likeness_counts_the_terms_of_a_link() -> None:
    judge = Words('solar panel, "home page", -jobs')
    assert judge.likeness("Solar") == 0.5
    assert judge.likeness("Solar panels") == 1.0
    assert judge.likeness("Our home page") == 0.5
    assert judge.likeness("a page about your home") == 0.0
    assert judge.likeness("Solar jobs") == 0.0
    assert judge.likeness("moon") == 0.0


def test_a_page_that_somebody_named_is_judged_as_they_said() -> None:
    judge = Words("solar")
    wanted, refused = (page("moon", url=number) for number in (1, 2))
    judge.teach(wanted.document, wanted.href, wanted=True)
    judge.teach(refused.document, refused.href, wanted=False)
    assert judge.relevance(wanted) == judge.threshold
    assert judge.relevance(refused) == 0
    assert judge.lessons == 2


def test_examples_teach_the_judge_of_words(tmp_path: Path) -> None:
    file = tmp_path / "examples.jsonl"
    file.write_text('{"text": "professor office"}\n{"text": "professor lecture"}\n')
    judge = build_judge(Target(topic="faculty", examples=str(file)))
    assert isinstance(judge, Words)
    for _ in range(20):
        judge.judge(Document(text="guitar concert"))
    assert judge.standing().learned == ("professor",)
    assert judge.evidence(Document(text="our professor")) > 1
    with pytest.raises(UsageError, match="teach the judge of words"):
        build_judge(Target(topic="faculty", examples=str(file), similarity="keywords"))

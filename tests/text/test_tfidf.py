import pickle
from collections import Counter
from math import isclose, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from foragers.text.tfidf import DocumentFrequencies, tfidf_cosine
from foragers.text.words import words

CORPUS = ["green tea", "green house", "black tea and green tea", "the house"]
some_words = st.lists(
    st.sampled_from(["green", "tea", "house", "black", "the", "red"]), max_size=12
)


def test_idf_is_smoothed_as_if_one_more_document_held_every_word() -> None:
    frequencies = DocumentFrequencies.of(CORPUS)
    assert frequencies.documents == 4
    assert isclose(frequencies.idf("green"), log(5 / 4) + 1)
    assert isclose(frequencies.idf("black"), log(5 / 2) + 1)
    assert isclose(frequencies.idf("unheard"), log(5) + 1)


def test_a_word_counts_once_for_each_document() -> None:
    assert DocumentFrequencies.of(["tea tea tea"]).counts == {"tea": 1}


def test_the_cosine_of_one_shared_word_out_of_two() -> None:
    # Nothing known: every idf is 1, so (1, 1) against (1, 2) with one word shared.
    cosine = tfidf_cosine({"green": 1, "tea": 1}, {"tea": 1, "time": 2}, DocumentFrequencies())
    assert isclose(cosine, 1 / (sqrt(2) * sqrt(5)))


@given(some_words, some_words)
def test_the_cosine_is_that_of_scikit_learn(query: list[str], text: list[str]) -> None:
    vectorizer = TfidfVectorizer(analyzer=words).fit(CORPUS)
    frequencies = DocumentFrequencies.of(CORPUS)
    query = [word for word in query if word in frequencies.counts]
    text = [word for word in text if word in frequencies.counts]
    rows = vectorizer.transform([" ".join(query), " ".join(text)])
    expected = float((rows[0] @ rows[1].T).sum())
    assert tfidf_cosine(Counter(query), Counter(text), frequencies) == pytest.approx(expected)


def test_the_rarest_words_are_forgotten_beyond_the_limit() -> None:
    frequencies = DocumentFrequencies(limit=4)
    frequencies.add(["tea", "green"])
    frequencies.add(["tea", "black", "house"])
    assert len(frequencies.counts) == 4
    frequencies.add(["once"])
    assert frequencies.counts == {"tea": 2}
    assert frequencies.documents == 3


def test_frequencies_survive_pickling() -> None:
    frequencies = DocumentFrequencies.of(CORPUS)
    assert pickle.loads(pickle.dumps(frequencies)) == frequencies

"""The compiled functions cut texts into words exactly as those in Python do."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.text import words as module

needs_compiled = pytest.mark.skipif(
    module.LIBRARY is None, reason="the compiled module was not built"
)

ODD = [
    *map(chr, range(0x80, 0x250)),
    *map(chr, range(0x300, 0x400)),
    *map(chr, range(0x2000, 0x2040)),
    *"東京都ทดสอบ🎉👍한국어ﬁK²½ſİßẞǅΣς\ud800\U0010ffff",
]
USUAL = "abcdef S'’'st re ve ll m d 012_ .-\n"


def compiled(text: str) -> bytes | None:
    """Return what the compiled function makes of a text."""
    assert module.LIBRARY is not None
    spaced: bytes | None = module.LIBRARY.spaced(text, module._kind_of, 256, 64)
    return spaced


@needs_compiled
@given(st.text(st.characters(), max_size=80))
def test_compiled_words_are_those_of_python_or_are_left_to_it(text: str) -> None:
    assert compiled(text) in (None, module.spaced_in_python(text))


@needs_compiled
@pytest.mark.parametrize("seed", range(30))
def test_compiled_words_of_texts_that_look_like_pages_are_those_of_python(seed: int) -> None:
    chance = random.Random(seed)
    some = chance.sample(ODD, chance.choice([1, 5, 40, 300]))
    share = chance.choice([0.0, 0.02, 0.2])
    for _ in range(20):
        text = "".join(
            chance.choice(some) if chance.random() < share else chance.choice(USUAL)
            for _ in range(chance.choice([1, 10, 400]))
        )
        assert module._spaced(text) == module.spaced_in_python(text)


@needs_compiled
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Budapest's BATH don't", b" budapest  bath don  "),
        ("Ärzte’s Haus – groß", None),
        ("Ärzte’s Haus – weit", " ärzte  haus   weit ".encode()),
        ("東京都", None),
        ("", b"  "),
    ],
)
def test_letters_that_fold_alone_are_not_left_to_python(text: str, expected: bytes | None) -> None:
    assert compiled(text) == expected


@needs_compiled
def test_texts_with_very_many_characters_or_signs_are_left_to_python() -> None:
    assert compiled("".join(map(chr, range(0x400, 0x480)))) is not None
    assert compiled("".join(map(chr, range(0x2190, 0x2200)))) is None


@needs_compiled
@given(st.lists(st.sampled_from([b"", b"a", b"b", b"tea", "grün".encode()]), max_size=40))
def test_distinct_words_are_each_counted_and_returned_once(found: list[bytes]) -> None:
    line = b" ".join(found)
    number, once = module.distinct_words(line)
    assert number == len([word for word in found if word])
    assert len(once) == len(set(once))
    assert set(once) == set(line.split())


@needs_compiled
def test_thousands_of_distinct_words_are_found() -> None:
    line = b" ".join(b"w%d" % (number % 5000) for number in range(20_000))
    number, once = module.distinct_words(line)
    assert (number, len(once), set(once)) == (20_000, 5000, set(line.split()))


def test_distinct_words_without_the_compiled_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIBRARY", None)
    number, once = module.distinct_words(b"  tea green  tea ")
    assert (number, sorted(once)) == (3, [b"green", b"tea"])

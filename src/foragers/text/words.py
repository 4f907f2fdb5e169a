"""Words: how text of any language, and URLs, are split into them; and English stop words.

A word is a run of letters, marks and digits, case folded and in the form NFKC, so that
`Ｔｅａ`, `TEA` and `tea` are one word.  The English endings 's, 't, 're, 've, 'll, 'd and 'm
are cut off, and every other apostrophe separates (`l'avion` is `l`, `avion`).  Scripts
without spaces, and Korean, whose particles are attached to words, give overlapping pairs of
characters: `東京都` is `東京`, `京都`.

This runs on every page.  ASCII is split by a byte table; only pieces with other characters take the
slow path, and results for short ones are cached.  `_words` does the same for the text of a page, in
one pass, if it is compiled.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain
from operator import add
from urllib.parse import unquote

from foragers.compiled import compiled

LIBRARY = compiled("foragers.text._words")
"""The same functions compiled, if they are."""
_WORDS = """
a about above after again against all also am an and any are as at be because been before
being below between both but by can could did do does doing don down during each either few
for from further had has have having he her here hers herself him himself his how i if in into
is isn it its itself just may me might more most must my myself no nor not now of off on once
one only or other our ours ourselves out over own per same shall she should so some such than
that the their theirs them themselves then there these they this those through to too under
until up upon us very via was we were what when where whether which while who whom why will
with within without would yet you your yours yourself yourselves
"""

ENGLISH_STOPWORDS = frozenset(_WORDS.split())


_ASCII = bytes(
    byte if byte >= 128 or chr(byte).isalnum() else ord(" ") for byte in bytes(range(256)).lower()
)
_ASCII_LINES = bytes(byte if byte == ord("\n") else _ASCII[byte] for byte in range(256))
_ASCII_BYTES = bytes(range(128))
_APOSTROPHE = re.compile(r"'(?:(?<=\w')(?:s|t|d|m|re|ve|ll)\b)?", re.IGNORECASE)

# Thai, Lao, Burmese, Khmer; kana, Han and its signs; Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7ff"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_RUNS = re.compile(f"([{_UNSPACED}]+)|[^{_UNSPACED}]+")

# Soft hyphens, joiners and variation selectors stand inside words and are no part of them.
_INVISIBLE = re.compile("[\u00ad\u034f\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+")

_FIRST_UNSPACED = "\u0e00"
_LONGEST_REMEMBERED = 24
_LONGEST_TEXT = 1 << 16
_FEW_SIGNS, _FEW_CHARACTERS = 64, 256


class _Letters(dict[int, int]):
    """A table for `str.translate` that fills itself: characters outside words become spaces."""

    def __missing__(self, code: int) -> int:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else ord(" ")
        return self[code]


_LETTERS = _Letters()

_URL_PART = re.compile(r"[a-z]+|[0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z]+")
_URL_LINES = re.compile(rf"{_URL_PART.pattern}|\n")
_URL_SEAM = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)"
)
_URL_START = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//(?:www\.)?", re.IGNORECASE)
_PUNYCODE = re.compile(r"(?<![\w-])xn--[a-z0-9-]+", re.IGNORECASE)


def words(text: str, without: AbstractSet[str] = frozenset()) -> list[str]:
    """Return the words of a text in order, without those in `without`."""
    pieces, plain = _apart(text)
    found = pieces.decode("utf-8", "surrogatepass").split()
    if not plain:
        found = _folded(found)
    return [word for word in found if word not in without] if without else found


def words_apart(text: str) -> bytes:
    """Return the words of a page's text as bytes, with spaces before and after each.

    The result is cached, since several callers ask for the same text in succession.
    """
    return _words_apart(text) if len(text) <= _LONGEST_TEXT else _spaced(text)


def _spaced(text: str) -> bytes:
    if LIBRARY is not None:
        quick: bytes | None = LIBRARY.spaced(text, _kind_of, _FEW_CHARACTERS, _FEW_SIGNS)
        if quick is not None:
            return quick
    return spaced_in_python(text)


def spaced_in_python(text: str) -> bytes:
    """Return a text with spaces before and after each word."""
    pieces, plain = _apart(text)
    if not plain:
        pieces = " ".join(words(text)).encode("utf-8", "surrogatepass")
    return b" %b " % pieces


_words_apart = lru_cache(maxsize=24)(_spaced)


def _apart(text: str) -> tuple[bytes, bool]:
    """Return a text with spaces between its words, and whether they need not be folded."""
    plain = text.isascii()
    if not plain:
        text = text.replace("’", "'")
    if "'" in text:
        text = _APOSTROPHE.sub(" ", text)
    if not plain:
        text, plain = _simplified(text)
    return text.encode("utf-8", "surrogatepass").translate(_ASCII), plain


def distinct_words(apart: bytes) -> tuple[int, Collection[bytes]]:
    """Return how many words there are between spaces, and each of them once, in any order."""
    if LIBRARY is not None:
        quick: tuple[int, list[bytes]] = LIBRARY.distinct(apart)
        return quick
    found = apart.split(b" ")
    return len(found) - found.count(b""), set(found) - {b""}


def url_words(href: str) -> list[str]:
    """Return the words of a URL: of its host, path and query, camelCase and digits split."""
    start = _URL_START.match(href)
    rest = href[start.end() :] if start else href
    if "xn--" in rest:
        rest = _PUNYCODE.sub(_without_punycode, rest)
    if "%" in rest:
        rest = unquote(rest, errors="replace")
    if rest.isascii():
        return " ".join(_URL_PART.findall(rest)).lower().split()
    return words(_URL_SEAM.sub(" ", rest))


def url_words_of_each(ends: Sequence[str]) -> list[list[str]]:
    """Return the words of many ends of URLs, which begin after the host; one pass for most."""
    return _of_each(ends, _are_plain_ends, _cut_ends, url_words)


def words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of many short texts; one pass for those in ASCII."""
    return _of_each(texts, str.isascii, _cut_lines, words)


def _of_each(
    texts: Sequence[str],
    are_plain: Callable[[str], bool],
    cut: Callable[[str], str],
    words_of: Callable[[str], list[str]],
) -> list[list[str]]:
    """Return the words of many texts: `cut` for plain ones, each on a line; others one by one."""
    lines = "\n".join(texts)
    if are_plain(lines) and lines.count("\n") == len(texts) - 1:
        return list(map(str.split, cut(lines).split("\n")))
    plain = [text if are_plain(text) and "\n" not in text else "" for text in texts]
    found = map(str.split, cut("\n".join(plain)).split("\n"))
    return [
        by_line if kept == text else words_of(text)
        for text, kept, by_line in zip(texts, plain, found, strict=False)
    ]


def _are_plain_ends(lines: str) -> bool:
    """Say whether nothing but the letters of ends of URLs needs to be looked at."""
    return lines.isascii() and not ("%" in lines or "//" in lines or "xn--" in lines)


def _cut_ends(lines: str) -> str:
    return " ".join(_URL_LINES.findall(lines)).lower()


def _cut_lines(lines: str) -> str:
    if "'" in lines:
        lines = _APOSTROPHE.sub(" ", lines)
    return lines.encode().translate(_ASCII_LINES).decode()


def is_unspaced(text: str) -> bool:
    """Say whether a text has characters of a script that is split into pairs."""
    return _HAS_UNSPACED.search(text) is not None


def _simplified(text: str) -> tuple[str, bool]:
    """Replace dashes, bullets and the like by spaces, and say whether nothing is left to fold.

    Beyond ASCII, most pages have only such signs, and letters that fold one by one.
    """
    beyond = text.encode("utf-8", "surrogatepass").translate(None, _ASCII_BYTES)
    found = set(beyond.decode("utf-8", "surrogatepass"))
    if len(found) > _FEW_CHARACTERS:
        return text, False
    signs = set(filter(_is_sign, found))
    # The whole text is searched for each.
    if len(signs) > _FEW_SIGNS:
        return text, False
    for sign in signs:
        text = text.replace(sign, " ")
    letters = found - signs
    if not all(map(_is_simple, letters)):
        return text, False
    as_it_is = all(letter == letter.casefold() for letter in letters)
    return text if as_it_is else text.casefold(), True


@lru_cache(maxsize=4096)
def _is_simple(character: str) -> bool:
    """Say whether a character is a letter of a spaced script, and folded one of its own."""
    folded = character.casefold()
    return character < _FIRST_UNSPACED and all(
        len(one) == 1
        and one.isalpha()
        and unicodedata.normalize("NFKC", one) == one
        and folded == folded.casefold()
        for one in (character, folded)
    )


@lru_cache(maxsize=4096)
def _is_sign(character: str) -> bool:
    """Say whether a character separates words in any context."""
    if _INVISIBLE.match(character):
        return False
    normal = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())
    return all(unicodedata.category(one)[0] not in "LMN" for one in normal)


def _kind_of(character: str) -> int:
    """Return what a character beyond ASCII is for the compiled functions.

    1 separates words, from 3 on it is a letter with the number of the folded one, 2 is any other.
    """
    if _is_sign(character):
        return 2 if character.isalnum() else 1
    return 3 + ord(character.casefold()) if _is_simple(character) else 2


def _folded(pieces: list[str]) -> list[str]:
    """Return the words of pieces, some of which are not ASCII."""
    plain = list(map(str.isascii, pieces))
    found: list[str] = []
    done = 0
    for _ in range(plain.count(False)):
        odd = plain.index(False, done)
        found += pieces[done:odd]
        piece = pieces[odd]
        found += _fold_short(piece) if len(piece) <= _LONGEST_REMEMBERED else _fold(piece)
        done = odd + 1
    return found + pieces[done:]


def _fold(piece: str) -> tuple[str, ...]:
    """Return the words of a piece that is not ASCII alone."""
    if piece.isalpha() and max(piece) < _FIRST_UNSPACED:
        # Most words have letters only: nothing invisible, no separators.
        folded = unicodedata.normalize("NFKC", piece.casefold())
        if folded.isalpha() and unicodedata.normalize("NFKC", folded.casefold()) == folded:
            return (folded,)
    normal = unicodedata.normalize("NFKC", _INVISIBLE.sub("", piece))
    # Folding may undo the normal form, and the normal form of what was folded may fold again.
    while (folded := unicodedata.normalize("NFKC", normal.casefold())) != normal:
        normal = folded
    found = normal.translate(_LETTERS).split()
    if _HAS_UNSPACED.search(normal):
        return tuple(chain.from_iterable(map(_pairs, found)))
    return tuple(found)


_fold_short = lru_cache(maxsize=4096)(_fold)


def _pairs(word: str) -> list[str]:
    """Return a word's runs of spaced script whole, and its others as overlapping pairs."""
    found: list[str] = []
    for run in _RUNS.finditer(word):
        whole = run[0]
        if run[1] is None or len(whole) < 3:
            found.append(whole)
        else:
            found.extend(map(add, whole, whole[1:]))
    return found


def _without_punycode(label: re.Match[str]) -> str:
    try:
        return label[0].encode("ascii").decode("idna")
    except UnicodeError:
        return label[0]

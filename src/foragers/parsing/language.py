"""The language of a text: as the page declares it, or as its words show it."""

from __future__ import annotations

import re
from functools import cache
from math import exp
from typing import NamedTuple

import py3langid

from foragers.errors import UsageError

MAX_CHARS = 1000
"""Characters that are read: 0.1 ms, and as right as with more."""
LEAST_CHARS = 20
"""Shorter texts show no language."""
_CODE = re.compile(r"[a-z]{2,3}")
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "zh": "zh"}
"""Codes that pages use for a language that detection knows by another."""


class Language(NamedTuple):
    """A language by its ISO 639 code ("" if it is not known), and how sure it is, from 0 to 1."""

    code: str
    score: float


UNKNOWN = Language("", 0.0)


def detect(text: str) -> Language:
    """Return the language of a text by its letters and words."""
    start = " ".join(text[: 2 * MAX_CHARS].split())[:MAX_CHARS]
    if len(start) < LEAST_CHARS:
        return UNKNOWN
    # The first call loads the detector, which takes half a second.
    ranked = py3langid.rank(start)
    best = ranked[0][1]
    total = sum(exp(max(score - best, -50.0)) for _, score in ranked)
    return Language(_SAME.get(ranked[0][0], ranked[0][0]), round(1.0 / total, 4))


def code_of(declared: str) -> str:
    """Return the code in a declaration such as "en-GB", or "" if there is none."""
    match = _CODE.match(declared.strip().lower())
    code = match[0] if match else ""
    return _SAME.get(code, code)


def language_of(text: str, declared: str) -> Language:
    """Return the language of a text; what its page declares counts if the text shows none."""
    found = detect(text)
    return found if found.code else Language(code_of(declared), 0.0)


def parse_languages(codes: tuple[str, ...]) -> frozenset[str]:
    """Return the languages that an option names; a UsageError names what is none."""
    known = _known() if codes else frozenset()
    wanted = set()
    for code in codes:
        name = _SAME.get(code.strip().lower(), code.strip().lower())
        if name not in known:
            raise UsageError(
                f"--language {code}: not a language that can be detected; use two letters, for"
                " example en or de"
            )
        wanted.add(name)
    return frozenset(wanted)


@cache
def _known() -> frozenset[str]:
    """Return the codes of all languages that can be detected."""
    return frozenset(_SAME.get(code, code) for code, _ in py3langid.rank("text"))

"""The words of the house: a short glossary, and plain sentences."""

from __future__ import annotations

import re
from importlib import import_module

from support.modules import FILES, ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
MOST_WORDS = 16
ROW = re.compile(r"^\| (\w+) \| .+ \| `([\w.]+)`[^|]*\|$", re.MULTILINE)


def test_the_glossary_is_short() -> None:
    words = [word for word, _ in ROW.findall(GLOSSARY)]
    assert 10 < len(words) <= MOST_WORDS
    assert len(set(words)) == len(words)


def exists(dotted: str) -> bool:
    """Say whether a module, or something in one, has this name."""
    module, _, name = f"foragers.{dotted}".rpartition(".")
    try:
        import_module(f"foragers.{dotted}")
    except ImportError:
        try:
            return hasattr(import_module(module), name)
        except ImportError:
            return False
    return True


def test_names_in_the_glossary_exist() -> None:
    modules = [name for _, name in ROW.findall(GLOSSARY) if name.islower() or "." in name]
    lost = [name for name in modules if name[0].islower() and not exists(name)]
    assert not lost, lost


ODD = re.compile(
    r"\b(can(not)? be had|to be had|of late|some(one|body) who|\w+, whom|whom sites|at hand"
    r"|chance plays|by so many|there are no so many)\b",
    re.IGNORECASE,
)
"""Phrases that a reader has to read twice.  Names of tests are statements of their own kind."""


def test_odd_phrases_are_recognised() -> None:
    for bad in ("a page that cannot be had", "Someone who has the words", "kept at hand"):
        assert ODD.search(bad), bad
    for good in ("a page that cannot be fetched", "a handle", "so many pages", "lately"):
        assert not ODD.search(good), good


def test_prose_is_plain() -> None:
    sources = [file for file in FILES if (ROOT / "src") in file.parents]
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), ROOT / "Makefile"]
    found = [
        f"{file.relative_to(ROOT)}, line {number}: {match[0]}"
        for file in (*sources, *pages)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if (match := ODD.search(line))
    ]
    assert not found, "say it plainly:\n" + "\n".join(found)

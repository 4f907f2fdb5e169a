"""Texts from files: examples to learn from, and corpora to count words in.

Three forms are read.  A JSONL file holds one `{"text": …, "relevant": true}` a line
(or `label` instead of `relevant`; without either the text is an example of what is
wanted).  A folder holds .html, .htm and .txt files, at any depth, one text each; those
below a folder called `negative` are counterexamples.  Any other text file holds one text a
line; a single .html file is one text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from foragers.errors import UsageError
from foragers.judges.topic import full_text
from foragers.text.words import words

_HTML = (".html", ".htm", ".xhtml")
_YES = frozenset({"1", "true", "yes", "relevant", "positive"})
_NO = frozenset({"0", "false", "no", "irrelevant", "negative"})


class Example(NamedTuple):
    """A text, and whether it is of the kind wanted."""

    text: str
    relevant: bool = True


class _Line(msgspec.Struct):
    text: str
    relevant: bool | int | float | str | None = None
    label: bool | int | float | str | None = None


def read_texts(path: str | Path, option: str) -> list[Example]:
    """Return the texts of a file or folder that was given for an option, at least one."""
    place = Path(path)
    if not place.exists():
        raise UsageError(f"{option} {place}: no such file or folder; check the path")
    try:
        found = [example for example in _read(place, option) if words(example.text)]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{option} {place}: cannot be read as text ({error})") from error
    if not found:
        raise UsageError(
            f"{option} {place}: holds no text; give a JSONL file, a text file with one text a line,"
            " or a folder of .html and .txt files"
        )
    return found


def _read(place: Path, option: str) -> Iterator[Example]:
    if place.is_dir():
        for file in sorted(place.rglob("*")):
            if file.suffix.lower() in (*_HTML, ".txt") and file.is_file():
                yield Example(_whole(file), "negative" not in file.relative_to(place).parts[:-1])
    elif place.suffix.lower() in _HTML:
        yield Example(_whole(place))
    else:
        yield from _lines(place, option)


def _whole(file: Path) -> str:
    """Return the text of a file that is one page."""
    data = file.read_bytes()
    if file.suffix.lower() in _HTML:
        # Imported here: the parser is needed for this alone.
        from foragers.parsing.html.parse import parse

        return full_text(parse(data, file.resolve().as_uri()).document)
    return data.decode("utf-8", "replace")


def _lines(file: Path, option: str) -> Iterator[Example]:
    """Return the examples of a file that holds one a line."""
    lines = [line.strip() for line in file.read_text("utf-8-sig").splitlines()]
    first = next((line for line in lines if line), "")
    if file.suffix.lower() not in (".jsonl", ".ndjson") and not first.startswith('{"'):
        yield from map(Example, lines)
        return
    for number, line in enumerate(lines, 1):
        if line:
            yield _example(line, f"{option} {file}, line {number}")


def _example(line: str, place: str) -> Example:
    try:
        found = msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        remedy = 'write {"text": "…", "relevant": true} on every line'
        raise UsageError(f"{place}: {error}; {remedy}") from error
    mark = found.relevant if found.relevant is not None else found.label
    said = "true" if mark is None else f"{mark:g}" if isinstance(mark, float) else str(mark).lower()
    if said not in _YES | _NO:
        raise UsageError(f"{place}: {mark!r} is neither yes nor no; write true or false")
    return Example(found.text, said in _YES)

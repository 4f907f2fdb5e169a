"""The shape of a URL: what it has in common with other URLs of the same program.

    https://a.test/news/2024/05/green-tea.html?page=2&sort=up
    -> a.test/news/{n}/*/{word}.html?page&sort

Numbers, dates, ids and titles are replaced by their kind, directories beyond the second by a star,
so that a growing path does not give ever new shapes; values are dropped.

`name_shape` and `path_shape` are coarser: they keep the punctuation of a name or path, with one
character for each run of letters or digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import NamedTuple

from foragers.urls.parse import site_of

_HTTP = re.compile(r"https?://(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?")
_EXTENSION = re.compile(r"\.[a-z][a-z0-9]{0,4}$", re.IGNORECASE)
_SCRIPT = re.compile(r"\.(?:php\d?|aspx?|jsp|cgi|pl|do|cfm|py|dll|exe)$", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{1,16}")
_NUMBER = re.compile(r"\d+")
# v2, page-12, 2024-05-12; but not 4d7f92, which would be a shape of its own.
_NUMBERED = re.compile(r"[a-z]{0,12}[-_.]?\d+(?:[-_.]\d+)*")
ID = re.compile(r"(?=[a-f-]*\d)[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_LITERAL_FOLDERS = 2
_KINDS = str.maketrans(ascii_letters + digits, "a" * len(ascii_letters) + "0" * len(digits))
_LETTERS, _DIGITS = re.compile("[a-zA-Z]+"), re.compile("[0-9]+")
_MANY = re.compile("a([-_.+]a)+")


class Shape(NamedTuple):
    """A shape and the patterns it belongs to, from narrow to wide."""

    full: str
    path: str
    family: str
    host: str
    site: str


@lru_cache(maxsize=4096)
def shape_of(url: str) -> Shape:
    """Return the shape of a URL."""
    match = _HTTP.match(url)
    if match is None:
        return Shape(url[:64], url[:64], "", "", "")
    host, whole_path, query = match[1].lower(), match[2], match[3]
    *folders, leaf = whole_path.split("/")
    folders = [name for name in folders if name]
    names = [f"/{_folder(name)}" for name in folders[:_LITERAL_FOLDERS]]
    if len(folders) > _LITERAL_FOLDERS:
        names.append("/*")
    is_script = bool(query) and (not folders or _SCRIPT.search(leaf) is not None)
    path = f"{host}{''.join(names)}/{_leaf(leaf, is_script)}"
    full = f"{path}?{_names(query)}" if query else path
    return Shape(full, path, f"{host}{names[0] if names else '/'}", host, site_of(host))


def _folder(name: str) -> str:
    """Return a plain word unchanged, anything else as its kind."""
    if _WORD.fullmatch(name):
        return name
    if ID.fullmatch(name):
        return "{id}"
    if _NUMBERED.fullmatch(name):
        return _NUMBER.sub("{n}", name)
    return "{word}"


def _leaf(name: str, is_script: bool) -> str:
    """Return the kind of the last segment, with its extension; the name of a script is kept."""
    if not name:
        return ""
    if is_script and len(name) <= 32:
        return _NUMBER.sub("{n}", name).lower()
    match = _EXTENSION.search(name)
    stem, end = (name[: match.start()], match[0].lower()) if match else (name, "")
    if ID.fullmatch(stem):
        return "{id}" + end
    return ("{n}" if stem and not stem.strip("0123456789-_.") else "{word}") + end


def _names(query: str) -> str:
    """Return the names of parameters, each once and in order."""
    return "&".join(sorted({part.partition("=")[0][:32] for part in query.split("&")}))


def name_shape(name: str) -> str:
    """Return a name with one letter for each run of letters, and one digit for each number."""
    shape = name.translate(_KINDS)
    for double, single in (("aa", "a"), ("00", "0")):
        while double in shape:
            shape = shape.replace(double, single)
    return shape


def name_shapes(names: Sequence[str]) -> list[str]:
    """Return the shapes of many names."""
    found = name_shape("\n".join(names)).split("\n")
    return found if len(found) == len(names) else list(map(name_shape, names))


def path_shape(href: str) -> str:
    """Return the first directory of a URL, and the rest of its path without its letters."""
    start = href.find("/", 8)
    path = href[start + 1 :][:100] if start > 0 else ""
    head, slash, rest = path.partition("/")
    if not slash:
        head, rest = "", path
    return f"{_DIGITS.sub('0', head)}/{_MANY.sub('a+', _LETTERS.sub('a', _DIGITS.sub('0', rest)))}"

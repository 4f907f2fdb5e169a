"""A scanner for elements of XML by their names.

This is no parser: it searches for some tags, and for comments and CDATA sections so that nothing is
matched inside them.  So it takes time linear in the size of a file, finds the valid parts of an
invalid file, and has no entities, nesting or external parts that could be abused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

MAX_TEXT = 1 << 13
"""The longest text of an element, in bytes."""

# No URL needs as many, and each takes time.
_MAX_REFERENCES = 256

_CDATA = rb"<!\[CDATA\[.*?(?:\]\]>|\Z)"
_COMMENT = rb"<!--.*?(?:-->|\Z)"
_TAG = (
    rb"(?:%b|%b|<(?![<?/])(?P<prefix>[\w.-]++:)?+(?P<name>%b)(?P<attributes>[\s/][^<>]*+)?+>"
    rb"(?P<content>(?:[^<]++|%b|%b)*+))"
)
_TEXT = re.compile(rb"([^<]++)|<!\[CDATA\[(.*?)(?:\]\]>|\Z)|%b" % _COMMENT, re.DOTALL)
_ATTRIBUTE = re.compile(rb"(?<![\w.-])([\w.-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
# str.strip removes all Unicode spaces, and these as well.
_INVISIBLE = "\ufeff\u200b\0"
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Element(NamedTuple):
    """A tag, its name in lower case, and the text after it up to the next tag of any kind."""

    name: bytes
    prefix: bytes
    attributes: bytes
    content: bytes

    @property
    def text(self) -> str:
        """The text of the element, without spaces around it."""
        content = self.content
        if b"<" not in content:
            return _bare(_characters(content)) if content and not content.isspace() else ""
        parts = [
            _characters(text) if text else decoded(verbatim)
            for text, verbatim in _TEXT.findall(content)
        ]
        return _bare("".join(parts))

    def attribute(self, name: str) -> str:
        """Return the value of an attribute, whatever its namespace, or ""."""
        for key, double, single in _ATTRIBUTE.findall(self.attributes):
            if key.lower() == name.encode():
                return _bare(_characters(double or single))
        return ""


def pattern(names: bytes) -> re.Pattern[bytes]:
    """Return the pattern for names, given as an expression, in upper or lower case."""
    whole = _TAG % (_COMMENT, _CDATA, names, _CDATA, _COMMENT)
    return re.compile(whole, re.IGNORECASE | re.DOTALL)


def elements(text: bytes, tags: re.Pattern[bytes], limit: int) -> Iterator[Element]:
    """Yield the elements of some names in order, up to a number of tags."""
    for match in islice(tags.finditer(text), limit):
        prefix, name, attributes, content = match.groups(b"")
        if not name:
            continue
        # Half a text would be another text, so a text that is too long is empty.
        if len(content) > MAX_TEXT:
            content = b""
        if len(attributes) > MAX_TEXT:
            attributes = b""
        yield Element(name.lower(), prefix, attributes, content)


def _bare(text: str) -> str:
    return text.strip().strip(_INVISIBLE).strip()


def _characters(raw: bytes) -> str:
    """Decode text and its character references; entity references stay unchanged."""
    text = decoded(raw)
    if "&" not in text:
        return text
    if text.count("&") == text.count("&amp;"):
        return text.replace("&amp;", "&")
    return _REFERENCE.sub(_character, text, count=_MAX_REFERENCES)


def _character(match: re.Match[str]) -> str:
    decimal, digits, name = match.groups()
    if name:
        return _CHARACTERS[name]
    code = int(decimal) if decimal else int(digits, 16)
    is_character = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if is_character else "\N{REPLACEMENT CHARACTER}"


def decoded(raw: bytes) -> str:
    """Decode UTF-8, or Windows-1252 if the bytes are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("windows-1252", "replace")

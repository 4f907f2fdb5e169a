"""The bytes of a page as UTF-8: by its declared encoding, or else by its bytes.

A byte order mark outranks the HTTP header, which outranks the page's meta element.  A page that
declares nothing is UTF-8 if its bytes allow it; only if not, the encoding is guessed.  The same
holds for a page that is declared as UTF-8 and is not.
"""

from __future__ import annotations

import re

import webencodings

_SAMPLE_BYTES = 16_384
_PRESCAN_BYTES = 1024
_PAIRED = 128
_MAX_SAMPLED = 1 << 18
_HIGH_BYTES = bytes(range(128, 256))
# A few such bytes say nothing, and mostly they are dashes and quotes.
_TELLING_BYTES = 12
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_WIDE_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_MAX_WRONG = 0.3
"""Invalid bytes in a page declared as UTF-8, as a share of its non-ASCII bytes."""
_ISO_2022 = (b"\x1b$B", b"\x1b$@", b"\x1b(J")
_LABELS = {
    **dict.fromkeys(("cp932", "shift_jis_2004", "shift-jis-2004", "shift-jisx0213"), "shift_jis"),
    **dict.fromkeys(("cp949", "johab"), "euc-kr"),
    **dict.fromkeys(("cp950", "big5hkscs"), "big5"),
    **dict.fromkeys(("euc-jis-2004", "euc-jisx0213"), "euc-jp"),
    "cp936": "gbk",
    "cp874": "windows-874",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac-roman": "macintosh",
}
"""The standard's names of encodings that the guess calls otherwise."""

_SPACE = rb"[\t\n\f\r ]"
_TOKEN = re.compile(rb"<!--|<(?P<meta>[mM][eE][tT][aA])(?=[\t\n\f\r /])|<[/!?]?[A-Za-z]?")
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*)"
    rb"(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'"
    rb"|(?P<bare>[^\t\n\f\r >\"'][^\t\n\f\r >]*)|))?"
)
_CONTENT = re.compile(
    rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*))",
    re.IGNORECASE,
)


def to_utf8(body: bytes, content_type: str = "") -> bytes:
    """Return a page's bytes in UTF-8, without a byte order mark."""
    if body.isascii() and b"\x1b" not in body and b"\0" not in body:
        return body
    if body.startswith(_WIDE_MARKS):
        return body.decode("utf-32", "replace").encode("utf-8", "replace")
    for mark, name in _MARKS:
        # Markup in UTF-16 has zero bytes; without them the mark is a coincidence.
        if body.startswith(mark) and (name == "utf-8" or b"\0" in body):
            return _transcode(body[len(mark) :], name)
    name = declared(body, content_type) or two_bytes_each(body)
    if name == "utf-8" and is_utf8(body):
        return body
    name = name or _guess(body)
    return _transcode(body, _guess(body) if name == "utf-8" and _is_wrong(body) else name)


def is_utf8(body: bytes) -> bool:
    """Return whether bytes are valid UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def two_bytes_each(body: bytes) -> str:
    """Return the kind of UTF-16 of markup if its bytes leave no doubt, or ""."""
    high, low = body[:_PAIRED:2], body[1:_PAIRED:2]
    if low and not high.count(0) and low.count(0) >= 0.75 * len(low):
        return "utf-16le"
    if low and not low.count(0) and high.count(0) >= 0.75 * len(high):
        return "utf-16be"
    return ""


def _is_wrong(body: bytes) -> bool:
    """Return whether a page that is declared as UTF-8 is something else."""
    if is_utf8(body):
        return False
    sample = body[:_MAX_SAMPLED]
    wrong = sample.decode("utf-8", "replace").count("\ufffd") - sample.count(b"\xef\xbf\xbd")
    return wrong > _MAX_WRONG * (len(sample) - len(sample.translate(None, _HIGH_BYTES)))


def declared(body: bytes, content_type: str = "") -> str:
    """Return the encoding that the header or else the page declares, or ""."""
    header = _HEADER.search(content_type)
    return (header and _known(header[1])) or _prescan(body[:_PRESCAN_BYTES])


def _known(label: str) -> str:
    """Return the standard's name for an encoding label, or ""."""
    encoding = webencodings.lookup(label)
    return str(encoding.name) if encoding else ""


def _transcode(body: bytes, name: str) -> bytes:
    if name == "utf-8":
        return body if is_utf8(body) else body.decode("utf-8", "replace").encode()
    # The standard's gbk is its superset gb18030; Python's is not.
    encoding = webencodings.lookup("gb18030" if name == "gbk" else name)
    # Python lacks some of the standard's encodings, so webencodings decodes.
    text, _ = encoding.codec_info.decode(body, "replace")
    return str(text).encode("utf-8", "replace")


def _guess(body: bytes) -> str:
    """Return UTF-8 if the bytes allow it, or the guess from a sample of them."""
    if is_utf8(body):
        return "iso-2022-jp" if any(sign in body for sign in _ISO_2022) else "utf-8"
    ascii_only = body.translate(None, _HIGH_BYTES)
    if len(body) - len(ascii_only) < _TELLING_BYTES:
        return "windows-1252"
    import chardet  # imported here, since it takes time to load and few pages need it

    first = next(i for i, byte in enumerate(body) if byte > 127)
    start = max(0, first - 256)
    guess = chardet.detect(body[start : start + _SAMPLE_BYTES], prefer_superset=True)
    label = (guess["encoding"] or "").lower()
    name = _known(_LABELS.get(label, label))
    return name if name and not name.startswith("utf-16") else "windows-1252"


def _prescan(head: bytes) -> str:
    """Search for a meta element that names an encoding, as the HTML standard prescribes."""
    position = 0
    while True:
        token = _TOKEN.search(head, position)
        if token is None:
            return ""
        position = token.end()
        if token[0] == b"<!--":
            end = head.find(b"-->", token.start() + 2)
            if end < 0:
                return ""
            position = end + 3
        elif token["meta"]:
            name, position = _meta(head, position)
            if name:
                return name
        elif token[0][-1:].isalpha():
            position = _end_of_tag(head, position)
        elif token[0] != b"<":
            position = head.find(b">", position) + 1 or len(head)


def _end_of_tag(head: bytes, position: int) -> int:
    while position < len(head) and head[position] not in b"\t\n\f\r >":
        position += 1
    for match in _attributes(head, position):
        position = match.end()
    return position


def _attributes(head: bytes, position: int) -> list[re.Match[bytes]]:
    """Return the attributes of a tag, from after its name to its end."""
    attributes = []
    while match := _ATTRIBUTE.match(head, position):
        attributes.append(match)
        position = match.end()
    return attributes


def _meta(head: bytes, position: int) -> tuple[str, int]:
    """Return the encoding that a meta element names, and the end of the element."""
    values: dict[bytes, bytes] = {}
    for match in _attributes(head, position):
        value = match["double"] or match["single"] or match["bare"] or b""
        values.setdefault(match["name"].lower(), value)
        position = match.end()
    label = values.get(b"charset")
    if label is None and values.get(b"http-equiv", b"").lower() == b"content-type":
        content = _CONTENT.search(values.get(b"content", b""))
        label = (content[1] or content[2] or content[3] or b"") if content else None
    name = _known(label.decode("latin-1").strip()) if label else ""
    if name.startswith("utf-16"):
        return "utf-8", position
    return ("windows-1252" if name == "x-user-defined" else name), position

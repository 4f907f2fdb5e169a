"""The kind of a response: as declared, and as its bytes show.

Pages are HTML, XHTML under any XML type, and plain text.  A declared page may be a picture or an
archive; XML is a page only if its first element is `html`.
"""

from __future__ import annotations

import re

from foragers.parsing.encoding import two_bytes_each

HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
TEXT = ("text/plain",)
XML = ("application/xml", "text/xml")
UNKNOWN = ("*/*", "unknown/unknown", "application/unknown")
BINARY = (
    b"\x89PNG\r", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b",
    b"\x7fELF", b"MZ\x90", b"\0\0\0", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"Rar!", b"ID3", b"OggS",
)  # fmt: skip
"""The first bytes of files that are not text, whatever their declared type."""
WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r\x1b")
MAX_CONTROLS, FEW_CONTROLS = 0.02, 4
"""The tolerated share and number of control characters, which text does not have."""
SAMPLE = 4096
_ROOT = re.compile(rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!doctype[^>]*>\s*)*<html[\s>]", re.I | re.S)
_CLOSED = re.compile(
    rb"<(script|style|title|textarea|iframe|noscript|noframes|a|p|div|span|li|td|th)"
    rb"(\s[^<>]*)?/>",
    re.I,
)


def kind_of(content_type: str) -> str:
    """Return a content type without its parameters, or ""."""
    kind = content_type.partition(";")[0].partition(",")[0].strip().lower()
    return kind if "/" in kind and kind not in UNKNOWN else ""


def is_wanted(content_type: str) -> bool:
    """Return whether a content type is worth reading to the end."""
    kind = kind_of(content_type)
    return not kind or kind in HTML or kind in TEXT or kind in XML


def is_binary(body: bytes, content_type: str) -> bool:
    """Return whether a body that is declared as text is binary."""
    if body.startswith(BINARY):
        return True
    head = body[:SAMPLE]
    controls = len(head) - len(head.translate(None, CONTROLS))
    if controls <= FEW_CONTROLS or controls <= MAX_CONTROLS * len(head):
        return False
    is_wide = body.startswith(WIDE) or "utf-16" in content_type.lower() or two_bytes_each(body)
    return not is_wide


def is_page_in_xml(body: bytes) -> bool:
    """Return whether a document in XML is a page."""
    return _ROOT.match(body[:SAMPLE]) is not None


def opened(body: bytes) -> bytes:
    """Return XHTML with end tags for elements that HTML does not let close themselves."""
    return _CLOSED.sub(rb"<\1\2></\1>", body)

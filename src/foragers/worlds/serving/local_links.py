"""Pages for local addresses: their links point to other local addresses.

Only absolute links are changed, and only within markup; the text of a page is unchanged.  The bytes
are searched, not parsed, so that everything else, also broken markup, arrives as it was written.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable

from foragers.worlds.archive import Body

LocalOrigin = Callable[[str], str | None]

_AUTHORITY = rb"""([^\s/?#"'<>\\&]+)"""
# The value of an attribute, also after the seconds of a refresh.  Like browsers, this takes
# backslashes for slashes, and two or more of them for two.
_IN_HTML = re.compile(
    rb"""(=\s*["']?\s*(?:[\d.]+\s*[;,]\s*)?)(https?:)?[/\\]{2,}""" + _AUTHORITY, re.IGNORECASE
)
# Any URL in a feed or site map, but not the names of namespaces.
_IN_XML = re.compile(
    rb"""xmlns(?::[\w.-]+)?\s*=\s*["'][^"']*|()(https?:)//""" + _AUTHORITY, re.IGNORECASE
)
_IN_ROBOTS = re.compile(rb"(\bsitemap\s*:\s*)(https?:)//" + _AUTHORITY, re.IGNORECASE)


def relinked(body: Body, path: str, local_origin: LocalOrigin) -> bytes:
    """Return the bytes of a body with links to the world's hosts made local."""
    pattern = _pattern(body, path)
    if pattern is None:
        return body.data
    if body.data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        text = body.data.decode("utf-16", "replace").encode("utf-8", "replace")
        return _replace(pattern, text, local_origin).decode("utf-8").encode("utf-16")
    return _replace(pattern, body.data, local_origin)


def is_html(body: Body) -> bool:
    """Return whether a body is parsed as HTML, by the rule of the import."""
    kind = media_type(body.content_type)
    return "html" in kind or (not kind and body.data.lstrip()[:1] == b"<")


def media_type(content_type: str) -> str:
    """Return a content type without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def _pattern(body: Body, path: str) -> re.Pattern[bytes] | None:
    if is_html(body):
        return _IN_HTML
    if media_type(body.content_type).endswith("xml"):
        return _IN_XML
    return _IN_ROBOTS if path == "/robots.txt" else None


def _replace(pattern: re.Pattern[bytes], data: bytes, local_origin: LocalOrigin) -> bytes:
    def replacement(match: re.Match[bytes]) -> bytes:
        before, scheme, authority = match.groups()
        if authority is None:
            return match[0]
        url = (scheme or b"http:") + b"//" + authority
        origin = local_origin(url.decode("utf-8", "replace"))
        return match[0] if origin is None else before + origin.encode()

    return pattern.sub(replacement, data)

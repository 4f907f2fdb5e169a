"""Documents that are no web pages: their types, by extension, and the text in them.

PDF needs pypdf, an extra.  A document that cannot be read, or only by a program that is not
here, has no text but is a document all the same.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from foragers.errors import UsageError
from foragers.parsing.content_type import kind_of
from foragers.parsing.encoding import to_utf8

OFFICE = "application/vnd.openxmlformats-officedocument"
OPEN = "application/vnd.oasis.opendocument"
TYPES: dict[str, tuple[str, ...]] = {
    "pdf": ("application/pdf", "application/x-pdf"),
    "csv": ("text/csv", "application/csv", "text/comma-separated-values"),
    "tsv": ("text/tab-separated-values",),
    "json": ("application/json", "application/geo+json", "application/ld+json"),
    "xls": ("application/vnd.ms-excel",),
    "xlsx": (f"{OFFICE}.spreadsheetml.sheet",),
    "doc": ("application/msword",),
    "docx": (f"{OFFICE}.wordprocessingml.document",),
    "ppt": ("application/vnd.ms-powerpoint",),
    "pptx": (f"{OFFICE}.presentationml.presentation",),
    "odt": (f"{OPEN}.text",),
    "ods": (f"{OPEN}.spreadsheet",),
    "odp": (f"{OPEN}.presentation",),
    "rtf": ("application/rtf", "text/rtf"),
    "epub": ("application/epub+zip",),
    "zip": ("application/zip", "application/x-zip-compressed"),
}
"""Content types of documents, by the usual extension of their files."""
GENERIC = ("application/octet-stream", "binary/octet-stream", "application/x-download", "")
"""Types that say nothing: then the extension in the URL counts."""
MAX_PAGES, MAX_CHARS = 1000, 4_000_000
"""Limits of one document: what is beyond them is left out."""
_KINDS = {kind: name for name, kinds in TYPES.items() for kind in kinds}


class DocumentText(NamedTuple):
    """The title and the text of a document, "" if there is none."""

    title: str = ""
    text: str = ""


def parse_types(names: Iterable[str]) -> frozenset[str]:
    """Return the types that an option names, and say which is unknown or cannot be read."""
    wanted = set()
    for given in names:
        name = given.strip().lower().lstrip(".")
        if name not in TYPES:
            raise UsageError(f"--want {given}: unknown type; use {', '.join(TYPES)}")
        wanted.add(name)
    return frozenset(wanted)


def type_of(content_type: str, url: str) -> str:
    """Return the type of a response by its extension, or "" if it is no document."""
    kind = kind_of(content_type)
    if kind in _KINDS:
        return _KINDS[kind]
    return extension_of(url) if kind in GENERIC else ""


def extension_of(url: str) -> str:
    """Return the type that the path of a URL names, or ""."""
    path = url.partition("?")[0].partition("#")[0]
    name = path.rpartition("/")[2].rpartition(".")[2].lower()
    return name if name in TYPES else ""


def is_document(content_type: str) -> bool:
    """Return whether a content type is one of a document."""
    return kind_of(content_type) in _KINDS


def document_text(body: bytes, content_type: str, url: str = "") -> DocumentText:
    """Return the title and the text of a document."""
    name = type_of(content_type, url)
    if name == "pdf":
        return _pdf(body)
    if name in ("csv", "tsv", "json"):
        text = to_utf8(body[: 4 * MAX_CHARS], content_type).decode("utf-8", "replace")
        return DocumentText("", text[:MAX_CHARS].replace("\0", "").strip())
    return DocumentText()


def _pdf(body: bytes) -> DocumentText:
    """Read a PDF, if pypdf is installed."""
    if find_spec("pypdf") is None:
        return DocumentText()
    package: Any = import_module("pypdf")
    parts: list[str] = []
    size, title = 0, ""
    try:
        reader = package.PdfReader(io.BytesIO(body), strict=False)
        title = str((reader.metadata or {}).get("/Title") or "")
        for page in reader.pages[:MAX_PAGES]:
            parts.append(page.extract_text() or "")
            size += len(parts[-1])
            if size > MAX_CHARS:
                break
    except Exception:  # whatever it raises on a hostile file; the pages before count
        pass
    text = "\n\n".join(filter(None, (paragraphs(part) for part in parts)))
    return DocumentText(" ".join(title.split())[:500], text[:MAX_CHARS])


def paragraphs(text: str) -> str:
    """Join the lines of a page of print: a line that ends a sentence early ends a paragraph."""
    lines = [" ".join(line.split()) for line in text.replace("\0", "").split("\n")]
    widest = max(map(len, lines), default=0)
    found: list[str] = []
    open_ = False
    for line in lines:
        if not line:
            open_ = False
        elif open_ and found[-1].endswith("-") and line[:1].islower():
            found[-1] = found[-1][:-1] + line
        elif open_:
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
        if line:
            open_ = not (line.endswith((".", "!", "?", ":")) and len(line) < 0.8 * widest)
    return "\n\n".join(found)

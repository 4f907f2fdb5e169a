"""Formats of other tools: Dolma's JSON lines, FineWeb's columns, and files of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from uuid import NAMESPACE_URL, uuid5

import msgspec

from foragers.core.files import write
from foragers.errors import UsageError
from foragers.urls.parse import host_of
from foragers.version import __version__

if TYPE_CHECKING:
    from foragers.reports.export import Exported

SOURCE = "foragers"
TOKEN = re.compile(r"\w+|[^\w\s]")
MAX_NAME = 120
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class DolmaLine(msgspec.Struct, frozen=True):
    """A document as Dolma reads it."""

    id: str
    text: str
    source: str
    added: str
    created: str
    metadata: dict[str, object]


def id_of(page: Exported) -> str:
    """Return the id of a page: the same for the same download, and the same part of it."""
    part = "" if page.chunk is msgspec.UNSET else f"#{page.chunk}"
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{page.final_url} {page.fetched}{part}')}>"


def text_of(page: Exported) -> str:
    """Return the text of a page, or its Markdown."""
    for text in (page.text, page.markdown):
        if isinstance(text, str):
            return text
    return ""


def write_dolma(found: Iterable[Exported], out: BinaryIO) -> None:
    """Write one document a line; `created` is the publication date, else that of the download."""
    encode = msgspec.json.Encoder().encode
    for page in found:
        known = msgspec.to_builtins(page)
        metadata = {name: value for name, value in known.items() if name not in ("text", "links")}
        fetched = page.fetched or ""
        line = DolmaLine(
            id_of(page), text_of(page), f"{SOURCE}-{__version__}", fetched,
            page.published or fetched, metadata,
        )  # fmt: skip
        out.write(encode(line) + b"\n")


def fineweb_columns(page: Exported, dump: str) -> dict[str, object]:
    """Return the columns of FineWeb that ours do not have under the same name.

    `token_count` counts words and punctuation marks, not the tokens of a model.
    """
    return {
        "id": id_of(page),
        "dump": dump,
        "date": page.fetched,
        "file_path": f"warc/{page.warc}" if page.warc else None,
        "token_count": sum(1 for _ in TOKEN.finditer(text_of(page))),
    }


FINEWEB = {
    "id": "string", "dump": "string", "date": "string", "file_path": "string",
    "token_count": "int64",
}  # fmt: skip
"""Their types."""


def write_markdown_files(found: Iterable[Exported], folder: Path) -> Iterator[Exported]:
    """Write one file a page, under the name of its host; give each page that was written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {folder}: {error.strerror}; name a new folder") from error
    taken: set[str] = set()
    for page in found:
        name = name_of(page, taken)
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        write(file, f"{front_matter(page)}{text_of(page)}\n".encode("utf-8", "replace"))
        yield page


def name_of(page: Exported, taken: set[str]) -> str:
    """Return a file name for a page: its host, and its path without unsafe characters."""
    rest = page.final_url.partition("://")[2].partition("/")[2]
    host = _UNSAFE.sub("_", host_of(page.final_url)).strip("._") or "unknown"
    stem = _UNSAFE.sub("-", rest).strip("-._")[:MAX_NAME] or "index"
    name, number = f"{host}/{stem}.md", 2
    while name.lower() in taken:
        name, number = f"{host}/{stem}-{number}.md", number + 1
    taken.add(name.lower())
    return name


def front_matter(page: Exported) -> str:
    """Return the metadata of a page as YAML (JSON is YAML), and its title if it has no other."""
    known = {
        "url": page.final_url, "title": page.title, "language": page.language,
        "published": page.published, "fetched": page.fetched, "relevance": page.relevance,
        "duplicate_of": page.duplicate_of,
    }  # fmt: skip
    lines = [
        f"{name}: {msgspec.json.encode(value).decode()}\n"
        for name, value in known.items()
        if value not in (None, "", msgspec.UNSET)
    ]
    return f"---\n{''.join(lines)}---\n\n"

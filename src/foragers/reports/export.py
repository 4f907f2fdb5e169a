"""The pages of a crawl one after the other, as they are exported.

Pages written as JSON lines, CSV or Parquet, a few at a time.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import asdict

from foragers.core.display import iso
from foragers.core.packing import unpacker_of
from foragers.errors import UsageError
from foragers.reports.crawl_folder import CrawlFolder

STEP = 200
"""How many pages are in memory at once."""

PAGES = """
SELECT number, u.href AS url, f.href AS final, status, reason, time, title, language, published,
       relevance, relevant, promise, agent, p.href AS parent, depth, record, {words} AS words
FROM visits
LEFT JOIN urls u ON u.id = visits.url
LEFT JOIN urls f ON f.id = visits.final
LEFT JOIN urls p ON p.id = visits.parent
WHERE number > ? AND number <= ? {only} ORDER BY number LIMIT ?
"""


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """One download, as a line of JSON has it; what was not asked for is left out."""

    url: str
    final_url: str
    status: str
    reason: str
    fetched: str | None
    title: str
    text: str | msgspec.UnsetType = msgspec.UNSET
    language: str
    published: str | None
    relevance: float
    relevant: bool
    promise: float
    agent: str
    parent: str | None
    depth: int
    links: list[str] | msgspec.UnsetType = msgspec.UNSET
    warc: str | None
    offset: int | None


@dataclass(frozen=True)
class Selection:
    """Which pages are wanted, and how much of them."""

    relevant: bool = False
    text: bool = True
    links: bool = True

    @property
    def fields(self) -> list[str]:
        """The names of what is wanted, in their order."""
        left_out = {"text": not self.text, "links": not self.links}
        return [name for name in Exported.__struct_fields__ if not left_out.get(name)]

    @property
    def condition(self) -> str:
        """The selection in SQL."""
        return "AND relevant AND status IN ('ok', 'unchanged')" if self.relevant else ""


WHOLE = Selection()
"""All pages, with all there is of them."""


class Text(msgspec.Struct):
    """All that is wanted of a document."""

    text: str = ""


class Href(msgspec.Struct):
    """All that is wanted of a link."""

    href: str


class ExportedText(msgspec.Struct, array_like=True):
    """The text and the links of a page, without all else that a ledger keeps of them."""

    document: Text
    listed: list[Href] = []
    etag: str = ""
    modified: str = ""
    targets: list[int] = []
    hosts: list[int] = []
    written: list[str] = []

    @property
    def hrefs(self) -> list[str]:
        """The addresses of the links, which the first ledgers had one by one."""
        return self.written or [link.href for link in self.listed]


LONGEST_OFFSET = 18
"""Digits of a place in a file: none is larger."""
Read = Callable[[bytes | None], ExportedText]


def pages(folder: CrawlFolder, selection: Selection) -> Iterator[Exported]:
    """Give the pages of a crawl in the order of their downloads."""
    words = "words" if selection.text or selection.links else "NULL"
    read = reader()
    query = PAGES.format(words=words, only=selection.condition)
    for row in folder.rows(query, STEP):
        yield exported(row, read(row["words"]), selection)


def count(folder: CrawlFolder, selection: Selection) -> int:
    """Return how many pages are selected."""
    query = f"SELECT count(*) FROM visits WHERE number <= ? {selection.condition}"
    found: int = folder.connection.execute(query, (folder.length,)).fetchone()[0]
    return found


def reader() -> Read:
    """Return what unpacks the words of a row."""
    unpack = unpacker_of(ExportedText)
    return lambda packed: ExportedText(Text()) if packed is None else unpack(packed)


def exported(row: Any, words: ExportedText, selection: Selection) -> Exported:
    """Return a row as it is exported."""
    file, offset = place(row["record"])
    return Exported(
        url=row["url"] or "",
        final_url=row["final"] or row["url"] or "",
        status=row["status"],
        reason=row["reason"],
        fetched=iso(row["time"]),
        title=row["title"],
        language=row["language"],
        published=iso(row["published"]),
        relevance=row["relevance"],
        relevant=bool(row["relevant"]),
        promise=row["promise"],
        agent=row["agent"],
        parent=row["parent"],
        depth=row["depth"],
        warc=file,
        offset=offset,
        text=words.document.text if selection.text else msgspec.UNSET,
        links=words.hrefs if selection.links else msgspec.UNSET,
    )


def place(record: str) -> tuple[str | None, int | None]:
    """Return the file and the offset at which an answer is archived."""
    file, _, offset = record.rpartition("#")
    sound = offset.isdecimal() and len(offset) <= LONGEST_OFFSET
    return (file, int(offset)) if file and sound else (None, None)


ROW_GROUP = 1000
"""How many pages Parquet keeps together, and we in memory."""

PARQUET_TYPES = {
    "fetched": "timestamp",
    "published": "timestamp",
    "relevance": "float64",
    "relevant": "bool_",
    "promise": "float64",
    "depth": "int32",
    "links": "list",
    "offset": "int64",
}


def write_jsonl(found: Iterable[Exported], out: BinaryIO, selection: Selection) -> None:  # noqa: ARG001
    """Write one object a line."""
    encode = msgspec.json.Encoder().encode
    for page in found:
        out.write(encode(page) + b"\n")


def write_csv(found: Iterable[Exported], out: BinaryIO, selection: Selection) -> None:
    """Write one row a page (RFC 4180), with the number of links in place of the links."""
    names = selection.fields
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(names)
    for page in found:
        rows.writerow([cell(getattr(page, name)) for name in names])
    # Else the stream would be closed with its wrapper.
    text.detach()


def cell(value: object) -> object:
    """Return a value as it stands in a table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return len(value)
    # Readers of CSV lose their way at NUL.
    return value.replace("\0", "") if isinstance(value, str) else value


def check_parquet() -> None:
    """Say now if Parquet cannot be written."""
    if find_spec("pyarrow") is None:
        raise UsageError("--format parquet needs pyarrow: pip install 'foragers[parquet]'")


def write_parquet(found: Iterable[Exported], out: BinaryIO, selection: Selection) -> None:
    """Write columns, with times as timestamps and links as lists."""
    check_parquet()
    # Not by an import statement, since type checkers are to do without the extra too.
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = schema_of(arrow, selection)
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for some in batches(found, ROW_GROUP):
            writer.write_table(arrow_table(arrow, some, selection))


def arrow_table(arrow: Any, found: Iterable[Exported], selection: Selection = WHOLE) -> Any:
    """Return pages as a table of pyarrow, with times as timestamps and links as lists."""
    schema = schema_of(arrow, selection)
    strings = arrow.schema([
        (name, arrow.string() if PARQUET_TYPES.get(name) == "timestamp" else kind)
        for name, kind in zip(schema.names, schema.types, strict=True)
    ])  # fmt: skip
    rows = [{name: getattr(page, name) for name in schema.names} for page in found]
    return arrow.Table.from_pylist(rows, schema=strings).cast(schema)


def schema_of(arrow: Any, selection: Selection) -> Any:
    """Return the names and types of all columns."""
    return arrow.schema([(name, column_type(arrow, name)) for name in selection.fields])


def column_type(arrow: Any, name: str) -> Any:
    """Return the type of a column."""
    kind = PARQUET_TYPES.get(name, "string")
    if kind == "timestamp":
        return arrow.timestamp("ms", tz="UTC")
    return arrow.list_(arrow.string()) if kind == "list" else getattr(arrow, kind)()


def pandas_frame(pandas: Any, found: Sequence[Exported]) -> Any:
    """Return pages as a data frame of pandas; a time that it cannot hold is missing."""
    frame = pandas.DataFrame([asdict(page) for page in found], columns=WHOLE.fields)
    for name, kind in PARQUET_TYPES.items():
        if kind == "timestamp":
            times = pandas.to_datetime(frame[name], utc=True, format="ISO8601", errors="coerce")
            frame[name] = times.dt.as_unit("ms")
        elif kind != "list":
            # Int64 is the type of integers some of which are missing.
            frame[name] = frame[name].astype("Int64" if kind == "int64" else kind.strip("_"))
    return frame


def polars_frame(polars: Any, found: Sequence[Exported]) -> Any:
    """Return pages as a data frame of polars."""
    kinds = {
        "string": polars.String,
        "float64": polars.Float64,
        "bool_": polars.Boolean,
        "int32": polars.Int32,
        "int64": polars.Int64,
        "list": polars.List(polars.String),
        "timestamp": polars.Datetime("ms", "UTC"),
    }
    schema = {name: kinds[PARQUET_TYPES.get(name, "string")] for name in WHOLE.fields}
    times = [name for name, kind in PARQUET_TYPES.items() if kind == "timestamp"]
    rows = [
        {**asdict(page), **{name: moment(getattr(page, name)) for name in times}} for page in found
    ]
    return polars.DataFrame(rows, schema=schema)


def moment(text: str | None) -> datetime | None:
    """Return a time as it is exported as a time of Python."""
    return None if text is None else datetime.fromisoformat(text)


def batches(found: Iterable[Exported], size: int) -> Iterator[list[Exported]]:
    """Give so many pages at a time."""
    waiting = iter(found)
    while some := list(islice(waiting, size)):
        yield some

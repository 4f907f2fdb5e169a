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

from foragers.core.display import iso
from foragers.core.packing import unpacker_of
from foragers.errors import UsageError
from foragers.reports.corpus.copies import Copies
from foragers.reports.corpus.formats import FINEWEB, fineweb_columns
from foragers.reports.corpus.page_texts import LEDGER, MAIN, CorpusText, PageTexts
from foragers.reports.corpus.tally import Tally
from foragers.reports.crawl_folder import CrawlFolder

MARK, DROP, KEEP = "mark", "drop", "keep"
"""What is done with near duplicates."""
STEP = 200
"""How many pages are in memory at once."""

PAGES = """
SELECT number, u.href AS url, f.href AS final, status, reason, time, title, language, published,
       relevance, relevant, promise, agent, p.href AS parent, depth, record, host, {words} AS words
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
    markdown: str | msgspec.UnsetType = msgspec.UNSET
    text_source: str | msgspec.UnsetType = msgspec.UNSET
    words: int | msgspec.UnsetType = msgspec.UNSET
    chunk: int | msgspec.UnsetType = msgspec.UNSET
    headings: list[str] | msgspec.UnsetType = msgspec.UNSET
    language: str
    language_score: float | msgspec.UnsetType = msgspec.UNSET
    published: str | None
    duplicate_of: str | msgspec.UnsetType | None = msgspec.UNSET
    relevance: float
    relevant: bool
    promise: float
    agent: str
    parent: str | None
    depth: int
    links: list[str] | msgspec.UnsetType = msgspec.UNSET
    warc: str | None
    offset: int | None


OF_TEXT = ("text", "text_source", "words", "language_score", "duplicate_of")
OF_CHUNKS = ("chunk", "headings")


@dataclass(frozen=True)
class Selection:
    """Which pages are wanted, and how much of them.

    Without `every` these are the pages that were kept: not those that failed or were skipped.
    `visits` are the numbers of the only ones that are wanted.
    """

    relevant: bool = False
    text: bool = True
    links: bool = True
    every: bool = False
    since: float | None = None
    visits: tuple[int, ...] | None = None
    min_words: int = 0
    languages: frozenset[str] = frozenset()
    duplicates: str = MARK
    extractor: str = MAIN
    markdown: bool = False
    chunks: int | None = None

    @property
    def fields(self) -> list[str]:
        """The names of what is wanted, in their order."""
        left_out = set() if self.text else set(OF_TEXT)
        left_out |= set() if self.links else {"links"}
        left_out |= set() if self.chunks else set(OF_CHUNKS)
        left_out |= {"text"} if self.markdown else {"markdown"}
        return [name for name in Exported.__struct_fields__ if name not in left_out]

    @property
    def reads_text(self) -> bool:
        """Whether texts are wanted, or needed to select pages."""
        filtered = self.min_words or self.languages or self.duplicates == DROP
        return bool(self.text or filtered)

    @property
    def condition(self) -> str:
        """The selection in SQL, as far as the ledger can tell."""
        kept = "" if self.every and not self.relevant else "AND status IN ('ok', 'unchanged')"
        since = "" if self.since is None else f"AND time >= {self.since!r}"
        relevant = "AND relevant" if self.relevant else ""
        numbers = ", ".join(map(str, self.visits or (0,)))  # no visit has the number 0
        only = "" if self.visits is None else f"AND number IN ({numbers})"
        return " ".join(filter(None, (kept, relevant, since, only)))


WHOLE = Selection()
"""All pages that were kept, with all there is of them."""


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


def pages(
    folder: CrawlFolder, selection: Selection, tally: Tally | None = None
) -> Iterator[Exported]:
    """Give the pages of a crawl in the order of their downloads."""
    words = "words" if selection.text or selection.links or selection.reads_text else "NULL"
    read, query = reader(), PAGES.format(words=words, only=selection.condition)
    tally = tally if tally is not None else Tally()
    texts = PageTexts(folder, selection.extractor, selection.condition)
    copies = Copies()
    for row in folder.rows(query, STEP):
        stored = read(row["words"])
        page = exported(row, stored, selection)
        if not selection.reads_text:
            yield page
            continue
        found = texts.of(row, stored.document.text, page.final_url)
        if len(found.text.split()) < selection.min_words:
            tally.short += 1
        elif selection.languages and found.language.code not in selection.languages:
            tally.other_language += 1
        else:
            copy = copies.find(found.text, page.final_url)
            tally.copies += copy is not None
            tally.without_archive += found.source == LEDGER and bool(found.text)
            if copy is None or selection.duplicates != DROP:
                yield from with_text(page, found, copy, selection)


def with_text(
    page: Exported, found: CorpusText, copy: str | None, selection: Selection
) -> Iterator[Exported]:
    """Give a page with its text, or one row for each of its chunks."""
    if not selection.text:
        yield page
        return
    known = {
        "language": found.language.code or page.language,
        "language_score": found.language.score,
        "published": found.published or page.published,
        "title": page.title or found.title,
        "text_source": found.source,
        "duplicate_of": copy if selection.duplicates != KEEP else None,
    }
    if selection.chunks is None:
        name = "markdown" if selection.markdown else "text"
        text = found.markdown() if selection.markdown else found.text
        known |= {name: text, "words": len(found.text.split())}
        yield msgspec.structs.replace(page, **known)
        return
    for number, chunk in enumerate(found.chunks(selection.chunks, selection.markdown)):
        name = "markdown" if selection.markdown else "text"
        own = {name: chunk.text, "words": len(chunk.text.split()), "chunk": number}
        yield msgspec.structs.replace(page, **known, **own, headings=list(chunk.headings))


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
    "headings": "list",
    "words": "int64",
    "chunk": "int64",
    "language_score": "float64",
    "offset": "int64",
}


def write_jsonl(found: Iterable[Exported], out: BinaryIO) -> None:
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


def value_of(page: Exported, name: str) -> object:
    """Return a value of a page, None if it has none."""
    value = getattr(page, name)
    return None if value is msgspec.UNSET else value


def cell(value: object) -> object:
    """Return a value as it stands in a table."""
    if value is msgspec.UNSET:
        return None
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


def write_parquet(
    found: Iterable[Exported], out: BinaryIO, selection: Selection, dump: str = "foragers"
) -> None:
    """Write columns, with times as timestamps, links as lists, and those of FineWeb."""
    check_parquet()
    # Not by an import statement, since type checkers are to do without the extra too.
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = schema_of(arrow, selection)
    for name, kind in FINEWEB.items():
        schema = schema.append(arrow.field(name, getattr(arrow, kind)()))
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for some in batches(found, ROW_GROUP):
            table = arrow_table(arrow, some, selection)
            added = [fineweb_columns(page, dump) for page in some]
            for name in FINEWEB:
                column = arrow.array([row[name] for row in added], schema.field(name).type)
                table = table.append_column(name, column)
            writer.write_table(table)


def arrow_table(arrow: Any, found: Iterable[Exported], selection: Selection = WHOLE) -> Any:
    """Return pages as a table of pyarrow, with times as timestamps and links as lists."""
    schema = schema_of(arrow, selection)
    strings = arrow.schema([
        (name, arrow.string() if PARQUET_TYPES.get(name) == "timestamp" else kind)
        for name, kind in zip(schema.names, schema.types, strict=True)
    ])  # fmt: skip
    rows = [{name: value_of(page, name) for name in schema.names} for page in found]
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
    rows = [{name: value_of(page, name) for name in WHOLE.fields} for page in found]
    frame = pandas.DataFrame(rows, columns=WHOLE.fields)
    for name, kind in PARQUET_TYPES.items():
        if name not in frame:
            continue
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
        {name: moment(page, name) if name in times else value_of(page, name) for name in schema}
        for page in found
    ]
    return polars.DataFrame(rows, schema=schema)


def moment(page: Exported, name: str) -> datetime | None:
    """Return a time of a page as a time of Python."""
    text = getattr(page, name)
    return None if text is None else datetime.fromisoformat(text)


def batches(found: Iterable[Exported], size: int) -> Iterator[list[Exported]]:
    """Give so many pages at a time."""
    waiting = iter(found)
    while some := list(islice(waiting, size)):
        yield some

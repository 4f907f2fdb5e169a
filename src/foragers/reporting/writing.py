"""Pages written as JSON lines, CSV or Parquet, a few at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any, BinaryIO

import msgspec

from foragers.errors import UsageError
from foragers.reporting.pages import Exported, Selection

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
    schema = arrow.schema([(name, column_type(arrow, name)) for name in selection.fields])
    strings = arrow.schema([
        (name, arrow.string() if PARQUET_TYPES.get(name) == "timestamp" else kind)
        for name, kind in zip(schema.names, schema.types, strict=True)
    ])  # fmt: skip
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for some in batches(found, ROW_GROUP):
            rows = [{name: getattr(page, name) for name in schema.names} for page in some]
            writer.write_table(arrow.Table.from_pylist(rows, schema=strings).cast(schema))


def column_type(arrow: Any, name: str) -> Any:
    """Return the type of a column."""
    kind = PARQUET_TYPES.get(name, "string")
    if kind == "timestamp":
        return arrow.timestamp("ms", tz="UTC")
    return arrow.list_(arrow.string()) if kind == "list" else getattr(arrow, kind)()


def batches(found: Iterable[Exported], size: int) -> Iterator[list[Exported]]:
    """Give so many pages at a time."""
    waiting = iter(found)
    while some := list(islice(waiting, size)):
        yield some

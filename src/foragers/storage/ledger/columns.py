"""The columns of a visit, in one place: `VisitRow` names them, in the order of the table.

The schema of a ledger, its statements, the check of a file that may be damaged, and the columns of
`Facts` are all derived from it.  `Facts` is a crawl as columns, for metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import DTypeLike, NDArray

from foragers.core.content import StoredContent
from foragers.core.types import (
    OWN,
    Addresses,
    Choice,
    Document,
    HostId,
    Ids,
    Page,
    Purpose,
    Status,
    UrlId,
    Visit,
)

ID = "typeof({0}) = 'integer' AND {0} BETWEEN -1 AND 2147483647"
NUMBER = "typeof({0}) IN ('real', 'integer') AND abs({0}) < 1e300"
MOMENT = "typeof({0}) IN ('real', 'integer') AND abs({0}) < 6e10"
TEXT = "typeof({{0}}) = 'text' AND length({{0}}) <= {most}"
PURPOSES = ", ".join(f"'{purpose.value}'" for purpose in Purpose)
OWN_AGENTS = ", ".join(f"'{purpose.value}'" for purpose in OWN)
LATER = "; to be asked again"
"""Suffix of the reason of a deferred page in a ledger of version 1."""
STATUSES = ", ".join(f"'{status.value}'" for status in Status)


class Column(NamedTuple):
    """The declaration of a column in a ledger, its valid values, and its description."""

    declared: str
    sound: str
    note: str = ""


NO_DOCUMENT = Document()


class VisitRow(NamedTuple):
    """A visit as a row of a ledger."""

    number: Annotated[
        int,
        Column(
            "INTEGER PRIMARY KEY",
            ID.replace("-1", "1"),
            "1, 2, 3 … in the order in which the strategy was told",
        ),
    ]
    url: Annotated[UrlId, Column("INTEGER NOT NULL", ID, "what was asked for: urls.id")]
    final: Annotated[UrlId, Column("INTEGER NOT NULL", ID, "where redirects ended: urls.id")]
    host: Annotated[HostId, Column("INTEGER NOT NULL", ID)]
    status: Annotated[str, Column("TEXT NOT NULL", f"{{0}} IN ({STATUSES})")]
    reason: Annotated[str, Column("TEXT NOT NULL", TEXT.format(most=100_000))]
    time: Annotated[
        float, Column("REAL NOT NULL", MOMENT, "when the answer was there, seconds since 1970")
    ]
    born: Annotated[
        float, Column("REAL NOT NULL", MOMENT, "when this version of the page appeared")
    ]
    version: Annotated[
        int,
        Column(
            "INTEGER NOT NULL",
            "typeof({0}) = 'integer'",
            "the same for the same content of the same URL",
        ),
    ]
    promise: Annotated[float, Column("REAL NOT NULL", "typeof({0}) IN ('real', 'integer')")]
    agent: Annotated[str, Column("TEXT NOT NULL", TEXT.format(most=1000))]
    parent: Annotated[
        UrlId, Column("INTEGER NOT NULL", ID, "the page that led here: urls.id, or -1")
    ]
    depth: Annotated[int, Column("INTEGER NOT NULL", ID)]
    relevance: Annotated[float, Column("REAL NOT NULL", NUMBER)]
    relevant: Annotated[bool, Column("INTEGER NOT NULL", "typeof({0}) = 'integer'")]
    title: Annotated[str, Column("TEXT NOT NULL", TEXT.format(most=1_000_000))]
    language: Annotated[str, Column("TEXT NOT NULL", TEXT.format(most=1000))]
    published: Annotated[
        float | None,
        Column("REAL", f"({{0}} IS NULL OR {NUMBER})", "the date that the page itself gives"),
    ]
    record: Annotated[
        str,
        Column(
            "TEXT NOT NULL",
            TEXT.format(most=10_000),
            "where the answer is archived: file and offset",
        ),
    ]
    words: Annotated[
        bytes | None,
        Column(
            "BLOB",
            "typeof({0}) IN ('null', 'blob')",
            "document and links, if kept: msgpack, zstd",
        ),
    ]
    purpose: Annotated[
        str,
        Column(
            "TEXT NOT NULL DEFAULT 'page'",
            f"{{0}} IN ({PURPOSES})",
            "what the request was for",
        ),
    ]
    retry_at: Annotated[
        float | None,
        Column(
            "REAL",
            "typeof({0}) IN ('null', 'real', 'integer')",
            "when a page that is deferred may be asked for again",
        ),
    ]

    @classmethod
    def of(
        cls, number: int, visit: Visit, document: Document | None = None, words: bytes | None = None
    ) -> VisitRow:
        """Return the row of a visit, with its packed content if given."""
        page, choice, document = visit.page, visit.page.choice, document or NO_DOCUMENT
        return cls(
            number, choice.url, page.final, choice.host, page.status._value_, page.reason,
            page.time, page.born, page.version, choice.promise, choice.agent, choice.parent,
            choice.depth, visit.relevance, visit.relevant, document.title, document.language,
            document.published, page.record, words, choice.purpose._value_, page.retry_at,
        )  # fmt: skip

    @property
    def choice(self) -> Choice:
        """The choice of the visit."""
        return choice_of(getattr(self, name) for name in CHOICE_COLUMNS)

    def visit(self, content: StoredContent, addresses: Addresses) -> Visit:
        """Return the visit, with its content."""
        page = Page(
            choice=self.choice,
            status=Status(self.status),
            reason=self.reason,
            final=self.final,
            time=self.time,
            born=self.born,
            version=self.version,
            links=content.columns(addresses),
            content=content,
            record=self.record,
            retry_at=self.retry_at,
        )
        return Visit(page, self.relevance, bool(self.relevant))


CHOICE_COLUMNS = Choice.__struct_fields__
"""The fields of a choice, which are columns of the same names."""


def choice_of(values: Iterable[Any]) -> Choice:
    """Return the choice in the columns of a choice."""
    fields = dict(zip(CHOICE_COLUMNS, values, strict=True))
    return Choice(**fields | {"purpose": Purpose(fields["purpose"])})


COLUMNS: dict[str, Column] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(VisitRow, include_extras=True).items()
}
ADDED = {
    "purpose": f"CASE WHEN agent IN ({OWN_AGENTS}) THEN agent ELSE 'page' END",
    "retry_at": f"CASE WHEN substr(reason, {-len(LATER)}) = '{LATER}' THEN time END",
}
"""The columns that ledgers of version 1 lack, and how they are computed."""
FIRST_COLUMNS = tuple(name for name in COLUMNS if name not in ADDED)
SELECT = f"SELECT {', '.join(COLUMNS)} FROM visits"
INSERT = f"INSERT INTO visits VALUES ({', '.join('?' * len(COLUMNS))})"
NOTES_AT = 34
"""Column of the comments in the schema of a ledger."""


def declarations(names: Sequence[str]) -> Iterator[str]:
    """Yield the lines that declare columns."""
    for name in names:
        column = COLUMNS[name]
        line = f"    {name} {column.declared}{'' if name == names[-1] else ','}"
        yield f"{line:<{NOTES_AT}}-- {column.note}" if column.note else line


def table_of(names: Sequence[str]) -> str:
    """Return the statement that makes a table of visits."""
    return "CREATE TABLE visits (\n" + "\n".join(declarations(names)) + "\n);"


TABLE = table_of(tuple(COLUMNS))


def fact(column: str, kind: DTypeLike) -> dict[str, Any]:
    """Declare which column of a ledger becomes an array, and its type."""
    return {"column": column, "kind": kind}


@dataclass(frozen=True)
class Facts:
    """A crawl as columns, in order: everything in a ledger except the content."""

    urls: Ids = field(metadata=fact("url", np.int32))
    finals: Ids = field(metadata=fact("final", np.int32))
    statuses: NDArray[np.str_] = field(metadata=fact("status", np.str_))
    times: NDArray[np.float64] = field(metadata=fact("time", np.float64))
    born: NDArray[np.float64] = field(metadata=fact("born", np.float64))
    versions: NDArray[np.int64] = field(metadata=fact("version", np.int64))
    promises: NDArray[np.float64] = field(metadata=fact("promise", np.float64))
    agents: NDArray[np.str_] = field(metadata=fact("agent", np.str_))
    parents: Ids = field(metadata=fact("parent", np.int32))
    depths: Ids = field(metadata=fact("depth", np.int32))
    relevance: NDArray[np.float64] = field(metadata=fact("relevance", np.float64))
    relevant: NDArray[np.bool_] = field(metadata=fact("relevant", np.bool_))

    def __len__(self) -> int:
        return len(self.urls)

    @cached_property
    def ok(self) -> NDArray[np.bool_]:
        """Whether a page was received."""
        ok_flags: NDArray[np.bool_] = self.statuses == Status.OK.value
        return ok_flags

    @classmethod
    def of(cls, visits: Iterable[Visit]) -> Facts:
        """Return the facts of visits."""
        pick = attrgetter(*FACT_COLUMNS)
        return cls.from_rows([
            pick(VisitRow.of(number, visit)) for number, visit in enumerate(visits, 1)
        ])  # fmt: skip

    @classmethod
    def from_rows(cls, rows: Sequence[Iterable[Any]]) -> Facts:
        """Turn rows, which have the columns of `FACT_COLUMNS`, into arrays."""
        columns = list(zip(*rows, strict=True)) or [()] * len(FACT_COLUMNS)
        return cls(**{
            declared.name: np.array(values, declared.metadata["kind"])
            for declared, values in zip(fields(cls), columns, strict=True)
        })  # fmt: skip

    @classmethod
    def joined(cls, parts: Sequence[Facts]) -> Facts:
        """Return facts one after the other."""
        if not parts:
            return cls.from_rows([])
        names = [declared.name for declared in fields(cls)]
        return cls(**{
            name: np.concatenate([getattr(part, name) for part in parts]) for name in names
        })  # fmt: skip


FACT_COLUMNS: tuple[str, ...] = tuple(one.metadata["column"] for one in fields(Facts))

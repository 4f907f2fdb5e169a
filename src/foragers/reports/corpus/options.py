"""The options of `foragers export`."""

from __future__ import annotations

from dataclasses import dataclass

from foragers.core.options import check_ranges, option
from foragers.errors import UsageError

JSONL, CSV, PARQUET, DOLMA = "jsonl", "csv", "parquet", "dolma"
MARKDOWN, WARC, WACZ = "markdown", "warc", "wacz"
FORMATS = (JSONL, CSV, PARQUET, DOLMA, MARKDOWN, WARC, WACZ)
STDOUT = "-"
PAGES, TEXT = "which pages", "text"
MOST_CHUNK = 1_000_000


@dataclass(frozen=True)
class ExportOptions:
    """What is exported, and how."""

    format: str = option(
        JSONL,
        choices=FORMATS,
        help="jsonl: one object a page; csv: one row a page; parquet: columns, with those of"
        " FineWeb; dolma: the JSON lines of Dolma; markdown: one file a page, or JSON lines if FILE"
        " ends in .jsonl; warc: archived records; wacz: archived records for replay",
    )
    out: str = option(STDOUT, metavar="FILE", help="file to write (- is standard output)")
    relevant: bool = option(False, group=PAGES, help="relevant pages only")
    new: bool = option(False, group=PAGES, help="only new articles that a watch reported")
    every: bool = option(
        False, name="all", group=PAGES, help="also downloads that failed or were skipped"
    )
    since: str = option(
        "",
        group=PAGES,
        metavar="TIME",
        help="only pages fetched since a date such as 2024-05-31, or within a time such as 24h",
    )
    min_words: int = option(
        0, least=0, group=PAGES, metavar="N", help="only pages with at least this many words"
    )
    language: tuple[str, ...] = option(
        (), separator=",", group=PAGES, metavar="EN,DE", help="only pages in these languages"
    )
    duplicates: str = option(
        "mark",
        choices=("mark", "drop", "keep"),
        group=PAGES,
        help="near duplicates: name the first in duplicate_of, leave them out, or ignore them",
    )
    extractor: str = option(
        "main",
        name="text",
        choices=("main", "trafilatura", "ledger"),
        group=TEXT,
        help="text: main text from the WARC files, the same by trafilatura, or all words that the"
        " crawl noted",
    )
    chunks: int | None = option(
        None,
        least=10,
        most=MOST_CHUNK,
        group=TEXT,
        metavar="N",
        help="one row for each part of at most N words, for retrieval",
    )
    no_text: bool = option(False, group=TEXT, help="leave out the text")
    no_links: bool = option(False, group=TEXT, help="leave out the links")

    def check(self) -> None:
        """Raise a UsageError for options that contradict each other."""
        check_ranges(self)
        if self.format in (PARQUET, WACZ) and self.out == STDOUT:
            raise UsageError(f"--format {self.format} cannot be streamed; give --out FILE")
        if self.chunks and self.format in (WARC, WACZ):
            raise UsageError(f"--chunks splits texts; --format {self.format} has none")
        by_text = self.min_words or self.language or self.duplicates == "drop"
        if by_text and self.format in (WARC, WACZ):
            raise UsageError(
                f"--format {self.format} copies records and reads no texts;"
                " leave out --min-words, --language and --duplicates drop"
            )
        if self.chunks and self.in_files:
            raise UsageError(
                "--chunks with --format markdown needs a file ending in .jsonl; see --out"
            )

    @property
    def in_files(self) -> bool:
        """Whether every page gets a file of its own."""
        return self.format == MARKDOWN and not (
            self.out == STDOUT or self.out.endswith((".jsonl", ".json"))
        )

"""Crawling from Python, in a script or a notebook.

import foragers

for page in foragers.crawl("https://example.org/", topic="solar panel", budget=200):
    print(page.relevance, page.url, page.title)
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from html import escape
from os import fspath
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack
from warnings import warn

import msgspec

from foragers.core.files import write
from foragers.core.options import make, options_in, signature_with
from foragers.core.plugins.loading import needed
from foragers.core.plugins.page import FetchedPage
from foragers.core.protocols import Strategy
from foragers.crawling.keywords import CrawlKeywords
from foragers.crawling.options import CrawlOptions
from foragers.crawling.seeds import failure_of, seeds_in
from foragers.crawling.session import Session
from foragers.errors import UsageError, python_names, with_arguments
from foragers.judges.function import JudgeFunction, resolve_judge
from foragers.strategies.registry import StrategyLike, resolve

if TYPE_CHECKING:
    from foragers.evaluation.metrics.recall import Estimate
    from foragers.evaluation.metrics.summary import Summary
    from foragers.reports.crawl_folder import CrawlFolder
    from foragers.reports.explain import Explanation
    from foragers.reports.export import Exported


def crawl(
    *urls: str,
    out: str | Path | None = None,
    judge: str | JudgeFunction | None = None,
    strategy: StrategyLike = "auto",
    **options: Unpack[CrawlKeywords],
) -> LiveCrawl:
    """Crawl the live web; iterate over what is returned, or call its `run()`.

    `out` is the folder for the results; the same folder resumes the crawl.  Without it a temporary
    folder is made, which `folder` names and which is kept.  `judge` may be a function of a page,
    `strategy` a class or an object.  The other options are those of `foragers crawl`.  What is
    wrong with them raises `foragers.UsageError`.
    """
    with python_names():
        known = {item.name for item in options_in(CrawlOptions)}
        for name in options:
            if name not in known:
                raise UsageError(f"crawl() has no argument {name}=; see help(foragers.crawl)")
        given = {**options, "judge": resolve_judge(judge), "strategy": resolve(strategy)}
        for url in urls:
            if not isinstance(url, str):
                raise UsageError(f"{url!r}: not a URL; write 'https://host/path'")
        file = options.get("seeds")
        seeds = seeds_in(None if file is None else fspath(file), urls)
        given["host_budget"] = (*seeds.host_budgets, *options.get("host_budget", ()))
        order = make(CrawlOptions, given, seeds=seeds.urls)
        order.check()
        return LiveCrawl(order, out)


crawl.__dict__["__signature__"] = signature_with(crawl, CrawlOptions)


class LiveCrawl:
    """A crawl of the live web: iterate over it for its pages, or call `run()`.

    It begins with the first page that is asked for.  A loop that is left early closes the crawl,
    and everything fetched is kept; `run()`, another loop, or another `crawl` with the same `out`
    resumes it.  After the end a loop gives no more pages.
    """

    def __init__(self, options: CrawlOptions, out: str | Path | None = None) -> None:
        if out is not None and not (isinstance(out, str | Path) and str(out).strip()):
            raise UsageError(f"--out {out!r}: not the name of a folder; name one for the crawl")
        self.options = options
        self.folder = Path(mkdtemp(prefix="foragers-") if out is None else out)
        self._session: Session | None = None
        self._steps: Iterator[FetchedPage] | None = None
        self._stopped = ""

    def __iter__(self) -> Iterator[FetchedPage]:
        """Crawl, and give each page as it comes in."""
        if self._steps is not None:
            raise UsageError("this crawl is under way in another loop; end that one first")
        if self.stopped:
            return
        self._steps = steps = self._pages()
        try:
            yield from steps
        finally:
            self.close()

    async def __aiter__(self) -> AsyncIterator[FetchedPage]:
        """Crawl beside other tasks, and give each page as it comes in."""
        steps, loop = iter(self), asyncio.get_running_loop()
        # One thread for all of it: the ledger may be used by the thread that opened it alone.
        with ThreadPoolExecutor(1, "foragers") as thread:
            try:
                while (page := await loop.run_in_executor(thread, next, steps, None)) is not None:
                    yield page
            finally:
                await loop.run_in_executor(thread, self.close)

    def _pages(self) -> Iterator[FetchedPage]:
        with python_names():
            session = Session.open(self.options, self.folder)
        self._session = session
        steps = session.steps()
        while True:
            with python_names():
                visits = next(steps, None)
            if visits is None:
                return
            for visit in visits:
                if failure := failure_of(visit):
                    warn(with_arguments(failure), stacklevel=4)
                yield FetchedPage.of(visit)
                if self._session is not session:
                    return  # closed in the meantime

    def run(self) -> Self:
        """Crawl to the end, and return this crawl: `summary` and `stopped` say what came of it."""
        for _ in self:
            pass
        return self

    def close(self) -> None:
        """Stop, and put everything on disk; the crawl can be resumed."""
        session, self._session, self._steps = self._session, None, None
        if session is not None:
            self._stopped = session.stopped
            session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether the crawl has begun and is not closed."""
        return self._session is not None

    @property
    def stopped(self) -> str:
        """Why the crawl stopped; empty before its end."""
        return self._stopped if self._session is None else self._session.stopped

    @property
    def strategy(self) -> Strategy | None:
        """The strategy at work, while the crawl is running."""
        return None if self._session is None else self._session.crawl.strategy

    @property
    def summary(self) -> Summary:
        """The crawl in numbers: downloads, relevant pages, errors, hosts."""
        from foragers.evaluation.metrics.summary import Summary

        if not self._has_ledger:
            return Summary()
        with self._opened() as folder:
            return folder.summary()

    @property
    def _has_ledger(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.options.ledger) or (self.folder / "ledger.sqlite").exists()

    @property
    def estimate(self) -> Estimate | None:
        """How many relevant pages there are within reach, estimated; None if it is not known."""
        from foragers.evaluation.metrics.recall import Estimate

        if self._session is not None:
            return self._session.estimate()
        try:
            stored = msgspec.json.decode((self.folder / "crawl.json").read_bytes())["estimate"]
            return None if stored is None else msgspec.convert(stored, Estimate)
        except (OSError, ValueError, KeyError):
            return None

    def explain(self, url: str) -> Explanation:
        """Say why a page was fetched, or why not."""
        from foragers.reports.explain import explain
        from foragers.reports.retell import telling_of

        with self._opened() as folder:
            return explain(folder, url, telling_of(folder, None), self.options.strategy)

    def report(self, out: str | Path | None = None) -> Path:
        """Write a web page about the crawl, and return where it is."""
        from foragers.reports.crawl_folder import check_out
        from foragers.reports.html_report import report

        file = self.folder / "report.html" if out is None else Path(out)
        with python_names():
            check_out(self.folder, file)
        with self._opened() as folder:
            write(file, report(folder).encode())
        return file

    def to_arrow(self, *, relevant: bool = False) -> Any:
        """Return the pages, or the relevant ones alone, as a pyarrow Table."""
        from foragers.reports.export import arrow_table

        arrow = needed("pyarrow", "to_arrow()")
        return arrow_table(arrow, self._exported(relevant))

    def to_pandas(self, *, relevant: bool = False) -> Any:
        """Return the pages, or the relevant ones alone, as a pandas DataFrame."""
        from foragers.reports.export import pandas_frame

        return pandas_frame(needed("pandas", "to_pandas()"), self._exported(relevant))

    def to_polars(self, *, relevant: bool = False) -> Any:
        """Return the pages, or the relevant ones alone, as a polars DataFrame."""
        from foragers.reports.export import polars_frame

        return polars_frame(needed("polars", "to_polars()"), self._exported(relevant))

    def _exported(self, relevant: bool) -> list[Exported]:
        from foragers.reports.export import Selection, pages

        if not self._has_ledger:
            return []
        with self._opened() as folder:
            return list(pages(folder, Selection(relevant)))

    @contextmanager
    def _opened(self) -> Iterator[CrawlFolder]:
        """Open the ledger for reading, with all that was fetched so far."""
        from foragers.reports.crawl_folder import opened

        if self._session is not None:
            with suppress(
                sqlite3.ProgrammingError
            ):  # of another thread: then up to its last commit
                self._session.ledger.commit()
        with python_names(), opened(self.folder) as folder:
            yield folder

    def _described(self) -> list[tuple[str, str]]:
        """Return the rows that describe the crawl."""
        summary = self.summary
        state = self.stopped or ("running" if self.running else "not running")
        return [
            ("seeds", " ".join(self.options.seeds)),
            ("target", str(self.options.aim)),
            ("strategy", str(self.options.strategy)),
            ("downloads", f"{summary.downloads:,}"),
            ("relevant", f"{summary.relevant:,}"),
            ("state", state),
            ("folder", str(self.folder)),
        ]

    def __repr__(self) -> str:
        seeds, *facts, folder = (value for _, value in self._described())
        return f"<LiveCrawl {seeds}: {', '.join(facts)}; {folder}>"

    def _repr_html_(self) -> str:
        rows = (f"<tr><th>{n}</th><td>{escape(v)}</td></tr>" for n, v in self._described())
        return f"<table>{''.join(rows)}</table>"

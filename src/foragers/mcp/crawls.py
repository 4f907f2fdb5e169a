"""The crawls that an agent has started: each in a folder and a process of its own.

An agent names crawls, never folders.  A crawl goes on when the server ends; a server that is
started again in the same folder knows it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from foragers.core.content import StoredContent
from foragers.core.display import plain
from foragers.core.options import Target
from foragers.core.packing import unpacker_of
from foragers.core.types import Document
from foragers.crawling.feedback import Remark, remark
from foragers.errors import UsageError
from foragers.judges.build import build_judge, teachable
from foragers.judges.words import Words
from foragers.reports.crawl_folder import CrawlFolder, opened
from foragers.reports.retell import aim_of
from foragers.storage.warc.writer import locked
from foragers.urls.parse import is_address

PAGES = """
SELECT number, urls.href AS url, title, relevance, relevant, words FROM visits
JOIN urls ON urls.id = visits.final
WHERE number > ? AND number <= ? AND status = 'ok' AND words IS NOT NULL ORDER BY number LIMIT ?
"""
PAGE = """
SELECT number, words FROM visits JOIN urls ON urls.id = visits.final
WHERE urls.href = ? AND status = 'ok' AND words IS NOT NULL ORDER BY number DESC LIMIT 1
"""
AT_ONCE = 500
PID = "process"
"""The file with the number of the process of a crawl."""
BEGUN = "crawl.json"
"""The file that a crawl writes once it has locked its folder, for as long as it runs."""
NAME = r"[a-z0-9][a-z0-9-]{0,60}"


@dataclass(frozen=True)
class DeskLimits:
    """What an agent may ask for."""

    budget: int = 2000  # downloads of a crawl; guess
    crawls: int = 4  # running at the same time; guess
    seeds: int = 20  # of a crawl; guess
    results: int = 50  # of a search; guess
    characters: int = 20_000  # of a page at a time: what a model can take in; guess
    snippet: int = 300  # characters of a page in a list; guess
    patience: float = 60.0  # seconds for a crawl to stop; guess
    ending: float = 10.0  # seconds for a process to end that has closed its folder; guess


class FoundPage(msgspec.Struct, frozen=True):
    """A page in a list of results."""

    url: str
    title: str
    relevance: float
    relevant: bool
    snippet: str


class CrawlStatus(msgspec.Struct, frozen=True):
    """What a crawl has come to."""

    name: str
    running: bool
    topic: str
    downloads: int
    relevant: int
    stopped: str


@dataclass
class CrawlDesk:
    """Starts crawls in a folder, and reads what they find.

    `options` are given to every crawl, by the person who started the server.
    """

    folder: Path
    limits: DeskLimits = field(default_factory=DeskLimits)
    options: Sequence[str] = ()
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, urls: Sequence[str], topic: str, budget: int) -> str:
        """Start a crawl, and return its name."""
        if not 1 <= budget <= self.limits.budget:
            raise UsageError(f"the budget must be 1 to {self.limits.budget:,} downloads")
        build_judge(Target(topic))
        return self._begin("crawl", urls, topic, [f"--budget={budget}"])

    def watch(self, urls: Sequence[str], topic: str = "") -> str:
        """Watch sites for new pages until it is stopped, and return its name."""
        if topic:
            build_judge(Target(topic))
        return self._begin("watch", urls, topic, [])

    def _begin(self, verb: str, urls: Sequence[str], topic: str, options: Sequence[str]) -> str:
        """Start a crawl or a watch, and return its name."""
        if not 1 <= len(urls) <= self.limits.seeds:
            raise UsageError(f"give 1 to {self.limits.seeds} URLs to start from")
        for url in urls:
            if not is_address(url):
                raise UsageError(f"{plain(url)} is not a URL; write it as https://…")
        if sum(map(self.is_running, self.names())) >= self.limits.crawls:
            raise UsageError(f"{self.limits.crawls} crawls are running; wait for one, or stop it")
        name = self._new_name(topic or verb)
        wanted = [f"--topic={topic}"] if topic else []
        self._run(name, [verb, *urls, *wanted, *options])
        return name

    def _run(self, name: str, command: Sequence[str]) -> None:
        """Run a command of Foragers in the folder of a crawl."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        program = [sys.executable, "-m", "foragers.cli.main", *command, "--out", str(folder)]
        with (folder / "log.txt").open("wb") as log:
            self._running[name] = subprocess.Popen(
                [*program, *self.options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONSAFEPATH": "1"},
                start_new_session=True,
            )
        (folder / PID).write_text(f"{self._running[name].pid}\n")

    def stop(self, name: str) -> None:
        """Stop a crawl; what it fetched is kept."""
        self._folder(name)
        if not self.is_running(name):
            raise UsageError(f"{name} is not running")
        process = self._running.get(name)
        if process is not None:
            process.send_signal(signal.SIGTERM)
            process.wait()
            return
        with suppress(OSError, ValueError):  # of an earlier server
            os.kill(int((self.folder / name / PID).read_text()), signal.SIGTERM)
        patience = time.monotonic() + self.limits.patience
        while self.is_running(name):
            if time.monotonic() > patience:
                raise UsageError(f"{name} does not stop; end its process on the machine")
            time.sleep(0.1)

    def is_running(self, name: str) -> bool:
        """Return whether a crawl is running, also one that an earlier server started."""
        process = self._running.get(name)
        if process is not None:
            if process.poll() is not None:
                return False
            if not (self.folder / name / BEGUN).exists():  # it has not locked its folder yet
                return True
        try:
            os.close(locked(self.folder / name))
        except UsageError:
            return True
        except OSError:
            return False
        if process is not None:  # it has closed its folder, and is ending
            with suppress(subprocess.TimeoutExpired):
                process.wait(self.limits.ending)
        return False

    def names(self) -> list[str]:
        """Return the names of all crawls."""
        if not self.folder.is_dir():
            return []
        return sorted(path.name for path in self.folder.iterdir() if re.fullmatch(NAME, path.name))

    def status(self, name: str) -> CrawlStatus:
        """Return what a crawl has come to."""
        folder, running = self._folder(name), self.is_running(name)
        try:
            with opened(folder) as crawl:
                summary, record = crawl.summary(), crawl.told()
                reasons = crawl.notes()[1]
        except UsageError:  # it has not begun, or could not
            return CrawlStatus(name, running, "", 0, 0, "" if running else self._complaint(folder))
        stopped = "" if running else record.stopped or ""
        if not running and not summary.downloads and reasons:
            stopped = f"no seed could be fetched: {plain(reasons[0])}"
        return CrawlStatus(
            name, running, record.topic, summary.downloads, summary.relevant, stopped
        )

    def search(self, name: str, words: str, most: int = 10) -> list[FoundPage]:
        """Return the pages that speak most of some words; without words, the most relevant."""
        most = max(1, min(most, self.limits.results))
        query = Words(words) if words.strip() else None
        found: list[tuple[float, float, int, FoundPage]] = []
        with self._opened(name) as crawl:
            unpack = unpacker_of(StoredContent)
            for row in crawl.rows(PAGES, AT_ONCE):
                document = unpack(row["words"]).document()
                score = query.evidence(document, row["url"]) if query else row["relevance"]
                if score > 0:
                    snippet = plain(document.text[: self.limits.snippet])
                    page = FoundPage(
                        row["url"], row["title"] or "", round(row["relevance"], 3),
                        bool(row["relevant"]), snippet,
                    )  # fmt: skip
                    found.append((-score, -row["relevance"], row["number"], page))
                    found = sorted(found)[:most] if len(found) > AT_ONCE else found
        return [page for *_, page in sorted(found)[:most]]

    def read(self, name: str, url: str, start: int = 0) -> tuple[Document, str]:
        """Return a page, and a part of its text; the crawl learns that it was worth reading."""
        with self._opened(name) as crawl:
            number, document = self._page(crawl, url)
            learns = teaches(crawl)
        if learns and start == 0:
            remark(self.folder / name, Remark(url, number, True))
        first = max(0, start)
        return document, document.text[first : first + self.limits.characters]

    def say(self, name: str, url: str, more: bool) -> None:
        """Tell a crawl that pages like one are wanted, or are not."""
        with self._opened(name) as crawl:
            number, _ = self._page(crawl, url)
            if not teaches(crawl):
                raise UsageError(f"{name}: its judge does not learn from pages")
        remark(self.folder / name, Remark(url, number, more))

    @contextmanager
    def _opened(self, name: str) -> Iterator[CrawlFolder]:
        folder = self._folder(name)
        if not (folder / "ledger.sqlite").exists():
            raise UsageError(f"{name} has no pages yet; look at its status")
        with opened(folder) as crawl:
            yield crawl

    def folder_of(self, name: str) -> Path:
        """Return the folder of a crawl, for the other commands of Foragers."""
        return self._folder(name)

    def _folder(self, name: str) -> Path:
        if not re.fullmatch(NAME, name) or not (self.folder / name).is_dir():
            known = ", ".join(self.names()) or "none"
            raise UsageError(f"there is no crawl {plain(name)}; there are: {known}")
        return self.folder / name

    def _page(self, crawl: CrawlFolder, url: str) -> tuple[int, Document]:
        row = crawl.connection.execute(PAGE, (url,)).fetchone()
        if row is None:
            raise UsageError(f"{plain(url)} was not fetched by this crawl; search for its pages")
        return int(row["number"]), unpacker_of(StoredContent)(row["words"]).document()

    def _new_name(self, topic: str) -> str:
        stem = re.sub(r"[^a-z0-9]+", "-", topic.lower()).strip("-")[:40].strip("-") or "crawl"
        taken, number = set(self.names()), 1
        while f"{stem}-{number}" in taken:
            number += 1
        return f"{stem}-{number}"

    def _complaint(self, folder: Path) -> str:
        """Return the last line that a crawl without pages has printed."""
        try:
            lines = (folder / "log.txt").read_text(errors="replace").strip().splitlines()
        except OSError:
            lines = []
        return plain(lines[-1]) if lines else "it fetched nothing"


def teaches(crawl: CrawlFolder) -> bool:
    """Return whether the judge of a crawl learns from pages."""
    aim = aim_of(crawl)
    return aim != Target() and teachable(build_judge(aim)) is not None

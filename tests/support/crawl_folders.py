"""Folders of crawls: `crawl_folder(tmp_path, small_world(…))` crawls it and returns the folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import pytest
from msgspec.structs import replace

from foragers.cli.main import main
from foragers.core.loop import Crawl
from foragers.core.protocols import Judge, Strategy, World
from foragers.core.types import Choice, Link, Page, Status
from foragers.judges.keywords import Keywords
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.storage.warc.records import MICROSECONDS, date, record
from foragers.strategies.baselines import BestFirst
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded

FILE = "crawl-00000.warc.gz"


@dataclass
class Archiving:
    """A world around a world that writes the pages it gives into a WARC file."""

    world: World
    path: Path

    @property
    def now(self) -> float:
        return self.world.now

    @property
    def free(self) -> int:
        return self.world.free

    @property
    def left(self) -> float:
        return self.world.left

    @property
    def running(self) -> int:
        return self.world.running

    @property
    def seeds(self) -> Sequence[Link]:
        return self.world.seeds

    def start(self, choice: Choice) -> None:
        self.world.start(choice)

    def finished(self, until: float = inf) -> Sequence[Page]:
        return [self.archived(page) for page in self.world.finished(until)]

    def archived(self, page: Page) -> Page:
        if page.status is not Status.OK:
            return page
        body = f"HTTP/1.1 200 OK\r\n\r\n{page.document.title}".encode()
        headers = {
            "WARC-Type": "response",
            "WARC-Record-ID": f"<urn:uuid:{page.choice.url}>",
            "WARC-Target-URI": page.href,
            "WARC-Date": date(round(page.time * MICROSECONDS)),
            "Content-Type": "application/http; msgtype=response",
        }
        with self.path.open("ab") as file:
            offset = file.tell()
            file.write(record(headers, body, compress=True))
        return replace(page, record=f"{self.path.name}#{offset}")


def crawl_folder(
    path: Path,
    archive: Archive,
    *,
    words: str = "robot arms",
    budget: int = 1000,
    strategy: Strategy | None = None,
    judge: Judge | None = None,
) -> Path:
    """Crawl a world into a new folder, and return it."""
    folder = path / "crawl"
    (folder / "warc").mkdir(parents=True)
    judge = judge or Keywords(words)
    ledger = SqliteLedger(folder / "ledger.sqlite", archive.book, words=True)
    world = Budget(Archiving(Recorded(archive), folder / "warc" / FILE), budget)
    topic = Keywords(words)
    crawl = Crawl(strategy or BestFirst(topic), world, judge, ledger)
    crawl.begin()
    crawl.run()
    ledger.close()
    told = {
        "seeds": [archive.book.href(url) for url in archive.seeds],
        "aim": {"topic": words, "similarity": "keywords"},
        "strategy": "best-first",
        "budget": budget,
        "stopped": "there is nothing left to fetch",
    }
    (folder / "crawl.json").write_text(json.dumps(told))
    return folder


def empty_folder(path: Path, archive: Archive) -> Path:
    """Return the folder of a crawl that has not fetched anything."""
    folder = path / "crawl"
    folder.mkdir()
    SqliteLedger(folder / "ledger.sqlite", archive.book).close()
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Run the command line; return its exit code and what it printed."""
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Return the one line with which a command was refused."""
    code, out, err = said(capsys, *words)
    assert (code, out) == (2, ""), err
    assert err.startswith("foragers: ")
    assert err.count("\n") == 1, err
    return err

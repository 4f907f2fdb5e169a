"""What a crawl shows of itself as it goes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from io import StringIO
from math import inf

import pytest
from rich.console import Console

from foragers.cli.terminal import crawl_view
from foragers.cli.terminal.crawl_view import View
from foragers.cli.terminal.summary import last_ones, print_left_alone
from foragers.core.types import Choice, Link, Status, Visit
from foragers.crawling.progress import LeftAlone
from foragers.evaluation.metrics.counts import CrawlCounts
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import Summary
from foragers.storage.ledger.columns import Facts
from foragers.testing.ledgers import sample


@dataclass
class Shown:
    budget: int = 40
    waiting: int | None = 7
    latest: Estimate | None = None
    before: CrawlCounts = field(default_factory=CrawlCounts)
    awaited: int = 0
    condition: str = ""
    ends: float = inf


def visits() -> list[Visit]:
    """Return a relevant page, another, the first again and unchanged, an error and a skip."""
    link = Link(0, 0, "http://a.test/")
    return [
        sample(Choice(0, 0), links=(link,), relevance=1.0),
        sample(Choice(1, 1), relevance=0.0),
        sample(Choice(0, 0), status=Status.UNCHANGED, relevance=1.0),
        sample(Choice(2, 2), status=Status.MISSING),
        sample(Choice(3, 3), status=Status.SKIPPED),
    ]


def shown(crawl: Shown, *, terminal: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(crawl_view, "LINE_EVERY", 0.0)
    file = StringIO()
    console = Console(file=file, width=100, force_terminal=terminal)
    with View(console, crawl) as view:
        view.update(visits())
    return file.getvalue()


def test_a_line_tells_all_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    line = shown(Shown(), terminal=False, monkeypatch=monkeypatch)
    for part in (
        "4 of 40 downloads",
        "1 relevant (25%, lately 25%)",
        "3 hosts",
        "1 error (1 × missing),",
        "1 skipped,",
        "7 waiting",
    ):
        assert part in line
    assert "last http://a.test/" in line


def test_a_terminal_shows_a_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = shown(Shown(), terminal=True, monkeypatch=monkeypatch)
    for part in ("4 of 40", "25%", "pages waiting", "skipped", "last relevant", "http://a.test/"):
        assert part in panel


def test_a_crawl_that_goes_on_counts_from_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    before = CrawlCounts(downloads=10, errors=2, skipped=1, hosts={1, 5}, versions={-2, -3, -4, -5})
    line = shown(Shown(before=before), terminal=False, monkeypatch=monkeypatch)
    for part in ("14 of 40 downloads", "5 relevant", "4 hosts", "3 errors"):
        assert part in line


def test_the_time_that_is_left_is_no_longer_than_the_time_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crawl = Shown(budget=10**9, ends=time.time() + 30)
    line = shown(crawl, terminal=False, monkeypatch=monkeypatch)
    assert "0:00:2" in line or "0:00:1" in line


@pytest.mark.parametrize("terminal", [False, True])
def test_what_goes_wrong_is_said_with_its_reasons(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = [(Status.MISSING, "404"), (Status.MISSING, "404"), (Status.FAILED, "timeout: 30 s")]
    skipped = [(Status.SKIPPED, f"reason {letter}") for letter in "abcde"]
    some = [
        sample(Choice(number, 0), status=status, reason=reason)
        for number, (status, reason) in enumerate(failed + skipped)
    ]
    monkeypatch.setattr(crawl_view, "LINE_EVERY", 0.0)
    file = StringIO()
    with View(Console(file=file, width=100, force_terminal=terminal), Shown()) as view:
        view.update(some)
    said = file.getvalue()
    assert "2 × 404 not found, 1 × timeout" in said
    assert "1 × reason a, 1 × reason b, 1 × reason c, 2 others" in said
    assert "a second" in said


def test_each_row_of_the_panel_is_label_number_and_remark() -> None:
    view = View(Console(file=StringIO()), Shown())
    view.update(visits())
    rows = list(view._rows())
    assert [row[0] for row in rows] == ["downloads", "relevant", "hosts", "errors", "skipped"]
    assert [row[1] for row in rows] == ["4 of 40", "1", "3", "1", "1"]
    assert rows[3][2] == "1 × missing"


def test_hosts_to_be_asked_again_are_named_with_their_time() -> None:
    file = StringIO()
    print_left_alone([LeftAlone("a.test", 86_400.0, 3)], Console(file=file, width=100))
    assert "a.test" in file.getvalue()
    assert "1970-01-02 00:00 UTC" in file.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_hosts_that_are_waited_for_are_said(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "waiting for better pages on 3 hosts" in shown(
        Shown(awaited=3), terminal=terminal, monkeypatch=monkeypatch
    )
    assert "waiting for" not in shown(Shown(), terminal=terminal, monkeypatch=monkeypatch)


def test_of_many_hosts_to_be_asked_again_the_others_are_counted() -> None:
    file = StringIO()
    hosts = [LeftAlone(f"h{n}.test", 86_400.0 + n, 1) for n in range(8)]
    print_left_alone(hosts, Console(file=file, width=100))
    assert "h4.test" in file.getvalue()
    assert "h5.test" not in file.getvalue()
    assert "and 3 more" in file.getvalue()


def test_the_last_downloads_are_as_many_as_there_were() -> None:
    assert last_ones(Summary(downloads=7, harvest_lately=0.5)) == "of the last 7: 50.0%"
    assert last_ones(Summary(downloads=700, harvest_lately=0.5)) == "of the last 100: 50.0%"


def test_the_time_that_is_left_is_told_by_the_pace_since_the_crawl_goes_on() -> None:
    crawl = Shown(budget=140, before=CrawlCounts(downloads=96))
    view = View(Console(file=StringIO(), width=100), crawl)
    view.update(visits())  # four downloads
    view._started -= 400
    assert view._left() in ("1:06:40", "1:06:41", "1:06:42")  # 40 more, 100 seconds each


def test_what_a_ledger_tells_is_counted_as_it_was_while_it_was_written() -> None:
    statuses = ("ok", "ok", "missing", "refused", "failed", "unwanted", "unchanged", "skipped")
    rows = [
        (n, n, status, 0.0, 0.0, 7 if status == "ok" else -1, 0.0, "", -1, 0, 1.0, n < 2)
        for n, status in enumerate(statuses)
    ]
    tally = CrawlCounts.of(Facts.from_rows(rows), [place // 2 for place in range(8)])
    assert (tally.downloads, tally.relevant, tally.errors, tally.skipped) == (7, 1, 3, 1)
    assert tally.hosts == {0, 1, 2, 3}


def test_errors_are_pages_that_should_have_come() -> None:
    tally = CrawlCounts()
    for number, status in enumerate(Status):
        tally.add(sample(Choice(number, number), status=status))
    assert (tally.errors, tally.skipped, tally.downloads) == (3, 1, len(Status) - 1)
    silent = (Status.SKIPPED, Status.FAILED)
    assert len(tally.hosts) == len(Status) - len(silent)

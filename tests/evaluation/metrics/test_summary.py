"""What a crawl came to, worked out by hand."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from foragers.cli.terminal.summary import print_summary
from foragers.evaluation.metrics.calibration import calibration
from foragers.evaluation.metrics.counts import downloaded
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import (
    ErrorTally,
    HostTally,
    OutcomeCounts,
    Summary,
    part,
    summarise,
)
from foragers.storage.ledger.columns import Facts

STATUSES = ["ok", "ok", "missing", "failed", "missing", "skipped", "ok", "unwanted", "unchanged"]
HOSTS = ["a", "a", "b", "a", "b", "b", "a", "a", "a"]
REASONS = ["", "", "404", "timeout", "404", "robots.txt", "", "image/png", "304"]


def facts(statuses: list[str], relevant: list[bool], promises: list[float] | None = None) -> Facts:
    count = len(statuses)
    numbers = range(count)
    rows = [
        (url, url, status, 10.0 + url, 0.0, url if status == "ok" else -1, promise, "", -1, 0,
         float(good), good)
        for url, status, good, promise in zip(
            numbers, statuses, relevant, promises or [0.0] * count, strict=True
        )
    ]  # fmt: skip
    return Facts.from_rows(rows)


@pytest.fixture
def summary() -> Summary:
    good = [True, False, False, False, False, False, True, False, True]
    return summarise(facts(STATUSES, good), HOSTS, REASONS)


def test_what_was_skipped_is_no_download(summary: Summary) -> None:
    assert summary.downloads == 8
    assert summary.statuses["skipped"] == 1


def test_harvest_is_relevant_pages_for_each_download(summary: Summary) -> None:
    assert (summary.relevant, summary.harvest) == (2, 2 / 8)


def test_the_last_hundred_are_counted_apart() -> None:
    found = summarise(facts(["ok"] * 300, [True] * 150 + [False] * 125 + [True] * 25),
                      ["a"] * 300, [""] * 300)  # fmt: skip
    assert (found.harvest, found.harvest_lately) == (175 / 300, 0.25)


def test_a_version_counts_once() -> None:
    twice = facts(["ok", "ok"], [True, True])
    twice.versions[:] = 7
    assert summarise(twice, ["a", "a"], ["", ""]).relevant == 1


def test_errors_are_pages_that_should_have_come(summary: Summary) -> None:
    assert summary.errors == 3
    assert summary.worst_errors == (
        ErrorTally("b", "missing", "404", 2),
        ErrorTally("a", "failed", "timeout", 1),
    )


def test_hosts_are_ranked_by_downloads(summary: Summary) -> None:
    assert summary.hosts == 2
    assert summary.top_hosts == (HostTally("a", 6, 2, 1), HostTally("b", 2, 0, 2))


def test_outcomes_are_ranked_by_number(summary: Summary) -> None:
    assert summary.outcomes[:2] == (OutcomeCounts("ok", "", 3), OutcomeCounts("missing", "404", 2))


def test_time_runs_from_the_first_answer_to_the_last(summary: Summary) -> None:
    assert (summary.began, summary.ended, summary.seconds) == (10.0, 18.0, 8.0)


def test_only_the_worst_are_listed() -> None:
    hosts = [f"h{number:02d}" for number in range(50)]
    found = summarise(facts(["missing"] * 50, [False] * 50), hosts, ["x"] * 50)
    assert (found.hosts, len(found.top_hosts), len(found.worst_errors)) == (50, 20, 20)


def test_nothing_sums_up_to_nothing() -> None:
    assert summarise(facts([], []), [], []) == Summary()
    skipped = summarise(facts(["skipped"], [False]), ["a"], ["robots.txt"])
    assert (skipped.downloads, skipped.harvest, skipped.top_hosts) == (0, 0.0, ())


def test_a_part_of_the_facts_has_all_columns() -> None:
    whole = facts(STATUSES, [True] * 9)
    some = part(whole, downloaded(whole))
    assert len(some) == 8
    assert some.urls.tolist() == [0, 1, 2, 3, 4, 6, 7, 8]


def test_equal_promises_share_a_bin() -> None:
    even = facts(["ok"] * 4, [True, False, True, True], [0.1, 0.1, 0.1, 0.9])
    bins = calibration(even)
    assert [one.downloads for one in bins] == [3, 1]
    assert [one.promise for one in bins] == pytest.approx([0.1, 0.9])
    assert [one.relevant for one in bins] == pytest.approx([2 / 3, 1.0])


def test_bins_hold_everything_once() -> None:
    rng = np.random.default_rng(1)
    promises = rng.random(1003).tolist()
    bins = calibration(facts(["ok"] * 1003, [False] * 1003, promises))
    assert sum(one.downloads for one in bins) == 1003
    assert len(bins) == 10
    assert all(one.low <= one.promise <= one.high for one in bins)
    assert calibration(facts(["ok"], [True], [float("inf")])) == ()
    assert calibration(facts([], [])) == ()


def printed(summary: Summary, stopped: str, estimate: Estimate | None = None) -> str:
    text = io.StringIO()
    print_summary(summary, stopped, Console(file=text, width=80), estimate)
    return text.getvalue()


def test_the_summary_fits_a_terminal() -> None:
    hosts = ["a-very-long-name-of-a-host." * 4] * 9
    reasons = ["[bold]a \x1b[31mreason\x07 " + "that goes on " * 20] * 9
    text = printed(summarise(facts(STATUSES, [True] * 9), hosts, reasons), "stopped " * 30)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "[bold]a" in text
    assert not set("\x1b\x07") & set(text)


def test_the_summary_says_why_it_stopped(summary: Summary) -> None:
    text = printed(summary, "the budget of 8 downloads is spent")
    for words in ("downloads", "25.0%", "404", "the budget of 8 downloads is spent"):
        assert words in text
    assert "downloads" in printed(Summary(), "")


def test_it_is_said_that_recall_is_not_estimated_where_there_is_no_end_of_what_is_new() -> None:
    assert "not estimated: new pages never end" in printed(Summary(downloads=3), "")
    known = Estimate(found=2, low=2, waiting=4)
    assert "not estimated" not in printed(Summary(downloads=3), "", known)

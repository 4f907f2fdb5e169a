"""A watch of a real site over real HTTP: it is found what is published, also after a kill."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from foragers.core.clock import steady
from foragers.errors import UsageError
from foragers.watching.events import Event, EventKind
from foragers.watching.report import watch_report
from foragers.watching.status import read_status
from foragers.watching.watch_options import WatchOptions
from foragers.watching.watching import EVENTS, Watching, events_in
from support.crawling import crawl
from support.news_site import NewsSite, made_up, served

MOST = 900
"""Seconds after which a watch that has not found what it should has failed."""


def options(
    site: NewsSite, *more: str, requests: str = "1000000", changes: bool = False
) -> WatchOptions:
    return WatchOptions(
        seeds=(*more, site.url()),
        allow_private=("127.0.0.1",),
        every="1s",
        requests=requests,
        changes=changes,
        delay=0.0,
        duration=f"{MOST}s",
    )


class Patient:
    """Ends a watch when a condition holds; a slow machine only takes longer."""

    def __init__(self, done: Callable[[Watching], bool]) -> None:
        self.done = done

    def __call__(self, watching: Watching) -> None:
        if self.done(watching):
            watching.session.live.stop()


def new_in(events: list[Event]) -> list[str]:
    return [one.url for one in events if one.event is EventKind.NEW]


def run(order: WatchOptions, folder: Path, done: Callable[[Watching], bool]) -> Watching:
    watching = Watching.open(order, folder, lambda _: None, lambda _: None)
    with watching:
        watching.run(Patient(done))
    return watching


def test_what_is_published_is_found_once_also_after_a_kill(tmp_path: Path) -> None:
    with served(NewsSite(old=20)) as site:
        first = [site.article_url(n) for n in (21, 22)]

        def publish(watching: Watching) -> bool:
            if watching.visits > 10 and 21 not in site.articles:
                site.publish(21)
                site.publish(22)
            return watching.new >= 2

        run(options(site), tmp_path, publish)
        told = events_in(tmp_path)
        assert sorted(new_in(told)) == sorted(first)
        starts = {made_up(Random(number)) for number in (21, 22)}
        assert {one.summary.partition(" ")[0] for one in told} == starts, "not the menu"
        with (tmp_path / EVENTS).open("ab") as file:
            file.write(b'{"event":"new","url":"http://torn')  # as a kill may leave it
        (tmp_path / "checkpoint").unlink()
        site.publish(23)
        run(options(site), tmp_path, lambda watching: watching.new >= 3)
    found = new_in(events_in(tmp_path))
    assert sorted(found) == sorted([*first, site.article_url(23)])
    status = read_status(tmp_path)
    assert (status.new, status.running) == (3, False)
    assert "Story 23" in watch_report(tmp_path)


@pytest.mark.parametrize("pause", [0.0, 600.0])
def test_a_signal_ends_a_watch_without_a_checkpoint_unless_a_host_wants_a_pause(
    tmp_path: Path, pause: float
) -> None:
    def end(watching: Watching) -> bool:
        if watching.visits > 10 and 21 not in site.articles:
            site.publish(21)
        if watching.new:
            downloads = watching.session.live.downloads
            downloads.throttle.restore({"a.test": (steady() + pause, 0)})
            signal.raise_signal(signal.SIGTERM)
        return False

    with served(NewsSite(old=20)) as site:
        first = run(options(site), tmp_path, end)
        assert first.session.stopped == "interrupted"
        assert (tmp_path / "checkpoint").exists() == (pause > 0)
        site.publish(22)
        again = run(options(site), tmp_path, lambda watching: watching.new >= 2)
    assert new_in(events_in(tmp_path)) == [site.article_url(n) for n in (21, 22)]
    assert again.session.live.closed_for(60.0).keys() == ({"a.test"} if pause else set())


def test_a_watch_with_other_limits_is_refused(tmp_path: Path) -> None:
    with served(NewsSite(old=3)) as site:
        run(options(site), tmp_path, lambda watching: watching.visits >= 2)
        with pytest.raises(UsageError, match="--requests"):
            run(options(site, requests="7/day"), tmp_path, lambda _: True)


def test_a_watch_does_not_go_on_with_a_crawl(tmp_path: Path) -> None:
    with served(NewsSite(old=3)) as site:
        crawl(tmp_path, site.url(), budget=2)
        with pytest.raises(UsageError, match="holds a crawl, not a watch"):
            run(options(site), tmp_path, lambda _: True)


def test_new_pages_are_found_after_the_clock_was_put_back_and_then_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, jumps, jump = time.time, [-7200.0, -6300.0], [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + jump[0])

    def publish(watching: Watching) -> bool:
        if watching.visits > 10 and 21 not in site.articles:
            site.publish(21)
        if jumps and 0 < watching.new == max(site.articles) - 20:
            jump[0] = jumps.pop(0)
            site.publish()
        return watching.new >= 3

    with served(NewsSite(old=20)) as site:
        run(options(site), tmp_path, publish)
    assert new_in(events_in(tmp_path)) == [site.article_url(n) for n in (21, 22, 23)]


def test_a_site_out_of_reach_does_not_end_a_watch_nor_delay_another(tmp_path: Path) -> None:
    with served(NewsSite(old=5)) as dead:
        gone = dead.url()
    with served(NewsSite(old=5)) as site:

        def publish(watching: Watching) -> bool:
            if watching.visits > 5 and 6 not in site.articles:
                site.publish(6)
            return watching.new >= 1

        begun = time.time()
        run(options(site, gone), tmp_path, publish)
        assert time.time() - begun < MOST - 1, "the deadline ended it, not the new page"
    assert new_in(events_in(tmp_path)) == [site.article_url(6)]


def test_only_the_watch_itself_cuts_off_a_torn_line(tmp_path: Path) -> None:
    torn = b'{"event":"new","url":"u","site":"s","found":1.0,"visit":1}\n{"event"'
    (tmp_path / EVENTS).write_bytes(torn)
    assert len(events_in(tmp_path)) == 1
    assert (tmp_path / EVENTS).read_bytes() == torn  # a running watch may be writing it
    assert len(events_in(tmp_path, repair=True)) == 1
    assert (tmp_path / EVENTS).read_bytes() == torn[: torn.index(b"\n") + 1]


def test_a_site_that_refuses_at_first_is_not_given_up_nor_are_its_old_pages_new(
    tmp_path: Path,
) -> None:
    with served(NewsSite(old=8, refuses=True)) as site:

        def publish(watching: Watching) -> bool:
            if site.refuses and watching.visits > 1:
                site.refuses = False
            elif watching.visits > 10 and 9 not in site.articles:
                site.publish(9)
            return watching.new >= 1

        run(options(site), tmp_path, publish)
    assert new_in(events_in(tmp_path)) == [site.article_url(9)]


def test_changed_and_removed_articles_are_reported_also_old_ones(tmp_path: Path) -> None:
    with served(NewsSite(old=6)) as site:
        changed, removed = [site.article_url(n) for n in (2, 7)], site.article_url(3)

        def edit(watching: Watching) -> bool:
            if watching.visits > 10 and 7 not in site.articles:
                site.publish(7)
            elif watching.new and not site.texts:
                site.texts = dict.fromkeys((2, 7), "The mayor has now resigned from office.")
                site.removed.add(3)
            return {one.url for one in told(watching)} >= {*changed, removed}

        def told(watching: Watching) -> list[Event]:
            return [one for one in watching.events if one.event is not EventKind.NEW]

        watching = run(options(site, changes=True), tmp_path, edit)
    found = sorted((one.event.value, one.url) for one in told(watching))
    assert found == sorted([*(("changed", url) for url in changed), ("removed", removed)])
    diffs = [one.diff for one in told(watching) if one.event is EventKind.CHANGED]
    assert all("+ The mayor has now resigned" in diff for diff in diffs)


def test_a_site_that_begins_to_refuse_is_left_alone_more_and_more(tmp_path: Path) -> None:
    with served(NewsSite(old=40)) as site:

        def refuse(watching: Watching) -> bool:
            if watching.visits > 5 and not site.refuses:
                site.refuses = True
                site.log.clear()
            return site.refuses and len(site.log) >= 8

        watching = run(options(site), tmp_path, refuse)
    times = [moment for moment, _ in site.log]
    assert times[7] - times[5] > 2.5, "after five refusals it waits 1 s, then 2 s"
    assert watching.strategy.sites[0].fresh or watching.strategy.sites[0].unseen_count


def test_a_page_that_failed_is_not_requested_again_within_the_shortest_time_between_looks(
    tmp_path: Path,
) -> None:
    with served(NewsSite(old=40)) as site:

        def fail(watching: Watching) -> bool:
            if watching.visits > 5 and not site.is_down:
                site.is_down = True
                site.log.clear()
            return site.is_down and len(site.log) >= 4

        run(replace(options(site), every="80s"), tmp_path, fail)
    failed = [path for _, path in site.log]
    assert len(set(failed)) == len(failed) >= 4


def test_with_few_requests_new_articles_are_reported_by_their_links(tmp_path: Path) -> None:
    with served(NewsSite(old=40)) as site:

        def publish(watching: Watching) -> bool:
            if watching.visits > 5 and 41 not in site.articles:
                for number in range(41, 51):
                    site.publish(number)
            return watching.new >= 10

        run(options(site, requests="200"), tmp_path, publish)  # 20 at once
        found = events_in(tmp_path)
        assert sorted(new_in(found)) == sorted(site.article_url(n) for n in range(41, 51))
        unread = [one for one in found if not one.fetched]
        assert len(unread) >= 3
        assert all(one.title.startswith("Story") for one in unread)
        assert sum("story" in path for _, path in site.log) < 20
        status = read_status(tmp_path)
        assert (status.new, status.unfetched, status.withdrawn) == (10, len(unread), 0)
        assert "not fetched yet" in watch_report(tmp_path)
        assert "not fetched yet" in (tmp_path / "feed.atom").read_text()
        again = run(options(site, requests="200"), tmp_path, lambda watching: True)
        assert again.new == 10, "none is reported again"


@pytest.mark.parametrize("requests", ["1000000", "400"])
def test_a_box_of_old_articles_without_dates_is_not_taken_for_news(
    tmp_path: Path, requests: str
) -> None:
    with served(NewsSite(old=200, feed=False, box=6)) as site:

        def publish(watching: Watching) -> bool:
            looks = sum(path == "/" for _, path in site.log)
            if looks > 2 and len(site.articles) < 200 + looks // 2:
                site.publish()
            return watching.new >= 4

        run(options(site, requests=requests), tmp_path, publish)
        old = {site.article_url(n) for n in range(1, 201)}
        found = new_in(events_in(tmp_path))
    assert len(found) >= 4
    assert not old & set(found)


def test_modification_dates_of_a_sitemap_reach_the_strategy_also_after_a_kill(
    tmp_path: Path,
) -> None:
    def named(watching: Watching) -> int:
        return int((watching.strategy.sources.rows["named"] > 0).sum())

    with served(NewsSite(old=12, feed=False, sitemap=True)) as site:
        first = run(options(site, changes=True), tmp_path, lambda watching: named(watching) >= 5)
        (tmp_path / "checkpoint").unlink()
        again = run(options(site, changes=True), tmp_path, lambda _: True)
    assert named(again) >= named(first) >= 5

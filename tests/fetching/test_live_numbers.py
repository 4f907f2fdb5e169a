"""One crawl, told by the panel, the summary, the report, the JSON and `explain`: all agree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from foragers.cli.main import main
from foragers.cli.terminal import crawl_view
from foragers.core.types import Status
from foragers.crawling import session as sessions
from foragers.crawling.settings import SessionSettings
from foragers.fetching.settings import FetchSettings, OutageSettings
from foragers.reports.crawl_folder import opened
from foragers.reports.html_report import report
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.urls.table import UrlTable
from support.crawling import serving
from support.hostile_server import HostileServer, page, redirect, reply

SITE = {
    "/robots.txt": reply("User-agent: *\nDisallow: /closed", kind="text/plain"),
    "/": page("/a", "/b", "/closed", "/gone", "/moved", "/list", "/broken", words="the tide"),
    "/a": page(words="the tide comes in, says the first page"),
    "/b": page(words="nothing of it here"),
    "/moved": redirect("/c"),
    "/c": page(words="the tide goes out, says the page behind the redirect"),
    "/list": reply("%PDF-1.4", kind="application/pdf"),
    "/broken": reply("no", "500 No"),
}


def command(server: HostileServer, folder: Path, *more: str) -> list[str]:
    elsewhere = "http://127.0.0.1:9/"  # nobody listens there
    return [
        *("crawl", server.url("/"), elsewhere, "--topic", "tide", "--threshold", "0.1"),
        *("--strategy", "breadth-first", "--delay", "0", "--allow-private", "127.0.0.0/8"),
        *("--budget", "30", "--out", str(folder), "--json", str(folder / "told.json"), *more),
    ]


Crawled = tuple[Path, HostileServer, str]
"""The folder of a crawl, its server and what was printed."""


@pytest.fixture
def crawled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Crawled]:
    """Crawl with skips, failures, errors and redirects; return the folder and what was printed."""
    monkeypatch.setattr(crawl_view, "LINE_EVERY", 0.0)
    fetching = FetchSettings(outages=OutageSettings(give_up_new=0.0))
    settings = SessionSettings(fetching)  # no option sets it
    monkeypatch.setattr(sessions, "DEFAULT_SETTINGS", settings)
    with serving(SITE) as server:
        assert main(command(server, tmp_path)) == 0
        yield tmp_path, server, capsys.readouterr().out


def again(folder: Path) -> None:
    """Let the crawl visit a relevant page once more, unchanged, and one that is skipped."""
    table = UrlTable()
    ledger = SqliteLedger(folder / "ledger.sqlite", table)
    visits = list(ledger.read())
    for one in visits:
        href = ledger.href(one.page.choice.url)
        if href.endswith(("/a", "/closed")):
            is_page = one.page.status is Status.OK
            status = Status.UNCHANGED if is_page else one.page.status
            ledger.append([replace(one, page=replace(one.page, status=status))])
    ledger.close()


def numbers(folder: Path) -> dict[str, int]:
    """Return what the report says."""
    with opened(folder) as crawl:
        html = report(crawl)
    found = re.findall(r"<dt>([^<]+)</dt><dd>([\d,]+)<", html)
    return {name: int(value.replace(",", "")) for name, value in found}


def test_all_that_counts_a_crawl_comes_to_the_same(crawled: Crawled) -> None:
    folder, _, printed = crawled
    told = json.loads((folder / "told.json").read_text())
    assert (told["downloads"], told["relevant"], told["hosts"]) == (7, 3, 1)
    assert (told["errors"], told["skipped"]) == (2, 2)
    assert told["downloads"] + told["skipped"] == sum(told["statuses"].values())
    line = [text for text in printed.splitlines() if " of 30 downloads" in text][-1]
    for part in ("7 of 30 downloads", "3 relevant", "1 host,", "2 errors", "2 skipped"):
        assert part in line
    for name in ("downloads", "errors", "skipped"):
        assert re.search(rf"^\s*{name}\s+{told[name]}\b", printed, re.MULTILINE), name
    assert re.search(r"^\s*downloads\s+7\s+1 host answered", printed, re.MULTILINE)
    shown = numbers(folder)
    for name in ("downloads", "hosts", "errors", "skipped"):
        assert shown[name] == told[name], name
    assert shown["relevant pages"] == told["relevant"]


def test_visits_once_more_are_downloads_and_no_finds(crawled: Crawled) -> None:
    folder, *_ = crawled
    before = numbers(folder)
    again(folder)
    after = numbers(folder)
    assert after["downloads"] == before["downloads"] + 1
    assert after["skipped"] == before["skipped"] + 1
    assert (after["relevant pages"], after["hosts"]) == (before["relevant pages"], before["hosts"])


def test_a_crawl_taken_up_counts_on(crawled: Crawled, capsys: pytest.CaptureFixture[str]) -> None:
    folder, server, _ = crawled
    again(folder)
    assert main(command(server, folder)) == 0
    printed = capsys.readouterr().out
    told = json.loads((folder / "told.json").read_text())
    line = [text for text in printed.splitlines() if " of 30 downloads" in text][-1]
    assert told["downloads"] == 8
    for part in ("8 of 30 downloads", "3 relevant", "1 host,", f"{told['skipped']} skipped"):
        assert part in line


def test_what_brought_no_page_is_told_by_reason(crawled: Crawled) -> None:
    folder, _, printed = crawled
    told = json.loads((folder / "told.json").read_text())
    outcomes = {(one["status"], one["reason"]): one["count"] for one in told["outcomes"]}
    expected = {
        ("skipped", "robots.txt"): 1,
        ("skipped", "robots.txt could not be fetched: connection refused"): 1,
        ("missing", "404"): 1,
        ("failed", "500"): 1,
        ("unwanted", "content type application/pdf"): 1,
    }
    assert {what: outcomes.get(what) for what in expected} == expected
    for status, reason in expected:
        assert re.search(rf"{status}\s+{re.escape(reason)}", printed), reason


def test_explain_counts_downloads_and_knows_what_was_skipped(
    crawled: Crawled, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, server, _ = crawled
    home, found = server.url("/"), {}
    for path in ("", "a", "closed"):
        assert main(["explain", str(folder), home + path, "--json"]) == 0
        found[path] = json.loads(capsys.readouterr().out)
    assert found[""]["path"][-1]["download"] == 1
    assert found["a"]["fetched"]
    assert found["a"]["path"][-1]["download"] <= 7
    closed = found["closed"]
    assert (closed["fetched"], closed["downloads"]) == (False, [])
    assert (closed["path"][-1]["download"], len(closed["skips"])) == (None, 1)
    main(["explain", str(folder), home + "closed"])
    printed = capsys.readouterr().out
    assert "not fetched" in printed
    assert "skipped robots.txt" in printed
    assert "relevance 0" not in printed.splitlines()[2]


def test_a_page_that_others_redirect_to_is_explained_by_its_own_download(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = {"/": page("/a", words="home"), "/a": page("/old"), "/old": redirect("/")}
    with serving(site) as server:
        home = server.url("/")
        options = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--out", str(tmp_path)]
        assert main(["crawl", home, *options, "--strategy", "breadth-first"]) == 0
        capsys.readouterr()
        assert main(["explain", str(tmp_path), home]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == home
    assert "download 1" in printed
    assert "a seed" in printed

"""`foragers report`: one HTML file, in which the web's words are only words."""

from __future__ import annotations

import json
import re
import sqlite3
from html.parser import HTMLParser
from pathlib import Path

import pytest

import foragers
from foragers.cli.main import main
from foragers.core.display import duration
from foragers.evaluation.plots.page_colours import SCHEME
from foragers.reports.crawl_folder import opened
from foragers.reports.html import link
from foragers.reports.html_report import best
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.worlds.generated import generate
from support.crawl_folders import crawl_folder, empty_folder, refused, said
from support.crawling import serving
from support.hostile_server import page
from support.worlds_by_hand import address, small_world

SCRIPT = "robot arms <script>alert(1)</script><img src=x onerror=alert(1)>"


class Elements(HTMLParser):
    """All elements of a page, and the addresses that it points at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.targets: list[str] = []
        self.events: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        for name, value in attrs:
            if name in ("href", "src", "xlink:href"):
                self.targets.append(value or "")
            if name.startswith("on"):
                self.events.append(name)


def reported(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    code, out, _ = said(capsys, "report", folder)
    assert (code, "report.html" in out) == (0, True)
    return (folder / "report.html").read_text(encoding="utf-8")


def test_a_report_has_all_its_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = crawl_folder(tmp_path, generate("topics", seed=1, pages=600), budget=300)
    text = reported(capsys, folder)
    assert text.count("<svg") == 2 * 2 + 3  # the harvest twice, each for wide and narrow screens
    assert text.count('<p class="note">') >= 2 + 3  # each says how to read it
    parts = (
        "Crawl: topic “robot arms”", "there is nothing left to fetch", "harvest rate",
        "<h2>Harvest", "<h2>Hosts",
        "Promise and outcome", "Distance from the seeds",
    )  # fmt: skip
    assert [part for part in parts if part not in text] == []
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_a_report_needs_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = crawl_folder(tmp_path, small_world({"home": ["a"], "a": []}))
    text = reported(capsys, folder)
    found = Elements(text)
    assert not found.names & {"script", "img", "link", "iframe", "object", "embed"}
    outside = [target for target in found.targets if not target.startswith("#")]
    assert set(outside) <= {address("home"), address("a")}
    assert "default-src 'none'" in text


def test_pictures_have_no_ids_that_could_meet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = crawl_folder(tmp_path, generate("topics", seed=1, pages=300))
    pictures = re.findall(r"<svg.*?</svg>", reported(capsys, folder), re.DOTALL)
    assert pictures
    for picture in pictures:
        assert not re.search(r"""\bid=|url\(|href=""", picture)


def test_hostile_words_stay_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = small_world({"home": ["t"], "t": []}, texts={"t": SCRIPT, "home": "robot arms"})
    folder = crawl_folder(tmp_path, world, words="robot arms")
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute(
        "UPDATE visits SET status = 'failed', reason = ? WHERE number = 1", (SCRIPT,)
    )
    connection.execute("UPDATE urls SET href = 'javascript:alert(\"<b>\")' WHERE href = ?",
                       (address("t"),))  # fmt: skip
    connection.commit()
    connection.close()
    told = {"seeds": ["javascript:alert(2)", SCRIPT], "topic": SCRIPT, "stopped": SCRIPT}
    (folder / "crawl.json").write_text(json.dumps(told))
    found = Elements(text := reported(capsys, folder))
    assert "&lt;script&gt;alert(1)" in text
    assert not found.names & {"script", "img", "b"}
    assert found.events == []
    assert not [target for target in found.targets if "javascript" in target]


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "JAVASCRIPT:x", " javascript:x", "data:text/html,x", "//x", ""]
)
def test_only_addresses_of_the_web_become_links(url: str) -> None:
    assert "<a" not in link(url, "words")


def test_an_address_cannot_leave_its_attribute() -> None:
    made = link('http://a.test/"onmouseover="alert(1)', "words")
    assert Elements(made).events == []
    assert Elements(made).targets == ['http://a.test/"onmouseover="alert(1)']


def test_a_crawl_that_has_fetched_nothing_has_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = reported(capsys, empty_folder(tmp_path, small_world({"home": []})))
    assert "Nothing has been fetched yet" in text
    assert "<svg" not in text


def test_a_crawl_that_found_nothing_has_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = crawl_folder(tmp_path, small_world({"home": ["gone"]}))
    text = reported(capsys, folder)
    assert "Hosts with errors" in text
    assert "Most relevant pages" not in text


@pytest.mark.parametrize("told", ["", "[1, 2]", '{"seeds": 3, "budget": "many", "aim": 7}'])
def test_odd_options_do_no_harm(
    told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = crawl_folder(tmp_path, small_world({"home": []}))
    (folder / "crawl.json").write_text(told)
    assert "<svg" in reported(capsys, folder)


def test_promises_of_any_size_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = crawl_folder(tmp_path, small_world({"home": ["a", "b"], "a": [], "b": []}))
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute("UPDATE visits SET promise = 9e999 WHERE number = 1")
    connection.execute("UPDATE visits SET promise = -1e6, depth = 4000 WHERE number = 2")
    connection.commit()
    connection.close()
    assert "<svg" in reported(capsys, folder)


def test_a_crawl_that_goes_on_can_be_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = small_world({"home": ["a"], "a": []})
    folder = crawl_folder(tmp_path, world)
    ledger = SqliteLedger(folder / "ledger.sqlite", world.book)
    ledger._connection.execute("BEGIN IMMEDIATE")
    assert "<svg" in reported(capsys, folder)
    ledger._connection.rollback()
    ledger.close()


def test_the_report_goes_where_it_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = crawl_folder(tmp_path, small_world({"home": []}))
    assert said(capsys, "report", folder, "--out", tmp_path / "r.html")[0] == 0
    assert (tmp_path / "r.html").exists()
    assert not (folder / "report.html").exists()


def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not a folder" in refused(capsys, "report", tmp_path / "nowhere")


def test_durations_have_two_units() -> None:
    assert [duration(seconds) for seconds in (0, 59.6, 3600, 3725, 90_000)] == [
        "0 s", "1 min 0 s", "1 h 0 min", "1 h 2 min", "1 d 1 h",
    ]  # fmt: skip


def test_pages_come_before_figures_and_reasons_are_grouped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = {
        "/": page("/tea", *(f"/gone{number}" for number in range(3)), words="home"),
        "/tea": page(words="green tea leaves"),
    }
    with serving(site) as server:
        given = ["--topic", "green tea", "--delay", "0", "--allow-private", "127.0.0.0/8"]
        assert main(["crawl", server.url("/"), *given, "--out", str(tmp_path)]) == 0
    text = reported(capsys, tmp_path)
    parts = ("Most relevant pages", "<h2>Harvest", "<h2>Hosts", "What failed, by reason")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert re.search(r"<bdi>404[^<]*</bdi></td><td class=text>missing</td><td>3</td>", text)


def test_the_most_relevant_pages_come_first_and_of_equals_the_first_found(tmp_path: Path) -> None:
    relevance = {"home": 0.1, "a": 0.6, "b": 0.9, "c": 0.7, "d": 0.7}
    world = small_world({"home": list("abcd"), **{name: [] for name in "abcd"}})
    folder = crawl_folder(tmp_path, world, strategy=BreadthFirst())
    ledger = sqlite3.connect(folder / "ledger.sqlite")
    with ledger:
        for name, value in relevance.items():
            ledger.execute("UPDATE visits SET relevance = ?, relevant = 1 WHERE title = ?",
                           (value, name))  # fmt: skip
    ledger.close()
    with opened(folder) as found:
        shown = best(found)
    names = ("b", "c", "d", "a", "home")
    places = [shown.index(f'href="{address(name)}"') for name in names]
    assert places == sorted(places)


def test_pages_on_disk_have_the_colours_of_the_dashboard() -> None:
    style = (Path(foragers.__file__).parent / "serve" / "static" / "style.css").read_text()
    colour = re.compile(r"(--\w+): (#\w+)")
    assert colour.findall(SCHEME) == colour.findall(style)
    assert len(colour.findall(SCHEME)) == 18

"""The web pages of a crawl: what they show, who may read them, and that nothing in them runs."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.cli.serve import free_address
from support.crawling import serving
from support.hostile_server import HostileServer, page
from support.waiting import until

if find_spec("starlette") is None or find_spec("httpx") is None:
    pytest.skip("Starlette is not installed", allow_module_level=True)

from starlette.testclient import TestClient

from foragers.serve.app import FolderSite, site_of
from foragers.serve.settings import ServeSettings

EVIL = "<script>alert(1)</script>"
SITE = {
    "/": page("/tea", "/coffee", "/gone", words="home of drinks"),
    "/tea": page("/green", words=f"green tea leaves are picked {EVIL.replace('<', '&lt;')}"),
    "/green": page(words="green tea leaves from japan, green tea with rice"),
    "/coffee": page(words="coffee is roasted"),
}
LOCAL = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, HostileServer]]:
    folder = tmp_path_factory.mktemp("crawl") / "tea"
    with serving(SITE) as server:
        options = ["--topic", "green tea", "--delay", "0", "--allow-private", "127.0.0.0/8"]
        assert main(["crawl", server.url("/"), *options, "--out", str(folder)]) == 0
        yield folder, server


@pytest.fixture
def site(crawl: tuple[Path, HostileServer]) -> Iterator[FolderSite]:
    made = site_of(crawl[0])
    yield made
    made.data.close()


@pytest.fixture
def client(site: FolderSite) -> Iterator[TestClient]:
    with TestClient(site.app(), base_url=LOCAL) as made:
        yield made


def test_found_pages_come_first_then_numbers_and_reasons(client: TestClient) -> None:
    html = client.get("/").text
    found = re.findall(r'class="title" href="/pages/(\d+)"', html)
    assert len(found) == 2
    assert "Harvest" in html
    assert "404" in html
    assert re.search(r"Through “<bdi>[^<]+</bdi>” on <bdi>[^<]+</bdi>, promise \d", html)
    assert "404 not found" in html
    assert html.index('id="found"') < html.index('id="harvest"') < html.index('id="hosts"')


def test_words_and_filters_choose_pages(
    client: TestClient, crawl: tuple[Path, HostileServer]
) -> None:
    def urls(query: str) -> list[str]:
        return [one["url"] for one in client.get(f"/api/pages?{query}").json()["pages"]]

    server = crawl[1]
    assert urls("q=rice") == [server.url("/green")]
    assert urls("q=green+japan") == [server.url("/green")]
    assert urls('q="') == []
    assert urls("q=%00") == []
    assert urls("q=green%00japan") == [server.url("/green")]
    assert urls("q=NOT+OR+(") == []
    assert set(urls("")) == {server.url("/green"), server.url("/tea")}
    assert len(urls("every=1")) == 4
    assert urls("every=1&host=none.test") == []
    assert urls("every=1&least=1") == []
    assert urls("every=1&page=9") == []
    assert len(urls("every=1&least=&since=&until=&order=")) == 4
    today = client.get("/api/pages").json()["pages"][0]["time"]
    assert len(urls(f"since={today - 60:.0f}")) == 2
    assert urls("until=2000-01-31") == []


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("least=x", "least=x is not a number from 0 to 1"),
        ("least=2", "least=2"),
        ("least=nan", "least=nan"),
        ("since=yesterday", "since=yesterday is not a date such as 2026-01-31"),
        ("since=2026-13-01", "since=2026-13-01"),
        ("until=nan", "until=nan"),
        ("until=1e300", "until=1e300"),
        ("page=0", "page=0 is not a whole number from 1"),
        ("page=-3", "page=-3"),
        (f"page={10**30}", "page=1000"),
        ("page=²", "page=²"),
        ("order=best", "order=best is not relevance or time"),
        ("every=yes", "every=yes is not 0 or 1"),
        ("limit=5", "limit is no parameter here; this address has q, host"),
        ("%3Cscript%3E=5", "<script> is no parameter here"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_refused_in_one_line(
    client: TestClient, query: str, named: str
) -> None:
    answer = client.get(f"/api/pages?{query}")
    assert answer.status_code == 400
    (line,) = answer.json()["error"].splitlines()
    assert line.startswith(named)
    if "parameter here" not in named:
        html = client.get(f"/?{query}")
        assert html.status_code == 400
        assert "Traceback" not in html.text


def test_a_page_says_why_it_was_fetched(
    client: TestClient, crawl: tuple[Path, HostileServer]
) -> None:
    (one,) = client.get("/api/pages?q=rice").json()["pages"]
    html = client.get(f"/pages/{one['number']}").text
    server = crawl[1]
    ways = [html.index(server.url(path)) for path in ("/", "/tea", "/green")]
    assert ways[0] <= ways[2]
    assert client.get("/pages/999999").status_code == 404
    assert client.get(f"/pages/{10**30}").status_code == 404
    why = client.get("/api/explain", params={"url": server.url("/green")}).json()
    assert [step["url"] for step in why["path"]] == [
        server.url("/"), server.url("/tea"), server.url("/green"),
    ]  # fmt: skip
    assert client.get("/api/explain?url=javascript:1").status_code == 400
    until(lambda: "data-reload" not in client.get(f"/pages/{one['number']}/why").text)
    assert "Why it had this promise" in client.get(f"/pages/{one['number']}/why").text


def test_a_long_replay_is_refused_and_the_way_is_shown_nevertheless(
    crawl: tuple[Path, HostileServer],
) -> None:
    site = site_of(crawl[0], settings=ServeSettings(replayed=2))
    url = crawl[1].url("/green")
    with TestClient(site.app(), base_url=LOCAL) as client:
        answer = client.get("/api/explain", params={"url": url})
        assert answer.status_code == 400
        assert answer.json()["error"].endswith("2 are allowed here; use foragers explain")
        number = client.get("/api/pages?q=rice").json()["pages"][0]["number"]
        until(lambda: "data-reload" not in client.get(f"/pages/{number}/why").text)
        html = client.get(f"/pages/{number}/why").text
        assert "use foragers explain" in html
        assert "How the crawl came to it" in html
        unknown = client.get("/api/explain", params={"url": "http://none.test/"})
        assert unknown.status_code == 400


def test_nothing_from_the_web_is_run(client: TestClient) -> None:
    answer = client.get("/?every=1&q=%3Cscript%3E")
    assert EVIL not in client.get("/").text + answer.text
    assert "<script>" not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(
        r"\son\w+=|style=\"", re.sub(r"<svg.*?</svg>", "", answer.text, flags=re.S)
    )


def test_other_sites_cannot_reach_it_through_a_browser(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.test"}).status_code == 421
    assert client.get("/", headers={"host": "127.0.0.1.evil.test:8000"}).status_code == 421
    assert client.get("/", headers={"host": "localhost:8000"}).status_code == 200


def test_feedback_needs_a_post_with_the_token_of_the_page(
    client: TestClient, site: FolderSite, crawl: tuple[Path, HostileServer]
) -> None:
    number = client.get("/api/pages?q=rice").json()["pages"][0]["number"]
    given = {"number": str(number), "wish": "more"}
    file = crawl[0] / "feedback.jsonl"
    assert client.get("/feedback").status_code == 405
    assert client.post("/feedback", data=given).status_code == 403
    assert client.post("/feedback", data={**given, "token": "x"}).status_code == 403
    assert not file.exists()
    told = client.post("/feedback", data={**given, "token": site.token})
    assert "Noted" in told.text
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["more"] is True
    for number in ("../1", str(10**30)):
        wrong = {**given, "token": site.token, "number": number}
        assert client.post("/feedback", data=wrong).status_code == 400


def test_a_password_is_asked_for_where_others_can_reach_it(
    crawl: tuple[Path, HostileServer],
) -> None:
    site = site_of(crawl[0], "secret")
    with TestClient(site.app(), base_url="http://box.test", follow_redirects=False) as client:
        for path in ("/", "/metrics", "/api/pages", "/events", "/pages/1"):
            assert client.get(path).headers["location"] == "/login"
        assert client.post("/login", data={"password": "no"}).status_code == 403
        assert client.get("/", headers={"authorization": "Bearer secret"}).status_code == 200
        client.post("/login", data={"password": "secret"})
        assert client.get("/").status_code == 200
        assert "secret" not in str(client.cookies)


@pytest.mark.parametrize("way", ["form", "header"])
def test_wrong_passwords_are_answered_more_and_more_slowly(
    way: str, crawl: tuple[Path, HostileServer]
) -> None:
    site = site_of(crawl[0], "secret")
    with TestClient(site.app(), base_url="http://box.test", follow_redirects=False) as client:

        def tried(password: str) -> tuple[int, str, str]:
            if way == "form":
                answer = client.post("/login", data={"password": password})
            else:
                answer = client.get("/", headers={"authorization": f"Bearer {password}"})
            return answer.status_code, answer.headers.get("retry-after", ""), answer.text

        wrong = 403 if way == "form" else 401
        assert [tried("no")[0] for _ in range(5)] == [wrong] * 5
        assert tried("secret")[0] in (200, 303)  # and the wrong ones are forgotten
        client.cookies.clear()
        codes = [tried("no")[0] for _ in range(8)]
        assert codes == [wrong] * 6 + [429] * 2
        code, wait, text = tried("secret")
        assert code == 429
        assert 0 < int(wait) <= 10
        assert text.startswith("Too many wrong passwords; try again in")


def test_prometheus_and_the_description_of_the_api(client: TestClient) -> None:
    lines = client.get("/metrics").text.splitlines()
    assert "foragers_downloads 5" in lines
    assert "foragers_relevant_pages 2" in lines
    (last,) = [line.split()[1] for line in lines if line.startswith("foragers_last_page")]
    ended = client.get("/api/status").json()["summary"]["ended"]
    assert float(last) == pytest.approx(ended, abs=0.01)
    told = client.get("/api").json()
    assert {"/api/status", "/api/pages", "/api/explain", "/events", "/metrics"} == set(
        told["paths"]
    )
    for path in set(told["paths"]) - {"/events"}:  # which never ends
        assert client.get(path).status_code == (400 if path == "/api/explain" else 200)
    shape = told["components"]["schemas"]["PageEntry"]["properties"]
    assert set(shape) == set(client.get("/api/pages").json()["pages"][0])
    assert client.get("/api/status").json()["summary"]["relevant"] == 2


def test_no_file_of_the_disk_is_served(client: TestClient) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd"):
        assert client.get(path).status_code == 404
    assert client.get("/static/style.css").status_code == 200


@pytest.mark.parametrize("wrong", ["8000", "127.0.0.1:0", "127.0.0.1:x", "127.0.0.1:99999"])
def test_wrong_addresses_are_refused_in_one_line(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(tmp_path), "--listen", wrong]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "--listen" in line


def test_a_folder_without_a_crawl_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(tmp_path / "none")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert main(["serve", str(tmp_path), "--allow-private", "127.0.0.0/99"]) == 2
    assert "127.0.0.0/99" in capsys.readouterr().err


def test_without_an_address_the_next_free_port_is_taken() -> None:
    first = free_address()
    with socket.create_server(first):
        second = free_address()
    assert first[0] == second[0] == "127.0.0.1"
    assert 8000 <= first[1] < second[1] < 8020

"""The documentation site: built without a warning, complete, and without other hosts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from foragers.cli.main import VERBS
from foragers.strategies.registry import STRATEGIES

pytest.importorskip("mkdocs", reason="MkDocs is not installed: pip install 'foragers[docs]'")
ROOT = Path(__file__).resolve().parents[2]
FETCHED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser fetches by itself: element and attribute."""
BASE = "http://site.test/"


class PageLinks(HTMLParser):
    """Collects what a page links to, what it fetches, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if FETCHED.get(tag) in values:
            self.fetched.append(values[FETCHED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with warnings as errors."""
    out = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(out),
    ]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return out


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, PageLinks]:
    """Read the pages of the site, by path."""
    found: dict[str, PageLinks] = {}
    for file in sorted(site.rglob("*.html")):
        links = found[file.relative_to(site).as_posix()] = PageLinks()
        links.feed(file.read_text(encoding="utf-8"))
    return found


def inside(pages: dict[str, PageLinks]) -> Iterator[tuple[str, str, str, str]]:
    """Give the links within the site: page, as written, path, anchor."""
    for name, page in pages.items():
        if name == "404.html":  # shown at any depth, so its links begin at the root of a server
            continue
        for written in (*page.links, *page.fetched):
            url, anchor = urldefrag(urljoin(BASE + name, written))
            if url.startswith(BASE):
                yield name, written, unquote(urlsplit(url).path[1:]) or "index.html", anchor


def test_links_lead_to_files_and_anchors_that_exist(
    site: Path, pages: dict[str, PageLinks]
) -> None:
    links = list(inside(pages))
    broken = [
        f"{page}: {written}"
        for page, written, path, anchor in links
        if not (site / path).exists()
        or (anchor and path in pages and unquote(anchor) not in {*pages[path].anchors, "__search"})
    ]
    assert len(links) > 1000
    assert not broken, "\n".join(sorted(set(broken)))


def test_pages_fetch_nothing_from_other_hosts(site: Path, pages: dict[str, PageLinks]) -> None:
    foreign = {
        f"{name}: {url}"
        for name, page in pages.items()
        for url in page.fetched
        if urlsplit(url).netloc
    }
    assert not foreign, "\n".join(sorted(foreign))
    styles = [file.read_text(encoding="utf-8") for file in site.rglob("*.css")]
    assert styles
    assert not any("url(http" in style or "@import" in style for style in styles)


def test_every_command_and_strategy_has_a_place(pages: dict[str, PageLinks]) -> None:
    assert set(VERBS) <= pages["reference/commands.html"].anchors
    assert "foragers.crawl" in pages["reference/python.html"].anchors
    missing = [name for name in STRATEGIES if f"strategies/{name}.html" not in pages]
    assert not missing


def test_search_knows_the_pages(site: Path, pages: dict[str, PageLinks]) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"].partition("#")[0] or "index.html" for entry in index["docs"]}
    assert set(pages) - {"404.html"} <= known


def test_formulas_are_drawn_without_a_script(site: Path) -> None:
    texts = [file.read_text(encoding="utf-8") for file in site.rglob("*.html")]
    assert any("<math" in text for text in texts)
    assert not any('class="arithmatex"' in text for text in texts)

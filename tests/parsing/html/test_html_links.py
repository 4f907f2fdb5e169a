"""Where links lead, and pages whose links are told with their own words alone."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from foragers.core.links import ParsedLinks
from foragers.parsing.html.links import AnchorMemory, Targets, resolved
from foragers.parsing.html.parse import MAX_BYTES, parse
from foragers.parsing.html.sanitise import limited
from foragers.parsing.robots_meta import Directives
from foragers.storage.warc.reader import WarcReader
from support.shared_suites import recording

URL = "http://a.test/folder/page.html"
PIECES = [b"<a href=x>one <b>two</b></a>", b"<a href='/y#z' rel=NEXT><img alt=seen></a>", b"<p>"]
PIECES += [b"<a href=mailto:x>no</a>", b"<nav>", b"</nav>", b"<main>text", b"\x01a", b"<script>q"]
PIECES += [b"</script>", b"<table><a href=q>in</a>", b"<iframe src=f>", b"<area href=g alt=h>"]
PIECES += [b"<frameset>", b"<noframes><a href=n>n</a></noframes>", b"<a href=#top>up", b"</p>"]


@example(b"a <table><a href=q>in</a> <main>text <table><a href=q>in</a> <a href=y><img alt=s></a>")
@given(st.lists(st.sampled_from(PIECES), max_size=14).map(b" ".join))
def test_links_that_are_not_described_differ_in_nothing_else(body: bytes) -> None:
    full, plain = parse(body, URL), parse(body, URL, described=False)
    assert plain.document == full.document
    one, other = ParsedLinks.of(full.links), ParsedLinks.of(plain.links)
    assert other.hrefs == one.hrefs
    assert other.anchors == one.anchors
    assert (other.rels, other.positions) == (one.rels, one.positions)
    assert all(out.around == out.path == "" for out in plain.links)


def literal_links(body: bytes, url: str) -> list[tuple[str, str]]:
    """Return targets and texts of the `a` elements of a page, by asking each of them."""
    tree = LexborHTMLParser(body)
    base = tree.css_first("base[href]")
    targets = Targets(resolved(url, base.attributes["href"] or "") or url if base else url)
    found: dict[str, list[tuple[int, str]]] = {}
    for place, node in enumerate(tree.css("a[href]")):
        target = targets.target(node.attributes["href"] or "")
        if target is not None and target != resolved(url, ""):
            for inner in node.css("script, style, textarea, noembed, noframes, iframe"):
                inner.decompose()
            found.setdefault(target, []).append((place, " ".join(node.text(separator=" ").split())))
    chosen = {
        target: next((link for link in links if link[1]), links[0])
        for target, links in found.items()
    }
    in_order = sorted((place, target, text) for target, (place, text) in chosen.items())
    return [(target, text) for _, target, text in in_order]


def described_links(body: bytes, url: str) -> list[tuple[str, str]]:
    """Return the same as they were parsed; a text of an image or label counts as none."""
    links = ParsedLinks.of(parse(body, url).links)
    spans = zip(links.starts, links.ends, strict=True)
    texts = [links.words[start:end].strip() if start >= 0 else "" for start, end in spans]
    rows = zip(links.hrefs, texts, links.paths, strict=True)
    return [(href, text) for href, text, path in rows if path != "html head"]


LINKS = [b"<a href=x>", b"<a href=#y>", b"<a href=/y>", b"<a href=page.html>", b"</a>", b"one"]
LINKS += [b"two", b"<b>", b"</b>", b"<p>", b"<nav>", b"</nav>", b"<img alt=i>", b"<td>", b"<li>"]
LINKS += [b"<table>", b"<h1>", b"</h1>", b"<base href=/z/>"]
PAGES_COMPARED = 60
OTHER_LINKS = (b"<area", b"<frame", b"<iframe", b"\x01", b"&#1;")


@given(st.lists(st.sampled_from(LINKS), max_size=20).map(b" ".join))
def test_the_links_are_those_that_asking_each_element_gives(body: bytes) -> None:
    assert described_links(body, URL) == literal_links(body, URL)


@pytest.mark.parametrize("name", ["organisations", "openoffice", "wiki", "forum"])
def test_the_links_of_recorded_pages_are_those_that_asking_each_element_gives(name: str) -> None:
    compared = 0
    for capture in WarcReader(recording(name)):
        page, tail, _ = limited(capture.body, capture.content_type, MAX_BYTES)
        others = any(mark in page.lower() for mark in OTHER_LINKS)
        if capture.code == 200 and "html" in capture.content_type and not (tail or others):
            url = capture.url
            assert described_links(page, url) == literal_links(page, url), url
            compared += 1
        if compared == PAGES_COMPARED:
            break
    assert compared


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("x", "http://a.test/folder/x"),
        ("x#y", "http://a.test/folder/x"),
        ("#y", URL),
        ("", URL),
        ("?q", URL + "?q"),
        ("/x", "http://a.test/x"),
        ("../../x", "http://a.test/x"),
        ("//b.test/x", "http://b.test/x"),
        ("http://b.test", "http://b.test/"),
        ("http://.../", None),
        ("mailto:x", None),
        ("x" * 9000, None),
    ],
)
def test_a_link_leads_to_the_same_place_when_it_is_met_again(href: str, target: str | None) -> None:
    assert [Targets(URL).target(href), Targets(URL).target(href)] == [target, target]
    assert resolved(URL, href) == target


def test_links_in_another_folder_lead_elsewhere_unless_they_begin_at_the_root() -> None:
    here, there = Targets(URL), Targets("http://a.test/other/")
    assert [here.target("m"), there.target("m")] == [
        "http://a.test/folder/m",
        "http://a.test/other/m",
    ]
    assert here.target("/m") == there.target("/m") == "http://a.test/m"


def test_links_in_the_root_folder_are_not_those_of_the_whole_host() -> None:
    root, below = Targets("http://b.test/"), Targets("http://b.test/below/page")
    assert root.many(["m", "/n", "m#f"]) == [f"http://b.test/{name}" for name in "mnm"]
    assert below.many(["m", "/n"]) == ["http://b.test/below/m", "http://b.test/n"]


def test_no_more_links_are_remembered_than_a_number() -> None:
    memory = AnchorMemory(most=10)
    for i in range(100):
        memory.add(memory.of(f"http://a.test/{i % 3}/"), str(i), "http://a.test/")
        assert sum(len(known) for known in memory.folders.values()) <= 10


@pytest.mark.parametrize(
    ("metas", "noindex", "nofollow"),
    [
        (b"<meta name=foragers content=noindex>", True, False),
        (b"<meta name=Foragers content='NoIndex, nofollow'>", True, True),
        (b"<meta name=otherbot content=noindex>", False, False),
        (b"<meta name=otherbot content=noindex><meta name=robots content=nofollow>", False, True),
        (b"<meta name=description content='robots: noindex'>", False, False),
    ],
)
def test_what_is_asked_of_one_robot_by_name_is_for_that_robot(
    metas: bytes, noindex: bool, nofollow: bool
) -> None:
    asks = Directives.parse([parse(metas, URL).robots], "foragers/1.0 (+http://a.test)")
    assert (asks.noindex, asks.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    "base",
    [
        "http://a.test",
        "http://a.test/",
        "http://a.test/x",
        "http://a.test/x/y/z.html?q=/a/b#/c",
        "http://a.test/x/..",
        "http://a.test/x/%2e%2E",
        "http://a.test?q=/a/b",
        "https://a.test/x/../y/z",
        "http://a.test/x/.hidden",
    ],
)
def test_the_name_of_a_file_makes_no_difference_to_where_links_lead(base: str) -> None:
    for href in ("m", "./m", "../m", "/m", "?m", "#m", "//b.test/m"):
        assert Targets(base).target(href) == resolved(base, href)
        assert Targets(base).many([href, href]) == [resolved(base, href)] * 2

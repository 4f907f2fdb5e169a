from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from foragers.parsing.html.collect import gather
from foragers.parsing.html.head import read_head
from foragers.parsing.html.parse import MAX_BYTES, Parsed, parse
from foragers.parsing.html.sanitise import limited
from foragers.urls.parse import resolve
from support.shared_suites import suite

URL = "http://example.org/folder/page.html"
TAGS = [b"a href=x", b"/a", b"p", b"b id=1", b"/b", b"table", b"td", b"script", b"/script", b"!--"]
TAGS += [b"main", b"nav", b"/nav", b"base href=//[", b"meta charset=utf-16", b"template", b"svg"]
SOUP = st.lists(
    st.sampled_from(TAGS).map(b"<%b>".__mod__) | st.binary(max_size=8), max_size=40
).map(b"".join)


def read(html: str, url: str = URL) -> Parsed:
    return parse(html.encode(), url, "text/html; charset=utf-8")


def hrefs(html: str, url: str = URL) -> list[str]:
    return [link.href for link in read(html, url).links]


@given(st.binary(max_size=300) | SOUP, st.sampled_from([URL, "", "nonsense", "ftp://a/"]))
def test_no_bytes_whatever_raise(body: bytes, url: str) -> None:
    assert isinstance(parse(body, url, ""), Parsed)


@given(SOUP)
def test_links_are_numbered_from_zero_and_can_be_fetched(body: bytes) -> None:
    links = parse(body, URL).links
    assert [link.position for link in links] == list(range(len(links)))
    assert all(link.href.startswith("http") and "#" not in link.href for link in links)


def navigable(body: bytes, url: str, content_type: str, with_nofollow: bool) -> list[str]:
    """List links as the suite wants them: of any scheme, with fragments."""
    found = gather(LexborHTMLParser(limited(body, content_type, MAX_BYTES).body), with_roles=False)
    head = read_head(found.head, url)
    links = [] if any("nofollow" in rule for rule in head.robots) else found.links
    result = []
    for _, href, attributes in links:
        if with_nofollow or "nofollow" not in (attributes.get("rel") or ""):
            try:
                address = resolve(href, head.base)
            except ValueError:
                continue
            if not address.startswith(("data:", "javascript:")):
                result.append(address)
    return result


@pytest.mark.parametrize("with_nofollow", [True, False])
def test_the_links_of_other_crawlers_tests_are_found(with_nofollow: bool) -> None:
    # Two of the cases want nofollow links, as Scrapy does, and two want none of them, as Nutch.
    disputed = ("scrapy test_linkextractors test_nofollow", "scrapy test_linkextractors test_xhtml")
    _, cases, bad = suite("html").run_links(
        lambda body, url, content_type: navigable(body, url, content_type, with_nofollow)
    )
    assert cases == 41
    assert len(bad) == 2
    assert all(("nofollow" in repr(case)) for case in bad)
    assert with_nofollow == all(case[0] not in disputed for case in bad)


def test_link_attributes_of_the_parsing_standards_tests_are_right() -> None:
    def every_element(html: str) -> list[tuple[str, dict[str, str | None]]]:
        root = LexborHTMLParser(html, options=1).root
        assert root is not None
        nodes = [(node.tag or "-", node.attributes) for node in root.traverse()]
        return [(tag, attributes) for tag, attributes in nodes if tag[0] not in "-!_#"]

    result = suite("html").run_tree(every_element)
    assert result["link_attributes"] == result["cases"] == 1726


def test_a_base_href_moves_every_relative_link() -> None:
    page = read("<base href='/other/'><base href='/third/'><a href=x>1</a><a href='?y'>2</a>")
    assert [link.href for link in page.links] == [
        "http://example.org/other/x",
        "http://example.org/other/?y",
    ]
    assert page.base == "http://example.org/other/"


def test_a_base_that_is_no_address_is_ignored() -> None:
    assert hrefs("<base href='http://[::'><a href=x>1</a>") == ["http://example.org/folder/x"]


def test_what_cannot_be_fetched_is_no_link() -> None:
    html = "".join(
        f"<a href='{href}'>x</a>"
        for href in ("mailto:a@b.c", "javascript:void(0)", "data:,x", "ftp://a/", "http://[x/", "y")
    )
    assert hrefs(html) == ["http://example.org/folder/y"]


def test_links_to_the_same_page_are_one_and_those_to_the_page_itself_none() -> None:
    page = read("<a href='x#1'>one</a> <a href='x#2'>two</a> <a href='#3'>three</a>")
    assert [link.href for link in page.links] == ["http://example.org/folder/x"]
    assert [link.anchor for link in page.links] == ["one"]


def test_the_first_link_with_a_text_speaks_for_all_that_lead_to_a_page() -> None:
    page = read("<p><a href=x><img alt=logo></a> <a href=y>y</a> <b><a href=x> words </a></b>")
    assert [(link.href[-1], link.anchor) for link in page.links] == [("y", "y"), ("x", "words")]
    assert page.links[1].path.endswith("b a")
    labelled = read("<a href=x><img alt=logo></a> <a href=x></a>")
    assert [link.anchor for link in labelled.links] == ["logo"]


def test_a_link_of_the_head_counts_only_where_the_body_has_none_to_its_target() -> None:
    page = read("<link rel=next href=2><link rel=prev href=0><a href=2>on</a>")
    assert [(link.href[-1], link.anchor) for link in page.links] == [("0", ""), ("2", "on")]


def test_a_page_with_a_base_elsewhere_links_to_its_own_url_only_by_name() -> None:
    page = read("<base href=/other/><a href=#top>up</a><a href=/folder/page.html>here</a>")
    assert [link.href for link in page.links] == ["http://example.org/other/"]


def test_areas_frames_and_refreshes_are_links() -> None:
    assert hrefs("<map><area href=m alt='the map'></map><iframe src=i>no frames</iframe>") == [
        "http://example.org/folder/m",
        "http://example.org/folder/i",
    ]
    assert hrefs("<frameset><frame src=f></frameset>") == ["http://example.org/folder/f"]
    refresh = read("<meta http-equiv=Refresh content='0; URL=r'>").links
    assert [(link.href, link.rel) for link in refresh] == [
        ("http://example.org/folder/r", "refresh")
    ]


def test_next_and_previous_pages_are_links_and_stylesheets_are_not() -> None:
    page = read("<link rel=next href=2><link rel=prev href=0><link rel=stylesheet href=c>")
    assert [(link.href[-1], link.rel) for link in page.links] == [("2", "next"), ("0", "prev")]


def test_a_frameset_has_the_words_and_links_of_its_noframes() -> None:
    page = read("<frameset><frame src=f><noframes>Old <a href=o>way</a> in</noframes></frameset>")
    assert [(link.href[-1], link.anchor) for link in page.links] == [("f", ""), ("o", "way")]
    assert page.document.text == "Old way in"


def test_an_image_speaks_for_a_link_without_words() -> None:
    links = read("<a href=1><img alt='a  cat'></a><a href=2><img alt=dog>named</a>").links
    assert [link.anchor for link in links] == ["a cat", "named"]


def test_the_words_around_a_link_are_some_twenty_on_each_side() -> None:
    before = " ".join(f"before{n}" for n in range(100))
    after = " ".join(f"after{n}" for n in range(100))
    around = read(f"<p>{before} <a href=x>the anchor</a> {after}</p>").links[0].around.split()
    assert "before99" in around
    assert "after0" in around
    assert "anchor" not in around
    assert 20 <= len(around) <= 60
    assert set(around) <= {*before.split(), *after.split()}


def test_the_words_around_a_link_are_bounded_without_spaces() -> None:
    page = read("<p>" + "漢" * 5000 + "<a href=x>字</a>" + "語" * 5000)
    assert 100 < len(page.links[0].around) < 400
    assert page.links[0].anchor == "字"


def test_a_path_names_tags_and_first_classes() -> None:
    html = "<div class='menu wide'><ul><li><a class=hot href=x>1</a></li></ul></div>"
    assert read(html).links[0].path == "html body div.menu ul li a.hot"


def test_a_path_that_is_too_long_loses_its_beginning() -> None:
    path = read("<div>" * 200 + "<a href=x>1</a>").links[0].path
    assert len(path) <= 240
    assert path.startswith("div div")
    assert path.endswith("div a")


def test_relations_are_in_lower_case() -> None:
    assert read("<a rel='NoFollow ugc' href=x>1</a>").links[0].rel == "nofollow ugc"


def test_title_headings_language_and_canonical_address() -> None:
    page = read(
        "<html lang=de-AT><head><title> Ein\n Titel </title><link rel=canonical href='/c#f'>"
        "<body><h1>Eins <em>zwei</em></h1><h3>Drei</h3><svg><title>no</title></svg>"
    )
    assert page.document.title == "Ein Titel"
    assert page.document.headings == ("Eins zwei", "Drei")
    assert page.document.language == "de-AT"
    assert page.document.canonical == "http://example.org/c"


def test_what_robots_are_told_is_in_lower_case() -> None:
    page = read("<meta name=ROBOTS content='NoIndex'><meta name=robots content=nofollow>")
    assert page.robots == "noindex, nofollow"


def test_navigation_scripts_and_footers_are_no_text() -> None:
    page = read(
        "<header>head</header><nav>menu</nav><script>code</script><style>css</style>"
        f"<p>{'the text ' * 80}</p><aside>ad</aside><footer>foot</footer>"
    )
    assert page.document.text == " ".join(["the text"] * 80)


def test_a_main_element_with_the_text_is_the_text() -> None:
    page = read(f"<div>banner</div><main><header>Head</header>{'word ' * 90}</main><p>rest")
    assert page.document.text == "Head " + " ".join(["word"] * 90)


def test_a_main_element_without_the_text_is_not() -> None:
    page = read(f"<article>teaser</article><div>{'word ' * 90}</div>")
    assert page.document.text.count("word") == 90


def test_a_role_is_as_good_as_an_element() -> None:
    page = read(f"<div role=navigation>menu</div><div role=main>{'word ' * 90}</div><p>rest")
    assert page.document.text == " ".join(["word"] * 90)


def test_a_page_that_is_all_navigation_keeps_its_text() -> None:
    assert read("<nav>one <a href=x>two</a> three</nav>").document.text == "one two three"


def test_an_old_page_without_structure_keeps_its_text() -> None:
    page = read("<BODY BGCOLOR=white><CENTER>Hello<BR>world<P>of <FONT SIZE=2>old</FONT></CENTER>")
    assert page.document.text == "Hello world of old"


def test_control_characters_of_a_page_do_not_confuse_its_links() -> None:
    page = parse(b"one \x01 two &#1; &#x1;a <a href=x>three</a> \x01b four", URL)
    assert [link.anchor for link in page.links] == ["three"]
    assert "\x01" not in page.document.text


def test_a_page_is_read_in_the_language_it_is_written_in() -> None:
    text = "Главная страница о кошках и собаках, которые живут вместе. " * 5
    body = f"<html><body><p>{text}<a href=x>дальше</a></body></html>".encode("cp1251")
    for content_type in ("text/html; charset=windows-1251", "text/html"):
        page = parse(body, URL, content_type)
        assert page.document.text.startswith(text.strip())
        assert page.links[0].anchor == "дальше"


@pytest.mark.parametrize(
    ("html", "day"),
    [
        ("<meta property='article:published_time' content='2024-01-05T12:00:00Z'>", 1704456000),
        (
            '<script type=\'application/ld+json\'>{"datePublished": "2024-01-05"}</script>',
            1704412800,
        ),
        ("<time datetime='2024-01-05'>", 1704412800),
        ("<time datetime='2023-01-01'></time><time pubdate datetime='2024-01-05'>", 1704412800),
        ("<meta name=DC.date content='2024-01-05'>", 1704412800),
        ("<meta itemprop=datePublished content='2024-01-05'>", 1704412800),
        ("<time datetime='yesterday'>", None),
    ],
)
def test_a_page_says_when_it_was_published(html: str, day: float | None) -> None:
    assert read(html).document.published == day


def test_a_page_beyond_the_limit_is_cut_and_its_tail_searched_for_links() -> None:
    body = b"<p>" + b"words " * 300 + b"<a href=far>x</a><A HREF='farther'>y</A><link href=css>"
    page = parse(body, URL, max_bytes=1000)
    assert [link.href for link in page.links] == [
        "http://example.org/folder/far",
        "http://example.org/folder/farther",
    ]
    assert page.truncated == "size"

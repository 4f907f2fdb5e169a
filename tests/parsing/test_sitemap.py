from __future__ import annotations

import gzip
import pickle
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.parsing.sitemap import MAX_BYTES, MAX_URLS, Listed, Sitemap, read_sitemap
from foragers.parsing.xml_scan import MAX_TEXT
from support.shared_suites import suite

AT = "https://h.example/sitemap.xml"
MAY_DAY = (31 * 365 + 8 + 120) * 86400.0
"""2001-05-01: 31 years with 8 leap days after 1970, and 31 + 28 + 31 + 30 days."""


def packed(data: bytes) -> bytes:
    """Compress without the time of day, which would make tests differ between processes."""
    return gzip.compress(data, mtime=0)


def read(text: str) -> Sitemap:
    return read_sitemap(text.encode(), AT)


def urls(body: bytes | str) -> list[str]:
    found = read_sitemap(body.encode() if isinstance(body, str) else body, AT)
    return [listed.url for listed in found.urls]


def page(address: str, rest: str = "") -> str:
    return f"<url><loc>{address}</loc>{rest}</url>"


def urlset(*pages: str) -> str:
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(pages)}</urlset>'


def test_the_suite_of_others_agrees() -> None:
    def parse(body: bytes, url: str, content_type: str) -> tuple[bool, list[str]]:
        found = read_sitemap(body, url)
        return bool(found.children), [listed.url for listed in found.urls + found.children]

    right, asked, wrong = suite("sitemaps").run(parse)
    assert asked == 42
    assert right == 42, wrong


# ---- sitemaps


def test_pages_are_listed_with_their_dates() -> None:
    found = read(
        urlset(
            page("http://a/1", "<lastmod>2001-05-01</lastmod>"),
            page("http://a/2", "<lastmod>2001-05-01T02:00:00+02:00</lastmod>"),
            page("http://a/3", "<lastmod>yesterday</lastmod>"),
            "<url><lastmod>2001-05-01</lastmod><loc>http://a/4</loc></url>",
        )
    )
    dates = [MAY_DAY, MAY_DAY, None, MAY_DAY]
    assert found.urls == tuple(Listed(f"http://a/{i + 1}", date) for i, date in enumerate(dates))
    assert found.children == ()


def test_an_index_has_children() -> None:
    found = read(
        "<sitemapindex><sitemap><loc>http://a/s.xml</loc><lastmod>2001-05-01</lastmod></sitemap>"
        "</sitemapindex>"
    )
    assert found == Sitemap((), (Listed("http://a/s.xml", MAY_DAY),))


def test_news_are_dated_by_their_publication_unless_they_changed_since() -> None:
    news = "<news:news><news:publication_date>2001-05-01</news:publication_date></news:news>"
    found = read(
        urlset(page("http://a/1", news), page("http://a/2", news + "<lastmod>2001-05-02</lastmod>"))
    )
    assert [listed.lastmod for listed in found.urls] == [MAY_DAY, MAY_DAY + 86400]


def test_prefixes_do_not_matter_but_extensions_are_not_pages() -> None:
    assert urls(
        "<s:urlset><s:url><s:loc>http://a/1</s:loc><image:image><image:loc>http://a/i.png"
        "</image:loc></image:image><video:loc>http://a/v</video:loc><x:loc>http://a/x</x:loc>"
        '<xhtml:link rel="alternate" href="http://a/de"/></s:url></s:urlset>'
    ) == ["http://a/1"]


def test_addresses_are_complete_web_addresses_each_once() -> None:
    assert urls(
        urlset(
            page(" \n http://A/%7e1?a&amp;b&#38;c "),
            page("<![CDATA[http://a/2?x=1&y=2]]>"),
            page("/3"),
            page("ftp://a/4"),
            page("javascript:alert(1)"),
            page("relative"),
            page("http://[bad"),
            page(""),
            page("http://a/2?x=1&y=2"),
            page("http://a/&copy=1"),
        )
    ) == [
        "http://a/%7e1?a&b&c",
        "http://a/2?x=1&y=2",
        "https://h.example/3",
        "http://a/&copy=1",
    ]


def test_an_unusable_address_of_the_sitemap_itself_does_no_harm() -> None:
    body = urlset(page("http://a/1"), page("/2")).encode()
    assert read_sitemap(body, "not an address").urls == (Listed("http://a/1"),)


def test_what_is_in_comments_is_not_listed() -> None:
    assert urls(urlset("<!--", page("http://a/1"), "-->", page("http://a/2"))) == ["http://a/2"]


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2",
        "<urlset><url><loc>http://a/1<lastmod>x<url></loc></url></urlset><loc>http://a/2</lo",
        "PHP Warning: <b>oops</b> in x & y\n<url><loc>http://a/1</loc><loc>http://a/2</loc>",
        "<URLSET><URL><LOC>http://a/1</LOC></URL><URL><LOC >http://a/2</LOC></URL>",
        "<urlset><url>http://a/1</url><url>\nhttp://a/2\n</url></urlset>",
    ],
)
def test_what_is_sound_in_a_broken_file_is_read(text: str) -> None:
    assert urls(text) == ["http://a/1", "http://a/2"]


# ---- bytes


TEXT = urlset(page("http://a/\u00e4"))


@pytest.mark.parametrize(
    "body",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf \n" + TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("windows-1252"),
        b'<?xml version="1.0" encoding="ISO-8859-1"?>' + TEXT.encode("latin-1"),
        b"<?xml version='1.0' encoding='macintosh'?>" + TEXT.encode("mac-roman"),
        b'<?xml version="1.0" encoding="UTF-16"?>' + TEXT.encode(),
        b'<?xml version="1.0" encoding="klingon"?>' + TEXT.encode(),
        packed(TEXT.encode()),
        packed(packed(TEXT.encode())),
        packed(TEXT.encode()[:50]) + packed(TEXT.encode()[50:]),
        packed(TEXT.encode()) + b"trailing",
        packed(TEXT.encode())[:-8],
        b"\xef\xbb\xbfhttp://a/\xc3\xa4\r\nnot an address\n\nhttp://a b/",
        b"http://a/\xe4",
    ],
)
def test_encodings_and_compressions_are_undone(body: bytes) -> None:
    assert urls(body) == ["http://a/%C3%A4"]


def test_a_broken_gzip_file_is_read_up_to_where_it_breaks() -> None:
    text = urlset(*(page(f"http://a/{i * i}") for i in range(20_000))).encode()
    body = bytearray(packed(text))
    body[len(body) // 2 :] = b"\xff" * (len(body) // 2)
    assert 5_000 < len(urls(bytes(body))) < 15_000


# ---- feeds


def test_entries_of_rss_are_pages() -> None:
    found = read(
        '<rss version="2.0"><channel><link>http://a/</link><image><url>http://a/i.png</url></image>'
        '<atom:link href="http://a/rss" rel="self"/>'
        "<item><title>1</title><link>http://a/1</link><atom:link href='http://a/x'/>"
        "<pubDate>Tue, 01 May 2001 00:00:00 GMT</pubDate></item>"
        '<item><guid isPermaLink="true">http://a/2</guid><dc:date>2001-05-01</dc:date></item>'
        "<item><guid>urn:3</guid></item>"
        "<item><link><![CDATA[ /4?a&b ]]></link></item></channel></rss>"
    )
    assert found.urls == (
        Listed("http://a/1", MAY_DAY, "1"),
        Listed("http://a/2", MAY_DAY),
        Listed("https://h.example/4?a&b"),
    )


def test_entries_of_atom_are_pages() -> None:
    found = read(
        '<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a/"/>'
        "<updated>2009-01-01</updated><entry><link rel='edit' href='http://a/edit'/>"
        "<link href='1?a&amp;b' rel=\"alternate\" /><id>urn:1</id>"
        "<published>2000-01-01</published><updated>2001-05-01T00:00:00Z</updated></entry></feed>"
    )
    assert found.urls == (Listed("https://h.example/1?a&b", MAY_DAY),)


def test_items_of_rdf_are_pages() -> None:
    found = read(
        "<rdf:RDF><channel rdf:about='http://a/'><link>http://a/</link></channel>"
        "<item rdf:about='http://a/1'><title>x</title></item></rdf:RDF>"
    )
    assert found.urls == (Listed("http://a/1", None, "x"),)


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Ships &amp; boats", "Ships & boats"),
        ("<![CDATA[ Ships &amp; <b>boats</b>\n of 1 < 2 ]]>", "Ships & boats of 1 < 2"),
        ("&lt;i&gt;Ships&lt;/i&gt; &amp;#8217;s", "Ships \u2019s"),
        ("<![CDATA[Sh\0ips]]>", "Sh ips"),
        ("S" * (MAX_TEXT + 1), ""),
        ("<b>in a tag</b>", ""),
    ],
)
def test_the_title_of_an_entry_is_its_own_and_without_html(written: str, title: str) -> None:
    media = "<media:title>A picture</media:title>"
    (one,) = read(
        f"<rss><channel><title>All</title><item>{media}<title>{written}</title>"
        f"<title>Another</title><link>http://a/1</link></item></channel></rss>"
    ).urls
    assert one.title == title


# ---- any input, in bounded time and memory


def test_a_page_of_html_lists_nothing() -> None:
    html = '<!doctype html><html><head><link href="http://a/x.css"></head><body>404</body></html>'
    assert read(html) == Sitemap()


def test_no_more_pages_are_taken_than_a_sitemap_may_have() -> None:
    pages = "".join(page(f"http://a/{i}") for i in range(MAX_URLS + 10))
    assert len(urls(urlset(pages))) == MAX_URLS
    assert len(urls("\n".join(f"http://a/{i}" for i in range(MAX_URLS + 10)))) == MAX_URLS


def test_sitemaps_can_be_pickled() -> None:
    found = read(urlset(page("http://a/1", "<lastmod>2001-05-01</lastmod>")))
    assert pickle.loads(pickle.dumps(found)) == found


PIECES = st.sampled_from(
    [
        *(f"<{name}>" for name in ("urlset", "url", "loc", "lastmod", "sitemap", "item", "entry")),
        *(f"</{name}>" for name in ("urlset", "url", "loc", "lastmod", "sitemap", "item", "entry")),
        *(
            "<rss>",
            "<feed>",
            "<link>",
            "<link href='http://a/",
            "' rel='x",
            "/>",
            "<guid>",
            "<date>",
        ),
        *("http://a/1", "/2", "2001-05-01", "&#0;", "&#xD800;", "&amp;", "&x;", "<!--", "-->"),
        *("<![CDATA[", "]]>", "<!DOCTYPE x [<!ENTITY x 'y'>]>", "\n", "\ufeff", "http://[", "\0"),
    ]
)


@given(
    st.one_of(st.binary(), st.lists(PIECES).map(lambda parts: "".join(parts).encode())), st.text()
)
def test_any_bytes_are_read(body: bytes, url: str) -> None:
    found = read_sitemap(body, url)
    for listed in found.urls + found.children:
        assert listed.url.startswith(("http://", "https://"))


@given(st.binary(max_size=60), st.text("0123456789abcdefghijklmnopqrstuvwxyz-", max_size=20))
def test_any_declared_encoding_is_read(body: bytes, label: str) -> None:
    read_sitemap(b'<?xml version="1.0" encoding="%b"?>' % label.encode() + body, AT)


def test_entities_are_not_followed() -> None:
    text = (
        '<!DOCTYPE x [<!ENTITY a "http://a/1"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
        + urlset(page("&a;"), page("http://a/&f;"))
    )
    assert urls(text) == ["http://a/&f;"]


SIZE = MAX_BYTES // 5


def filled(piece: bytes, head: bytes = b"") -> bytes:
    return (head + piece * (SIZE // len(piece) + 1))[:SIZE]


HOSTILE = {
    "brackets": lambda: filled(b"<"),
    "nesting": lambda: filled(b"<url>"),
    "other tags": lambda: filled(b"<a>"),
    "empty locs": lambda: filled(b"<loc></loc>"),
    "comments": lambda: filled(b"<!--"),
    "cdata": lambda: filled(b"<![CDATA["),
    "brackets in cdata": lambda: filled(b"]", b"<loc><![CDATA["),
    "open attributes": lambda: filled(b'<link "', b"<rss><item>"),
    "long attributes": lambda: filled(b"<link " + b"a" * 8000 + b">", b"<rss><item>"),
    "dates": lambda: filled(b"<lastmod>Mon, 1 Jan 2020 10:00:00 GMT</lastmod>", b"<url>"),
    "references": lambda: filled(b"<loc>http://a/" + b"&#38;" * 1600 + b"</loc>", b"<urlset>"),
    "lines": lambda: filled(b"http://a\n"),
    "one line": lambda: filled(b"http://a"),
    "gzip": lambda: packed(packed(bytes(4 * MAX_BYTES))),
    "members": lambda: packed(b"") * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_takes_long(name: str) -> None:
    body = HOSTILE[name]()
    start = time.thread_time()
    read_sitemap(body, AT)
    # A second at most; the rest is for slower and busier machines.
    assert time.thread_time() - start < 10


def test_a_small_file_does_not_grow_without_end() -> None:
    body = packed(bytes(3 * MAX_BYTES))
    tracemalloc.start()
    read_sitemap(body, AT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.5 * MAX_BYTES


def test_the_page_of_an_entry_is_not_the_entry_itself() -> None:
    feed = b"""<feed><entry><link rel="self" href="http://a.test/entry.xml"/>
    <link rel="alternate" href="http://a.test/page"/></entry></feed>"""
    assert [one.url for one in read_sitemap(feed, "http://a.test/").urls] == ["http://a.test/page"]

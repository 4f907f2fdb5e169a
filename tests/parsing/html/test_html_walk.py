"""The compiled walk gives what the modules in Python give, on any page, and crashes on none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import selectolax.lexbor
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from foragers.compiled import PURE, compiled
from foragers.parsing.html import walk as walking
from foragers.parsing.html.collect import WITHOUT_EVENTS, collect
from foragers.parsing.html.contents import Contents
from foragers.parsing.html.parse import parse
from foragers.parsing.html.sanitise import limited
from foragers.parsing.html.walk import walk
from foragers.storage.warc.reader import WarcReader
from support.shared_suites import SHARED, recording

URL = "http://example.org/folder/page.html?q=1"
BUILT = compiled("foragers.parsing.html._walk") is not None
needs_build = pytest.mark.skipif(not BUILT, reason="the compiled walk was not built")

PIECES = [
    *(
        "<a href='x'>",
        "</a>",
        "<a href=' /z#f '>t</a>",
        "<a>",
        "<a href>",
        "<a href=?k><img alt=z>",
    ),
    *("<svg>", "</svg>", "<style>", "<math>", "<foreignObject>", "<desc>", "<![CDATA[x y]]>"),
    *("<iframe src=q>", "</iframe>", "<frameset>", "<frame src=fr>", "<area href=ar alt=k>"),
    *("<nav>", "</nav>", "<header>", "<main>", "<article>", "<select>", "<noscript>", "</main>"),
    *("<div role=' Main '>", "<table><td role=banner>", "<ul role=SEARCH>", "</div>", "</td>"),
    *("<title>", "</title>", "<h1>", "</h1>", "<h2><nav>n</nav></h2>", "<template>", "<textarea>"),
    *("\xa0", "\u2009", "\u3000", "\x1c", "\x85", "\x01", "&#1;", "ü", "word ", "a  b", "\n"),
    *("<time datetime=2020-02-02 pubdate>", "<time datetime=2021-01-01>", "<base href=//h/p/>"),
    '<script type=\'application/ld+json\'>{"datePublished":"2020-01-01"}</script>',
    *("<p hidden><a href=h>", "<b style='display:none'><a href=i rel=Nofollow>", "</b>", "</p>"),
    *("<x-y class='\xa0kä l'>", "<a xlink:href=u class='b c'>", "<!--c-->", "<object><a href=o>"),
    *("<html lang=q xml:lang=r>", "<body class=b>", "<plaintext>", "<meta name=robots content=x>"),
    *("<link rel=next href=n>", "<a href=v aria-label='l  m'></a>", "<img alt='p q'>", "</object>"),
]
SOUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join).map(str.encode)


def facts(read: Contents, described: bool) -> dict[str, object]:
    """Return all of a page that two ways of reading it must agree in."""
    found: dict[str, object] = read._asdict()
    del found["links"], found["targets"]
    columns = ["hrefs", "anchors", "paths", "rels", *(["starts", "ends"] if described else [])]
    found |= {name: getattr(read.links, name) for name in columns}
    if not described:
        del found["words"]
    return found


def tree_of(page: bytes) -> LexborHTMLParser:
    return LexborHTMLParser(page, options=WITHOUT_EVENTS)


def compare(page: bytes, described: bool = True) -> bool:
    """Hold both ways of reading a page equal; return whether the compiled one took it."""
    read = walk(tree_of(page), page, URL, described)
    if read is None:
        return False
    pure = collect(tree_of(page), page, URL, described)
    assert facts(read, described) == facts(pure, described)
    return True


@needs_build
def test_this_version_of_selectolax_is_read() -> None:
    assert walking._prepared() is not None


@needs_build
@given(SOUP, st.booleans())
@settings(max_examples=400)
def test_tag_soup_is_read_alike(page: bytes, described: bool) -> None:
    compare(page, described)


@needs_build
@given(st.binary(max_size=200), SOUP)
def test_bytes_that_are_no_characters_are_read_alike(odd: bytes, page: bytes) -> None:
    compare(page + odd + page)


def mutated(page: bytes, chance: Random) -> bytes:
    """Return a page with some bytes changed, lost, repeated, or with pieces of markup in it."""
    for _ in range(chance.randint(0, 6)):
        at, other = chance.randint(0, len(page)), chance.randint(0, len(page))
        page = chance.choice(
            [
                page[:at] + chance.choice(PIECES).encode() + page[at:],
                page[:at] + bytes([chance.randrange(256)]) + page[at + 1 :],
                page[:at] + page[at + chance.randint(1, 30) :],
                page[:at] + page[other : other + chance.randint(1, 400)] + page[at:],
            ]
        )
    return page


@needs_build
def test_trees_of_the_standard_s_suite_are_read_alike_whole_and_mutated() -> None:
    folder = SHARED / "suites" / "html" / "wpt-tree"
    if not folder.is_dir():
        pytest.skip("the suite html is not here")
    chance = Random(7)
    taken = 0
    for file in sorted(folder.iterdir()):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            page = case.partition(b"\n#errors")[0]
            taken += compare(page)
            page, _, _ = limited(mutated(page, chance), "text/html; charset=utf-8", 1 << 20)
            compare(page, chance.random() < 0.5)
    assert taken > 1000


@needs_build
@pytest.mark.parametrize("name", ["organisations", "openoffice", "wiki", "forum"])
def test_recorded_pages_are_read_alike_whole_and_mutated(name: str) -> None:
    chance, pages, taken = Random(name), 0, 0
    for capture in WarcReader(recording(name)):
        if capture.code == 200 and not capture.revisit and "html" in capture.content_type:
            page, _, _ = limited(capture.body, capture.content_type, 1 << 22)
            pages += 1
            taken += compare(page, pages % 4 > 0)
            compare(limited(mutated(page, chance), "charset=utf-8", 1 << 22)[0])
        if pages >= 150:
            break
    assert taken >= 0.98 * pages


@needs_build
def test_what_is_rare_is_left_to_python() -> None:
    for page in (
        b"<frameset><frame src=x></frameset>",
        b"<body>a word \x01 and more",
        b"<svg><style><a href=x>t</a></style></svg>",
        b"<a href=x>t</a>" * 10_001,
    ):
        assert walk(tree_of(page), page, URL, True) is None


@needs_build
def test_a_library_that_is_not_as_expected_is_not_used() -> None:
    library = compiled("foragers.parsing.html._walk")
    assert library is not None
    tree = tree_of(b"<body>one<b>two</b>")
    assert tree.body is not None
    text = tree.body.first_child
    assert text is not None
    path = selectolax.lexbor.__file__
    try:
        assert not library.prepare("/nowhere.so", [], text.mem_id, b"one")
        assert not library.prepare(path, [], text.mem_id, b"two")
        assert not library.prepare(path, [], tree.body.mem_id, b"one")
        assert not library.prepare(path, [(5000, 1)], text.mem_id, b"one")
        with pytest.raises(RuntimeError):
            library.walk(tree, tree.body.mem_id, tree.body.mem_id, False)
    finally:
        walking._prepared.cache_clear()
    assert walking._prepared() is not None


def test_without_compiled_modules_pages_are_read_alike(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes("<title>T</title><nav><a href=a>b</a></nav><p>c <a href=d>ü</a> e".encode())
    script = (
        "import sys; from foragers.parsing.html import walk; from foragers.parsing.html.parse"
        " import parse; print(walk._prepared() is None,"
        " parse(open(sys.argv[1], 'rb').read(), 'http://a.test/'))"
    )
    pure = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "ignore", "-c", script, str(page)],
        env={**os.environ, PURE: "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    here = parse(page.read_bytes(), "http://a.test/")
    assert pure.stdout.decode().strip() == f"True {here}"

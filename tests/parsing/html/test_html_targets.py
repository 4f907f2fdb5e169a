"""The compiled module resolves links exactly as those in Python do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foragers.parsing.html import links
from foragers.parsing.html.links import AnchorMemory, Targets

pytestmark = pytest.mark.skipif(links.LIBRARY is None, reason="the compiled module was not built")

HOSTS = [
    "http://a.test",
    "https://a.test:8200",
    "http://A.test.",
    "http://u@a.test",
    "http://é.test",
]
PATHS = [
    "",
    "/",
    "/x/",
    "/x/y.html",
    "/x//y/",
    "/x/./y",
    "/x/%2e/y",
    "/x/y/z?q=/1/2#f",
    "/é/",
    "/.x",
]
BASES = [host + path for host in HOSTS for path in PATHS] + [
    "mailto:x",
    "file:///x/y",
    "",
    "x",
    "http://",
]
PIECES = [
    *(
        "/",
        "//",
        ".",
        "..",
        "../",
        "../../",
        "./",
        "?",
        "#",
        "%",
        "%2e",
        "%41",
        ":",
        "http:",
        "http://",
    ),
    *(
        "https://",
        "http://a.test",
        "http://a.test/",
        "https://a.test:8200/",
        "mailto:",
        "javascript:",
    ),
    *(
        "x",
        "y.html",
        "index",
        "a=1&b=2",
        "~u",
        "_",
        "-",
        "'",
        '"',
        "<",
        "|",
        "\\",
        " ",
        "\t",
        "\n",
        "\0",
    ),
    *(
        "é",
        "東",
        "\ud800",
        "\x7f",
        ";s=1",
        "(x)",
        "*",
        "+",
        ",",
        "@",
        "!",
        "$",
        "x" * 200,
        "/x" * 90,
    ),
]
HREF = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=12)


OTHERS = [
    *(
        "http://b.test/x",
        "https://b.test:8200/",
        "http://b.test:80/",
        "http://b.test:443/x",
        "http://B.test/",
    ),
    *(
        "http://b_c.test/",
        "http://b.te_st/",
        "http://xn--a.test/",
        "http://a.xn--b/",
        "http://1.2.3.4/x?y",
    ),
    *(
        "http://1.2.3.04/",
        "http://1.2.3.256/",
        "http://1.2.3/",
        "http://1.2.3.4.5/",
        "http://b.test:0/",
    ),
    *(
        "http://b.test:65536/",
        "http://b.test:59999/",
        "http://b.test:080/",
        "http://b..test/",
        "http://.b/",
    ),
    *(
        "http://b.test",
        "http://b.test?x",
        "http://b.test./",
        "http://b.test/x//y",
        "http://b.test/x/.y",
    ),
    *(
        "http://b.test/x'y",
        "http://b.test/%41",
        "http://b.test/x?%41'",
        "http://b.test/x?y z",
        "http://3b/",
    ),
    *(
        "http://b-.test/",
        "http://-b/",
        "https://1.2.3.4:8200/a/b;c?d=e&f",
        "http://b.test:/",
        "http:///x",
    ),
]
PIECES += OTHERS
HREF |= st.sampled_from(OTHERS) | st.tuples(st.sampled_from(OTHERS), HREF).map("".join)


@contextmanager
def memory(room: int, library: object) -> Iterator[AnchorMemory]:
    """Resolve links with an empty cache, and with the compiled module or without."""
    with pytest.MonkeyPatch.context() as patched:
        cache = AnchorMemory(most=room)
        patched.setattr(links, "_MEMORY", cache)
        patched.setattr(links, "LIBRARY", library)
        yield cache


@given(st.lists(st.tuples(st.sampled_from(BASES), st.lists(HREF, max_size=8)), max_size=4))
@example(
    [("http://a.test/x/y/z", ["../../../../q", "../q", "q/../r", "q", "/q", "#q", "q#r", "?q"])]
)
@example(
    [("http://a.test/x//y/", ["../q", "../../q", "../../../q", "/q", "//q/", "http://a.test/q"])]
)
def test_links_have_the_same_targets_whatever_is_cached(pages: list[tuple[str, list[str]]]) -> None:
    for room in (65_536, 3):
        found = []
        for library in (links.LIBRARY, None):
            with memory(room, library) as cache:
                targets = [Targets(base).many([*hrefs, *hrefs]) for base, hrefs in pages]
                assert sum(map(len, cache.folders.values())) <= room
                found.append(targets)
        assert found[0] == found[1]


def test_plain_links_are_resolved_and_cached_by_the_compiled_module() -> None:
    with memory(100, links.LIBRARY) as cache:
        targets = Targets("http://a.test/x/y.html")
        quick = targets._quick(
            ["z.html", "/q?a=1", "../r/", "http://a.test/s", "z.html#f", "é", ""]
        )
        root = "http://a.test/"
        expected = ["x/z.html", "q?a=1", "r/", "s", "x/z.html"]
        assert quick == [*(root + end for end in expected), "", f"{root}x/y.html"]
        assert sum(map(len, cache.folders.values())) == 4


def test_what_is_no_text_is_refused() -> None:
    assert links.LIBRARY is not None
    with pytest.raises(TypeError, match="texts"):
        links.LIBRARY.targets([b"x"], {}, {}, "http://a.test/", "http://a.test/", None, 9, "")


URLS = st.lists(st.tuples(st.sampled_from([None, "", "a", "b", "c", "d"]), st.booleans()))


@given(URLS, st.sampled_from([None, "", "a", "b", "x"]))
def test_the_same_links_are_chosen_compiled_as_in_python(
    found: list[tuple[str | None, bool]], itself: str | None
) -> None:
    assert links.LIBRARY is not None
    urls, spoken = [url for url, _ in found], bytes(has_text for _, has_text in found)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Targets, "many", lambda *_: urls)
        expected = links.choose(
            [], Targets("http://a.test/"), itself, partial(links.prefer_spoken, spoken)
        )
        assert links.choose_spoken([], Targets("http://a.test/"), itself, spoken) == expected


def test_links_are_chosen_only_with_a_byte_for_each() -> None:
    assert links.LIBRARY is not None
    with pytest.raises(ValueError, match="a byte for each"):
        links.LIBRARY.chosen(["a", "b"], None, b"\1")
    with pytest.raises(TypeError):
        links.LIBRARY.chosen([["a"]], None, b"\1")

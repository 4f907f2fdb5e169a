from __future__ import annotations

import json
import subprocess
import sys
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.compiled import compiled
from foragers.parsing.html.sanitise import MAX_DEPTH, is_harmless, rewrite, scan_in_python
from support.hostile_pages import HOSTILE, LINK
from support.shared_suites import suite

MAX_UNITS = 2000
"""About two seconds of a core; see `core_speed`."""
MAX_MEGABYTES = 400

linux_only = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")


def cost(body: bytes) -> dict[str, Any]:
    """Read a page in a process of its own; again if it seems slow, since others add time."""
    script = Path(__file__).parents[2] / "support" / "hostile_pages.py"
    facts: dict[str, Any] = {"units": inf}
    for _ in range(3):
        ran = subprocess.run(
            [sys.executable, str(script)], input=body, capture_output=True, check=True
        )
        facts = min(facts, json.loads(ran.stdout), key=itemgetter("units"))
        if facts["units"] <= MAX_UNITS:
            break
    return facts


@linux_only
@pytest.mark.parametrize("name", HOSTILE)
def test_no_page_stops_the_crawl(name: str) -> None:
    facts = cost(HOSTILE[name]())
    assert facts["units"] <= MAX_UNITS
    assert facts["megabytes"] <= MAX_MEGABYTES
    assert facts["found"]


@linux_only
def test_no_page_of_the_stress_suite_stops_the_crawl() -> None:
    for name, page in suite("html").STRESS.items():
        facts = cost(page())
        assert facts["units"] <= MAX_UNITS, name
        assert facts["megabytes"] <= MAX_MEGABYTES, name
        assert facts["found"], name


@given(st.lists(st.sampled_from([b"<", b"<b ", b"<B/", b"<st", b"x", b"<<", b"  "])).map(b"".join))
def test_compiled_and_in_python_the_same_tags_are_found(body: bytes) -> None:
    library = compiled("foragers.parsing.html._tags")
    if library is None:
        pytest.skip("the compiled scan was not built")
    pairs = bytearray(1 << 16)
    for pair in (b"b ", b"B/", b"st", b"<b", b"  ", b"x "):
        pairs[pair[0] | pair[1] << 8] = 1
    assert library.scan(body, bytes(pairs), 3) == scan_in_python(body, bytes(pairs), 3)


def test_an_ordinary_page_is_harmless() -> None:
    body = b"<html><body>" + b"<div class=x><p>some <b>bold</b> words</p></div>\n" * 400
    assert is_harmless(body)


def test_code_in_colours_is_harmless_however_much_there_is() -> None:
    kinds = [b"xref py py-%b docutils literal" % kind for kind in (b"func", b"class", b"mod")]
    line = b"".join(
        b'<p>see <a href="#x"><code class="%b"><span class="pre">os.path</span></code></a></p>'
        % kind
        for kind in kinds
    )
    assert is_harmless(line * 1500)
    assert rewrite(line * 1500) == (line * 1500, b"", "")


@pytest.mark.parametrize(
    "inside",
    [b"<!--</font>-->", b"<x a='</font>'>", b"<p></font>", b"<td></font>", b"<a></font>", b""],
)
def test_formatting_that_may_stay_open_is_not_harmless(inside: bytes) -> None:
    page = b"".join(b"<p><font size=%d>" % number + inside for number in range(3000))
    assert not is_harmless(page)


@pytest.mark.parametrize(
    "tag", b"b big code em font i nobr s small strike strong STRONG tt u".split()
)
def test_every_kind_of_formatting_left_open_is_noticed(tag: bytes) -> None:
    assert not is_harmless(b"".join(b"<p><%b id=%d>" % (tag, number) for number in range(3000)))


def test_a_large_page_that_is_not_deep_is_harmless() -> None:
    assert is_harmless(b"<ul>" + b"<li><a href=x>some words</a></li>" * 40_000 + b"</ul>")
    assert not is_harmless(b"<div><!--</div>-->" * 30_000)
    assert not is_harmless(b"<div><script></div></script>" * 30_000)


def test_a_harmless_page_is_rewritten_to_itself() -> None:
    body = b"<table><tr><td><font size=1>a</font><td><b>b</table><!-- <div> --><script><p></script>"
    assert rewrite(body) == (body, b"", "")


@given(st.binary(max_size=400))
def test_rewriting_never_raises_and_loses_nothing_of_a_small_page(body: bytes) -> None:
    assert rewrite(body) == (body, b"", "")


def test_a_crowded_tag_keeps_its_first_attributes_and_its_address() -> None:
    body = b"<a id=1 " + b" ".join(b"x%d" % n for n in range(500)) + b" HREF='/far'>x</a>"
    page, _, reason = rewrite(body)
    assert page.startswith(b"<a id=1 x0 x1")
    assert page.endswith(b" HREF='/far'>x</a>")
    assert b"x400" not in page
    assert reason == "attributes"


def test_tags_below_a_depth_are_dropped_and_links_are_not() -> None:
    assert rewrite(b"<div>" * 1000 + LINK).reason == ""  # deep, and quickly parsed all the same
    body = b"<div>" * 20_000 + LINK + b"</div>" * 20_000 + b"<p>after"
    page, _, reason = rewrite(body)
    assert page.count(b"<div>") == page.count(b"</div>") == MAX_DEPTH
    assert LINK in page
    assert reason == "depth"


def test_tags_in_scripts_and_comments_do_not_count() -> None:
    body = b"<script>" + b"<div>" * 1000 + b"</script><!--" + b"<div>" * 1000 + b"-->"
    assert rewrite(body).reason == ""

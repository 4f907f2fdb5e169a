"""Pages made to stop a crawler, and a script that reads one and prints what it took."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

LINK = b"<a href=/found>x</a>"


def _numbered(text: bytes, count: int) -> bytes:
    return b"".join(text % number for number in range(count))


_ALL_FORMATTING = b"".join(
    b"<%b>" % name * 3 for name in b"b big code em font i nobr s small strike strong tt u".split()
)

HOSTILE: dict[str, Callable[[], bytes]] = {
    "attributes spread over tags": lambda: (
        (b"<p " + _numbered(b"a%d ", 100) + b">x</p>") * 20_000 + LINK
    ),
    "attributes that hide in quotes": lambda: (
        b"<a href=/found " + _numbered(b'a%d=">" ', 100_000) + b">x</a>"
    ),
    "attributes that hide tags": lambda: (
        b"<a href=/found " + _numbered(b'a%d="<b>" ', 100_000) + b">x</a>"
    ),
    "attributes between slashes": lambda: (
        b"<a href=/found " + _numbered(b"a%d/", 100_000) + b">x</a>"
    ),
    "an address behind attributes": lambda: (
        b"<a " + _numbered(b"a%d=1 ", 100_000) + b"href=/found>x</a>"
    ),
    "fonts all different": lambda: _numbered(b"<p><font size=%d>", 20_000) + LINK,
    "a few fonts all different": lambda: _numbered(b"<p><font size=%d>", 2_000) + LINK,
    "fonts, then paragraphs": lambda: (
        b"<p>" + _numbered(b"<font size=%d>", 1_000) + b"<p>x" * 5_000 + LINK
    ),
    "fonts with many attributes": lambda: (
        b"<p>" + (b"<font " + _numbered(b"a%d ", 100) + b">") * 30 + b"<p>x" * 3_000 + LINK
    ),
    "fonts closed in comments only": lambda: (
        _numbered(b"<p><font size=%d><!--</font>-->", 3_000) + LINK
    ),
    "fonts closed in attributes only": lambda: (
        _numbered(b"<p><font size=%d><x a='</font>'>", 3_000) + LINK
    ),
    "fonts closed behind blocks only": lambda: (
        _numbered(b"<p><font size=%d>" + b"<div>" * 10 + b"</font>" + b"</div>" * 10, 3_000) + LINK
    ),
    "fonts closed in cells only": lambda: (
        _numbered(b"<p><font size=%d><table><td></font></table>", 3_000) + LINK
    ),
    "fonts closed in scripts only": lambda: (
        _numbered(b"<p><font size=%d><script></font></script>", 3_000) + LINK
    ),
    "fonts within fonts": lambda: _numbered(b"<font size=%d>", 190_000) + LINK,
    "code that is closed, and much of it": lambda: (
        _numbered(b"<p><code class=%d>" + b"<span>x</span>" * 10 + b"</code>", 9_000) + LINK
    ),
    "all formatting, then paragraphs": lambda: b"<p>" + _ALL_FORMATTING + b"<p>x" * 500_000 + LINK,
    "bold, all different": lambda: _numbered(b"<b id=%d>", 50_000) + LINK,
    "bold around paragraphs": lambda: b"<b><p>" * 50_000 + b"</b>" * 50_000 + LINK,
    "links around blocks": lambda: b"<a href=/x><div>" * 50_000 + LINK,
    "deep spans": lambda: b"<span>" * 500_000 + LINK,
    "deep unknown elements": lambda: b"<x-y>" * 500_000 + LINK,
    "deep svg": lambda: b"<svg>" * 500_000 + LINK,
    "deep lists": lambda: b"<ul><li>" * 100_000 + LINK,
    "deep definitions": lambda: b"<dl><dd>" * 100_000 + LINK,
    "deep tables": lambda: b"<table><tr><td>" * 60_000 + LINK,
    "deep headings": lambda: b"<h1><div>" * 9_000 + b"some text " * 1_000 + LINK,
    "deep behind a value with a quote": lambda: b'<b x=y="' + b"<div>" * 500_000 + b'">' + LINK,
    "deep behind a vertical tab": lambda: b'<i x=\x0b"' + b"<div>" * 500_000 + b'">' + LINK,
    "deep behind the title of a drawing": lambda: (
        LINK + b"<svg><title>" + b"<div>" * 500_000 + b"</title>"
    ),
    "deep beside end tags of others": lambda: b"<span><div></span></div>" * 200_000 + LINK,
    "deep beside end tags in comments": lambda: b"<div><!x </div>" * 200_000 + LINK,
    "deep beside end tags in end tags": lambda: b'<div></x a="></div>">' * 100_000 + LINK,
    "deep beside tables that end": lambda: b"<div><table></div></table>" * 100_000 + LINK,
    "deep beside paragraphs": lambda: b"<p><div>" * 200_000 + LINK,
    "deep beside forms": lambda: b"<form><div></form>" * 200_000 + LINK,
    "deep beside scripts in scripts": lambda: (
        b"<div><script><!--<script></script></div>--></script>" * 50_000 + LINK
    ),
    "deep in a drawing, with slashes in values": lambda: b"<svg>" + b"<g a=b/>" * 300_000 + LINK,
    "links in links of a drawing": lambda: b"<svg>" + b"<a href=/x>" * 60_000 + LINK,
    "fonts closed by cells that are none": lambda: (
        _numbered(b"<td><font size=%d></td>", 3_000) + b"<p>x" * 3_000 + LINK
    ),
    "just below the limit of tags": lambda: b"<div>" * 19_900 + LINK,
    "many headings": lambda: b"<h1>a</h1>" * 300_000 + LINK,
    "many links": lambda: LINK + b"<a href=/x>" * 900_000,
    "many links with words": lambda: b"<a href=/x>some words</a> and a few more " * 100_000 + LINK,
    "many short words": lambda: b"<p>" + b"ab " * 3_300_000 + LINK,
    "many paragraphs": lambda: LINK + b"<p>" * 3_300_000,
    "many end tags": lambda: b"</p>" * 2_000_000 + LINK,
    "many comments": lambda: b"<!-- x -->" * 900_000 + LINK,
    "a comment without end": lambda: LINK + b"<!--" + b"<div>" * 1_000_000,
    "character data sections": lambda: b"<svg><![CDATA[" * 500_000 + b"]]></svg>" + LINK,
    "ampersands": lambda: b"&" * 5_000_000 + LINK,
    "frames within frames": lambda: b"<frameset>" * 200_000 + b"<frame src=/found>",
    "nothing but less-than signs": lambda: b"<" * 10_000_000 + LINK,
    "a tail of broken links": lambda: b"<p>" * 1_000_000 + b"<a " * 8_000_000 + LINK,
    "random bytes": lambda: bytes(range(256)) * 40_000 + LINK,
    "wide characters": lambda: "<p>😀 word</p>".encode() * 500_000 + LINK,
}


def main() -> None:
    """Read the page on standard input; print the time and memory it took, and what was found."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from foragers.parsing.html.parse import parse
    from support.core_speed import unit

    body = sys.stdin.buffer.read()
    parse(b"<p>warm <a href=up>up</a>", "http://host/")
    before = _megabytes("VmRSS")
    start = time.process_time()
    page = parse(body, "http://host/folder/")
    taken = time.process_time() - start
    facts = {
        "units": taken / unit(),
        "megabytes": _megabytes("VmHWM") - before,
        "found": any(link.href == "http://host/found" for link in page.links),
        "truncated": page.truncated,
    }
    print(json.dumps(facts))


def _megabytes(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    main()

"""Main text: what is chosen of a page, and how it is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.parsing.main_text.blocks import split
from foragers.parsing.main_text.extract import blocks_of, extract
from foragers.parsing.main_text.repeats import learned

URL = "https://news.example/2024/05/tides.html"
SENTENCE = (
    "The tide rises twice a day on most coasts, and the difference between high and low water"
    " depends on the shape of the bay, on the wind, and on the moon above it. "
)
PAGE = f"""<!doctype html><html lang="en"><head><title>How tides work | The Coast</title>
<script>var hidden = 1;</script></head><body>
<nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li>
<li><a href="/sport">Sport</a></li></ul></nav>
<main><article class="post-content"><h1>How tides work</h1>
<p>{SENTENCE * 2}</p>
<h2>Why twice, and not once¶</h2>
<p>A <b>second</b> bulge stands on the far side; see <a href="/moon">the moon</a>,
which pulls. {SENTENCE}</p>
<ul><li>{SENTENCE}</li><li>Neap tides are weak. {SENTENCE}<ul><li>{SENTENCE}</li></ul></li></ul>
<blockquote><p>{SENTENCE}</p></blockquote>
<table><tr><th>Port</th><th>Range in metres</th></tr><tr><td>Brest</td><td>6.1</td></tr>
<tr><td>Dover</td><td>5.9</td></tr></table>
<p>{SENTENCE}</p>
<pre><code class="language-python">def tide(t):
    return sin(t)
</code></pre>
<p>{SENTENCE * 2}</p></article></main>
<footer><p>© 2024 The Coast. All rights reserved.</p><a href="/imprint">Imprint</a></footer>
</body></html>"""


def test_navigation_and_footer_are_left_out() -> None:
    text = extract(PAGE.encode(), URL).text
    assert "twice a day" in text
    assert not any(word in text for word in ("Sport", "Imprint", "All rights", "hidden"))


def test_paragraphs_headings_lists_tables_and_code_are_kept_in_markdown() -> None:
    markdown = extract(PAGE.encode(), URL).markdown
    assert "## Why twice, and not once\n\nA **second** bulge" in markdown
    assert "see [the moon](https://news.example/moon), which pulls." in markdown
    assert f"\n- {SENTENCE.strip()}\n- Neap tides are weak." in markdown
    assert f"\n  - {SENTENCE.strip()}\n" in markdown
    assert f"\n\n> {SENTENCE.strip()}\n\n" in markdown
    assert "| Port | Range in metres |\n| --- | --- |\n| Brest | 6.1 |\n| Dover | 5.9 |" in markdown
    assert "\n```python\ndef tide(t):\n    return sin(t)\n```\n" in markdown


def test_plain_text_has_paragraphs_and_no_marks() -> None:
    text = extract(PAGE.encode(), URL).text
    assert "Why twice, and not once\n\nA second bulge stands on the far side; see the moon," in text
    assert "Port | Range in metres\nBrest | 6.1\nDover | 5.9" in text
    assert "**" not in text
    assert "](" not in text


def test_inline_elements_leave_no_gaps_between_words_and_punctuation() -> None:
    page = (
        f"<article><p>{SENTENCE}One <a href=/x>word</a>, and <i>two</i>! {SENTENCE}</p></article>"
    )
    assert "One word, and two! " in extract(page.encode(), URL).text


def test_two_line_breaks_end_a_paragraph_and_one_ends_a_line() -> None:
    page = b"<div>one<br>two<br><br>three</div>"
    assert [block.text for block in blocks_of(page).blocks] == ["one\ntwo", "three"]


def test_markdown_cannot_be_injected_by_text() -> None:
    text = f"{SENTENCE} *stars* [x](javascript:1) &lt;script&gt; `tick`"
    page = f"<article><p>{text}</p><p># {SENTENCE}</p><p>1. {SENTENCE}</p></article>"
    markdown = extract(page.encode(), URL).markdown
    assert r"\*stars\* \[x\](javascript:1) \<script> \`tick\`" in markdown
    assert "\n\n\\# The tide" in markdown
    assert "\n\n1\\. The tide" in markdown


@pytest.mark.parametrize("href", ["javascript:alert(1)", "data:text/html,x", "mailto:a@b", "#top"])
def test_only_links_to_pages_become_links(href: str) -> None:
    page = f"<article><p>{SENTENCE}<a href='{href}'>here</a> {SENTENCE}</p></article>"
    markdown = extract(page.encode(), URL).markdown
    assert "here" in markdown
    assert "](" not in markdown


def test_links_are_resolved_against_the_base_of_the_page() -> None:
    page = (
        f"<head><base href='/docs/'></head><article><p>{SENTENCE}<a href='a(1)'>one</a>"
        f" {SENTENCE}</p></article>"
    )
    assert "[one](https://news.example/docs/a%281%29)" in extract(page.encode(), URL).markdown


def test_a_page_without_main_text_gives_what_there_is() -> None:
    assert extract(b"<p>Short.</p>", URL).text == "Short."
    assert extract(b"", URL).text == ""


def test_what_repeats_on_a_site_is_left_out() -> None:
    notice = f"<p>We use cookies to improve this site. {SENTENCE}</p>"
    pages = [
        f"<article><h1>Day {n}</h1>{notice}<p>On day {n}: {SENTENCE * 2}</p></article>".encode()
        for n in range(12)
    ]
    repeated = learned(map(blocks_of, pages))
    alone, known = (extract(pages[3], URL, repeated=some).text for some in (frozenset(), repeated))
    assert "We use cookies" in alone
    assert "We use cookies" not in known
    assert "On day 3" in known


def test_a_heading_that_repeats_stays() -> None:
    pages = [
        f"<article><h2>Parameters of this function</h2><p>{n} {SENTENCE}</p></article>".encode()
        for n in range(12)
    ]
    assert "Parameters" in extract(pages[0], URL, repeated=learned(map(blocks_of, pages))).text


def test_chunks_have_at_most_so_many_words_and_know_their_headings() -> None:
    main = extract(PAGE.encode(), URL)
    chunks = main.chunks(60)
    assert len(chunks) > 2
    assert all(len(chunk.text.split()) <= 60 for chunk in chunks)
    assert chunks[-1].headings == ("How tides work", "Why twice, and not once")
    words = [word for chunk in chunks for word in chunk.text.split()]
    assert words == main.text.split()


def test_a_deep_page_and_a_wide_one_are_bounded() -> None:
    deep = b"<div>" * 100_000 + b"text"
    assert len(blocks_of(deep).blocks) <= 1
    wide = b"<p>a" * 60_000
    assert len(blocks_of(wide).blocks) <= 20_001


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from([
            "<p>", "</p>", "<ul>", "<ol>", "<li>", "</li>", "<table>", "<tr>", "<td>", "</table>",
            "<pre>", "</pre>", "<h2>", "</h2>", "<a href=x>", "</a>", "<b>", "<code>", "<br>",
            "<blockquote>", "<script>", "</script>", "text ", SENTENCE, "\n", "`", "|", "<svg>",
            "<body>", "<frameset>", "<template>", "<div hidden>", "</div>", "\0", "&#x1;", "é",
        ]),
        max_size=40,
    )
)  # fmt: skip
def test_no_page_makes_it_fail(parts: list[str]) -> None:
    main = extract("".join(parts).encode(), URL)
    assert main.text is not None
    assert main.markdown is not None
    assert all(len(chunk.text.split()) <= 10 for chunk in main.chunks(10))


def test_an_empty_tree_has_no_blocks() -> None:
    from selectolax.lexbor import LexborHTMLParser

    assert split(LexborHTMLParser(b"")).blocks == []

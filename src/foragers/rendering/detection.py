"""Detection of shells: pages without content until their scripts have run.

A page with content is never a shell.  A page with few words, few links and a script is one if it
shows another sign: an empty root element of an application, a notice for browsers without
JavaScript, or no other content at all.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

SCRIPT = re.compile(rb"<script", re.IGNORECASE)
MAX_WORDS, MAX_LINKS = 80, 8
"""A page with more words or links has content; guess."""
MAX_WORDS_IN_ROOT = 15
"""Room for "Loading, please wait" and a little more; guess."""
BARE_WORDS = 5
"""A page with no more words and a script is a shell; guess."""
ROOTS = ", ".join(
    [f"#{name}" for name in (
        "root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "app-root",
        "react-root", "reactRoot", "react-app", "vue-app", "q-app", "application", "app-container",
        "app-mount", "mount", "ember-app", "elm", "spa", "app-wrapper", "react-container",
    )]
    + ["[ng-app]", "[data-ng-app]", "[ng-view]", "[ui-view]", "[v-cloak]", "[data-reactroot]",
       "[data-v-app]", "app-root", "router-outlet", "flutter-view", "ion-app"]
)  # fmt: skip
"""Root elements of the common frameworks."""
UNSEEN = "script, style, noscript, template, head"
ELSEWHERE = "frameset, frame, object, embed, applet, area[href]"
"""Elements with content that is not made by scripts."""
REFRESH = "meta[http-equiv=refresh i]"
NOTICE = re.compile(r"java\s*script", re.IGNORECASE)
UNFILLED = re.compile(r"\{\{[^{}]{1,200}\}\}")


def is_shell(html: bytes) -> bool:
    """Return whether a page needs its scripts to show content."""
    if not SCRIPT.search(html):
        return False
    tree = LexborHTMLParser(html)
    body = tree.body
    if body is None or tree.css_first(ELSEWHERE) or tree.css_first(REFRESH):
        return False
    notice = any(NOTICE.search(node.text()) for node in tree.css("noscript"))
    has_code = any(is_code(node) for node in tree.css("script"))
    tree.strip_tags(UNSEEN.split(", "))
    words = words_in(body)
    if not has_code or words > MAX_WORDS or len(body.css("a[href]")) > MAX_LINKS:
        return False
    return notice_only(words, notice) or words <= BARE_WORDS or has_empty_root(body)


def notice_only(words: int, notice: bool) -> bool:
    """Return whether a page shows little more than a notice that JavaScript is needed."""
    return notice and words <= MAX_WORDS_IN_ROOT


def is_code(script: LexborNode) -> bool:
    """Return whether a script element is code, and not data."""
    kind = (script.attributes.get("type") or "").strip().lower()
    return not kind or kind == "module" or "javascript" in kind or "ecmascript" in kind


def has_empty_root(body: LexborNode) -> bool:
    """Return whether a page has the root element of an application without content."""
    for root in body.css(ROOTS):
        unfilled = UNFILLED.search(root.text())
        if unfilled or (words_in(root) <= MAX_WORDS_IN_ROOT and len(root.css("a[href]")) <= 1):
            return True
    return False


def words_in(node: LexborNode) -> int:
    """Return the number of words in an element."""
    return len(node.text(separator=" ").split())

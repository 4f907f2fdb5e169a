"""Which pages are empty shells that a script fills.

A page that says something without its scripts is never one.  What says next to nothing, has
hardly a link and does have a script is a shell if it shows one more sign: a place for an
application to go, a notice for those without scripts, or nothing else at all.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

SCRIPT = re.compile(rb"<script", re.IGNORECASE)
MAX_WORDS, MAX_LINKS = 80, 8
"""A page with more of either says something."""
MAX_WORDS_IN_ROOT = 15
"""The words of "Loading, please wait", and some more."""
BARE_WORDS = 5
ROOTS = ", ".join(
    [f"#{name}" for name in (
        "root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "app-root",
        "react-root", "reactRoot", "react-app", "vue-app", "q-app", "application", "app-container",
        "app-mount", "mount", "ember-app", "elm", "spa", "app-wrapper", "react-container",
    )]
    + ["[ng-app]", "[data-ng-app]", "[ng-view]", "[ui-view]", "[v-cloak]", "[data-reactroot]",
       "[data-v-app]", "app-root", "router-outlet", "flutter-view", "ion-app"]
)  # fmt: skip
"""Where the common frameworks put what they make."""
UNSEEN = "script, style, noscript, template, head"
ELSEWHERE = "frameset, frame, object, embed, applet, area[href]"
"""What fills a page without a script that we could run."""
REFRESH = "meta[http-equiv=refresh i]"
NOTICE = re.compile(r"java\s*script", re.IGNORECASE)
UNFILLED = re.compile(r"\{\{[^{}]{1,200}\}\}")


def is_shell(html: bytes) -> bool:
    """Say whether a page needs its scripts to say anything."""
    if not SCRIPT.search(html):
        return False
    tree = LexborHTMLParser(html)
    body = tree.body
    if body is None or tree.css_first(ELSEWHERE) or tree.css_first(REFRESH):
        return False
    notice = any(NOTICE.search(node.text()) for node in tree.css("noscript"))
    works = any(is_at_work(node) for node in tree.css("script"))
    tree.strip_tags(UNSEEN.split(", "))
    words = words_in(body)
    if not works or words > MAX_WORDS or len(body.css("a[href]")) > MAX_LINKS:
        return False
    return notice_only(words, notice) or words <= BARE_WORDS or has_empty_root(body)


def notice_only(words: int, notice: bool) -> bool:
    """Say whether all that a page has to say is that scripts are needed."""
    return notice and words <= MAX_WORDS_IN_ROOT


def is_at_work(script: LexborNode) -> bool:
    """Say whether a script element is code, and not data for others to read."""
    kind = (script.attributes.get("type") or "").strip().lower()
    return not kind or kind == "module" or "javascript" in kind or "ecmascript" in kind


def has_empty_root(body: LexborNode) -> bool:
    """Say whether a page has a place for an application, and nothing in it yet."""
    for root in body.css(ROOTS):
        unfilled = UNFILLED.search(root.text())
        if unfilled or (words_in(root) <= MAX_WORDS_IN_ROOT and len(root.css("a[href]")) <= 1):
            return True
    return False


def words_in(node: LexborNode) -> int:
    """Return how many words stand in a part of a page."""
    return len(node.text(separator=" ").split())

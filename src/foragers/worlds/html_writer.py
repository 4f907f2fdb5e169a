"""HTML for generated pages: a document and its links.

Parsing the page gives what it was made of: only the text is in the main part, headings are in the
header, and links stand beside the text, each in elements as named by its path, in the order of the
page.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from itertools import groupby

from foragers.core.types import Document, ParsedLink

ASIDES = frozenset(("nav", "aside", "footer"))
CONTAINERS = ASIDES | {"header", "main", "article", "section", "div", "ul", "ol"}
ITEMS = frozenset(("li", "p", "div", "span"))
BESIDE = ("nav", "ul", "li")
"""The elements of a link whose own cannot be used."""


def render(document: Document, outlinks: Sequence[ParsedLink]) -> bytes:
    """Return a page with the text of the document and its links in order."""
    headings = "".join(f"<h2>{escape(heading)}</h2>" for heading in document.headings)
    header = f"<header>{headings}</header>\n" if headings else ""
    runs = groupby(outlinks, key=lambda out: out.path)
    links = "".join(run(elements(path), list(outs)) for path, outs in runs)
    language = f' lang="{escape(document.language)}"' if document.language else ""
    html = (
        f"<!DOCTYPE html>\n<html{language}><head>{head(document)}</head><body>\n"
        f"{header}<main><p>{escape(document.text)}</p></main>\n{links}</body></html>\n"
    )
    return html.encode("utf-8", "replace")


def head(document: Document) -> str:
    """Return the head of the page."""
    markup = f'<meta charset="utf-8"><title>{escape(document.title)}</title>'
    if document.published is not None:
        moment = datetime.fromtimestamp(document.published, UTC).isoformat()
        markup += f'<meta property="article:published_time" content="{moment}">'
    if document.canonical:
        markup += f'<link rel="canonical" href="{escape(document.canonical)}">'
    return markup


@lru_cache(maxsize=1024)
def elements(path: str) -> tuple[str, ...]:
    """Return the elements around a link: those of its path, inside one that is no main text."""
    steps = path.split(" ")
    tags = [step.partition(".")[0] for step in steps]
    if tags[:2] != ["html", "body"] or tags[-1] != "a" or len(tags) < 5:
        return BESIDE
    if not CONTAINERS.issuperset(tags[2:-2]) or tags[-2] not in ITEMS:
        return BESIDE
    around = steps[2:-1]
    if ASIDES.isdisjoint(tags[2:-2]):
        around.insert(-2, "aside")
    return tuple(around)


def run(around: Sequence[str], outlinks: Sequence[ParsedLink]) -> str:
    """Return links that follow each other in the same elements, each in an innermost of its own."""
    *outer, inner = around
    opened = "".join(opening(step) for step in outer)
    closed = "".join(closing(step) for step in reversed(outer))
    items = "\n".join(f"{opening(inner)}{words(out)}{closing(inner)}" for out in outlinks)
    return f"{opened}\n{items}\n{closed}\n"


def opening(step: str) -> str:
    """Return the tag that opens an element, named by its tag and first class."""
    tag, _, name = step.partition(".")
    return f'<{tag} class="{escape(name)}">' if name else f"<{tag}>"


def closing(step: str) -> str:
    """Return the tag that closes an element."""
    return f"</{step.partition('.')[0]}>"


def words(out: ParsedLink) -> str:
    """Return a link with the words around it."""
    before, _, after = out.around.partition(out.anchor) if out.anchor else (out.around, "", "")
    rel = f' rel="{escape(out.rel)}"' if out.rel else ""
    link = f'<a href="{escape(out.href)}"{rel}>{escape(out.anchor)}</a>'
    return f"{escape(before)}{link}{escape(after)}"

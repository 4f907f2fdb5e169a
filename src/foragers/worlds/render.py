"""HTML for pages that were never written by anyone: a document and its links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape

from foragers.types import Document, Outlink


def render(document: Document, outlinks: Sequence[Outlink]) -> bytes:
    """Return a page that says what the document says and carries its links in order.

    The text around a link becomes the list item that holds it, so that a reader of
    the page finds the anchor, and the words before and after it, where they belong.
    """
    head = f"<title>{escape(document.title)}</title>"
    if document.published is not None:
        moment = datetime.fromtimestamp(document.published, UTC).isoformat()
        head += f'<meta property="article:published_time" content="{moment}">'
    if document.canonical:
        head += f'<link rel="canonical" href="{escape(document.canonical)}">'
    headings = "".join(f"<h2>{escape(heading)}</h2>" for heading in document.headings)
    items = "\n".join(item(out) for out in outlinks)
    language = f' lang="{escape(document.language)}"' if document.language else ""
    html = (
        f'<!DOCTYPE html>\n<html{language}><head><meta charset="utf-8">{head}</head><body>\n'
        f"<main>{headings}<p>{escape(document.text)}</p></main>\n<ul>\n{items}\n</ul>\n"
        "</body></html>\n"
    )
    return html.encode("utf-8", "replace")


def item(out: Outlink) -> str:
    """Return the list item of one link, with the words around it."""
    before, _, after = out.around.partition(out.anchor) if out.anchor else (out.around, "", "")
    rel = f' rel="{escape(out.rel)}"' if out.rel else ""
    link = f'<a href="{escape(out.href)}"{rel}>{escape(out.anchor)}</a>'
    return f"<li>{escape(before)}{link}{escape(after)}</li>"

"""The parts of a report in HTML; all text from outside is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from foragers.core.display import is_web, plain
from foragers.evaluation.plots.page_colours import SCHEME
from foragers.evaluation.plots.widths import ONE_OF_BOTH

# If markup were ever not escaped, nothing could be run or loaded.  Pictures within the page are
# shown: figures have heat maps and colour bars in them.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
    " form-action 'none'"
)
STYLE = (
    SCHEME
    + ONE_OF_BOTH
    + """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
       padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0 0 .3rem; }
p.note { color: var(--soft); font-size: .9rem; margin: .3rem 0; }
dl.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr));
             gap: .75rem; margin: 1.2rem 0; }
dl.numbers div { background: var(--card); border-radius: .4rem; padding: .6rem .8rem; }
dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; font-size: 1.35rem; font-weight: 600;
     font-variant-numeric: tabular-nums; white-space: nowrap; }
dd small { display: block; font-size: .8rem; font-weight: 400; color: var(--soft);
           white-space: normal; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
        font-size: .92rem; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
.text { text-align: left; min-width: 6rem; max-width: 30rem; overflow-wrap: break-word; }
td.text:first-child { min-width: 9rem; overflow-wrap: anywhere; } th.text { overflow-wrap: normal; }
table.about th { width: 7rem; text-align: left; vertical-align: top; }
table.about td { text-align: left; overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
           gap: 2rem; }
@media (max-width: 34rem) { body { margin: 1rem auto; } th, td { padding: .3rem .4rem; } }
.columns > div { min-width: 0; } .scroll { overflow-x: auto; }
svg { width: 100%; height: auto; display: block; } td small { color: var(--soft); }
ul.tree, ul.tree ul { list-style: none; margin: 0; padding-left: 1.1rem; font-size: .92rem; }
ul.tree { padding-left: 0; } ul.tree ul { border-left: 1px solid var(--line); }
ul.tree > li { margin-bottom: .6rem; }
a { text-decoration: none; } a:hover { text-decoration: underline; }
"""
)


def document(title: str, body: str) -> str:
    """Return a self-contained page."""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>{words(title)}</title><style>{STYLE}</style></head><body>
{body}
</body></html>
"""


def words(text: str, longest: int = 200) -> str:
    """Return escaped text."""
    return escape(plain(text, longest))


def apart(text: str) -> str:
    """Return text from the web whose direction does not affect the text around it."""
    return f"<bdi>{words(text)}</bdi>"


def link(url: str, text: str = "") -> str:
    """Return a link if the URL is http or https, otherwise the text alone."""
    shown = apart(text or url)
    if not is_web(url):
        return shown
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{shown}</a>'


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], text: int = 1) -> str:
    """Return a table of cells that are HTML already; the first columns are text."""
    top = row("th", [words(heading) for heading in headings], text)
    return (
        f'<div class="scroll"><table>{top}{"".join(row("td", r, text) for r in rows)}</table></div>'
    )


def row(kind: str, cells: Sequence[str], text: int) -> str:
    """Return one row of a table."""
    inside = "".join(
        f"<{kind}{' class=text' if place < text else ''}>{cell}</{kind}>"
        for place, cell in enumerate(cells)
    )
    return f"<tr>{inside}</tr>"


def section(title: str, *parts: str) -> str:
    """Return a part of the report under a heading."""
    return f"<h2>{words(title)}</h2>\n" + "\n".join(parts)


def columns(*parts: tuple[str, str]) -> str:
    """Return titled parts side by side, if there is room."""
    inside = "".join(f"<div><h3>{words(title)}</h3>{part}</div>" for title, part in parts)
    return f'<div class="columns">{inside}</div>'


def note(text: str) -> str:
    """Return a note."""
    return f'<p class="note">{words(text, 1000)}</p>'

"""`foragers explain`: why a page was fetched, or why it was not."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foragers.core.display import counted, plain, sentence
from foragers.core.protocols import Reasons
from foragers.reports.crawl_folder import opened
from foragers.reports.explain import Explanation, PathStep, explain
from foragers.reports.retell import telling_of
from foragers.reports.similar_urls import Linking
from foragers.strategies.registry import parse

STATES = ("is", "value")
"""Columns whose numbers are not added to others."""
FIRST, LAST = 3, 12
"""The number of steps shown at each end of a long path."""


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument(
        "folder", type=Path, metavar="DIR", help="folder of a crawl, or ledger of a run"
    )
    verb.add_argument("url", metavar="URL", help="URL of a page, fetched or not")
    verb.add_argument(
        "--world",
        type=Path,
        metavar="W",
        help="web of the comparison, for a ledger of 'compare'",
    )
    verb.add_argument(
        "--strategy",
        default="",
        metavar="NAME(…)",
        help="explain with this strategy (default: the one that crawled)",
    )
    verb.add_argument("--json", action="store_true", help="print the explanation as JSON")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the explanation."""
    with opened(options.folder) as folder, Console(stderr=True).status("reading the ledger"):
        if options.strategy:
            parse(options.strategy)
        telling = telling_of(folder, options.world)
        found = explain(folder, options.url, telling, options.strategy)
    if options.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
        return
    for line in lines(found):
        console.print(line, soft_wrap=True)
    if found.reasons:
        show_reasons(found.reasons, console)
    if found.judged:
        show_reasons(found.judged, console, "Why it has this relevance")


def show_reasons(
    reasons: Reasons, console: Console, title: str = "Why it had this promise"
) -> None:
    """Print the reasons of a strategy, or of a judge."""
    console.print()
    console.print(Text(title, style="bold"))
    console.print(said("  ", sentence(reasons.says)), soft_wrap=True)
    if reasons.parts:
        grid = Table(box=SIMPLE, pad_edge=False)
        grid.add_column("", overflow="ellipsis", max_width=34)
        for column in reasons.columns:
            grid.add_column(plain(column), justify="right")
        for part in reasons.parts:
            numbers = zip(reasons.columns, part.adds, strict=True)
            grid.add_row(Text(plain(part.name, 60)), *(number(*pair) for pair in numbers))
        console.print(grid)
    if reasons.note:
        console.print(said("  ", sentence(reasons.note)), soft_wrap=True)


def number(column: str, value: float) -> str:
    """Return a number of the table, with a sign where it is added to something."""
    return f"{value:.2f}" if column in STATES else f"{value:+.2f}"


def lines(found: Explanation) -> list[Text]:
    """Return an explanation as text."""
    if found.path:
        return [*outcome(found), *way(found)]
    if found.links or found.seed:
        return not_fetched(found)
    text = [said("", f"{plain(found.asked)} was never seen by this crawl.")]
    if found.nearest:
        text += [said("", "Similar known URLs:")]
        text += [said("  ", url) for url in found.nearest]
    return text


def outcome(found: Explanation) -> list[Text]:
    """Return the outcome of a download."""
    last = found.path[-1]
    when = last.fetched or "at an unknown time"
    had = ("fetched", f"{when}, download {last.download or 0:,}")
    if not found.fetched:
        had = ("not fetched", f"skipped at {when}, visit {last.number:,} of the ledger")
    rows = [
        had,
        ("title", last.title),
        ("redirected to", last.final_url if last.final_url != last.url else ""),
        ("outcome", f"{last.status} {last.reason}".strip()),
        ("promise", f"{last.promise:.3f}"),
        ("relevance", judged(last) if found.fetched else ""),
        ("agent", last.agent),
        ("depth", far(last)),
        ("archived", f"{last.warc} at byte {last.offset:,}" if last.warc else "not archived"),
    ]
    if len(found.downloads) > 1:
        rows.append(("downloads", f"{len(found.downloads)}, of which this is the last"))
    if found.fetched and found.skips:
        rows.append(("skipped", counted(len(found.skips), "time") + " besides"))
    text = [Text(plain(last.url, 2000), style="bold")]
    return text + [said(f"  {name:<14}", value) for name, value in rows if value]


def far(step: PathStep) -> str:
    """Say how far from the seeds a page is."""
    return f"{counted(step.depth, 'link')} from a seed" if step.depth > 0 else "a seed"


def judged(step: PathStep) -> str:
    """Return the verdict of the judge."""
    return f"{step.relevance:.3f}, {'relevant' if step.relevant else 'not relevant'}"


def way(found: Explanation) -> list[Text]:
    """Say how the crawl came to a page."""
    path = found.path
    text = [Text(), Text("Path of the crawl to this page", style="bold")]
    for index, step in enumerate(path):
        if len(path) > FIRST + LAST and FIRST <= index < len(path) - LAST:
            if index == FIRST:
                text.append(said("  ", f"… {len(path) - FIRST - LAST:,} steps …"))
            continue
        text += step_lines(step, first=index == 0)
    return text


def step_lines(step: PathStep, first: bool) -> list[Text]:
    """Return one step of the path: the words that led there, the URL, the numbers."""
    text = []
    if not first:
        text.append(said("  ↓ ", words(step.anchor, step.around)))
    elif step.depth > 0:
        text.append(said("  ", "(the pages before it are not in the ledger)"))
    result = "" if step.status == "ok" else f", {step.status} {step.reason}".rstrip()
    start = "seed, " if first and step.depth <= 0 else ""
    text.append(said("  ", step.url, 2000))
    text.append(
        said("      ", f"{start}promise {step.promise:.3f}, relevance {step.relevance:.3f}{result}")
    )
    return text


def words(anchor: str | None, around: str | None) -> str:
    """Return the words of a link."""
    if anchor and anchor.strip():
        return f"“{plain(anchor, 70)}”"
    if around and around.strip():
        return f"a link without words, near “{plain(around, 50)}”"
    return "a link without words"


def not_fetched(found: Explanation) -> list[Text]:
    """Return the facts about a URL that was not fetched."""
    what = "is a seed but" if found.seed else "is known but"
    text = [said("", f"{plain(found.asked)} {what} was not fetched.")]
    if found.links:
        verb = "links" if found.links == 1 else "link"
        text.append(said("", f"{counted(found.links, 'page')} {verb} to it:"))
    text += [line for linking in found.linked_from for line in linking_lines(linking)]
    if found.links > len(found.linked_from):
        text.append(said("  ", f"… and {found.links - len(found.linked_from):,} more"))
    return text


def linking_lines(linking: Linking) -> list[Text]:
    """Return a page that links to a URL, and its words."""
    told = f"{words(linking.anchor, linking.around)}, page relevance {linking.relevance:.3f}"
    return [said("  ", linking.url, 2000), said("      ", told)]


def said(label: str, text: str, longest: int = 400) -> Text:
    """Return a line whose second part may come from the web."""
    return Text.assemble((label, "dim"), plain(text, longest))

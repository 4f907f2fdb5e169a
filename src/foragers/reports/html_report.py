"""A crawl as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Iterator

from foragers.core.display import counted, duration, utc
from foragers.core.types import Status
from foragers.evaluation.metrics.counts import ERRORS, downloaded
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import LATELY, LISTED, Summary, part, summarise
from foragers.evaluation.plots.widths import at_both_widths
from foragers.http.reasons import reason_said
from foragers.judges.words import Standing
from foragers.reports import figures as pictures
from foragers.reports import population as agent_pictures
from foragers.reports.crawl_folder import CrawlFolder, CrawlRecord
from foragers.reports.family_tree import family, family_tree
from foragers.reports.figures import estimate_of, standing_of
from foragers.reports.html import (
    apart,
    columns,
    document,
    link,
    note,
    section,
    table,
    words,
)
from foragers.reports.population import agents_of, foragers_of
from foragers.storage.ledger.columns import Facts

BEST = """
SELECT title, coalesce(f.href, ''), best, first
FROM (
    SELECT max(relevance) AS best, min(number) AS first FROM visits
    WHERE relevant AND status = 'ok' AND number <= ? GROUP BY version
) AS versions
JOIN visits ON visits.number = first LEFT JOIN urls f ON f.id = visits.final
ORDER BY best DESC, first LIMIT ?
"""
SEEDS_SHOWN = 5


def report(folder: CrawlFolder) -> str:
    """Return the report of a crawl so far."""
    facts = folder.facts()
    summary = summarise(facts, *folder.notes())
    told = folder.told()
    parts = [heading(told, summary), numbers(summary, estimate_of(folder), standing_of(folder))]
    if not summary.downloads:
        parts.append(note("Nothing has been fetched yet."))
        return document(title(told), "\n".join([*parts, *reasons(summary)]))
    downloads = part(facts, downloaded(facts))
    if summary.relevant:
        parts.append(best(folder))
    parts.append(harvested(downloads))
    parts += [hosts(summary), *reasons(summary), judged(downloads)]
    parts += populated(folder, downloads)
    return document(title(told), "\n".join(parts))


def title(told: CrawlRecord) -> str:
    """Return the target of the crawl."""
    return f"Crawl: {told.topic}" if told.topic else "Crawl"


def heading(told: CrawlRecord, summary: Summary) -> str:
    """Return the title, the options, and why the crawl stopped."""
    return f'<h1>{words(title(told))}</h1>\n<table class="about">' + "".join(
        f"<tr><th>{words(name)}</th><td>{value}</td></tr>" for name, value in about(told, summary)
    ) + "</table>"  # fmt: skip


def about(told: CrawlRecord, summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield the options of the crawl, and why it stopped."""
    if told.seeds:
        more = len(told.seeds) - SEEDS_SHOWN
        shown = "<br>".join(link(seed) for seed in told.seeds[:SEEDS_SHOWN])
        yield (
            counted(len(told.seeds), "seed"),
            shown + (f"<br>and {more:,} more" if more > 0 else ""),
        )
    if told.strategy:
        yield "strategy", words(told.strategy)
    if told.budget is not None:
        yield "budget", counted(told.budget, "download")
    began, ended = utc(summary.began), utc(summary.ended)
    if began and ended:
        yield "time", f"{began:%Y-%m-%d %H:%M:%S} to {ended:%Y-%m-%d %H:%M:%S} UTC"
    yield "stopped", words(told.stopped or "not yet, as far as known")


def numbers(
    summary: Summary, estimate: Estimate | None = None, standing: Standing | None = None
) -> str:
    """Return the main numbers."""
    per_second = summary.downloads / summary.seconds if summary.seconds else 0.0
    lately = f"{summary.harvest_lately:.1%} of the last {min(LATELY, summary.downloads)}"
    shown = (
        ("downloads", f"{summary.downloads:,}", "requests that cost budget"),
        ("relevant pages", f"{summary.relevant:,}", "each counted once"),
        *recall(estimate),
        ("harvest rate", f"{summary.harvest:.1%}", lately),
        ("hosts", f"{summary.hosts:,}", "that answered"),
        ("errors", f"{summary.errors:,}", "missing, refused, failed"),
        ("skipped", f"{summary.skipped:,}", "not asked for"),
        ("duration", duration(summary.seconds), f"{per_second:,.1f} downloads a second"),
    )
    cells = (
        f"<div><dt>{words(name)}</dt><dd>{words(value)}<small>{words(more)}</small></dd></div>"
        for name, value, more in shown
    )
    notes = "" if estimate is None else "".join(map(note, said_of(estimate)))
    passes = note(f"The judge lets pass {standing.said}.") if standing is not None else ""
    return f'<dl class="numbers">{"".join(cells)}</dl>{notes}{passes}'


def said_of(estimate: Estimate) -> Iterator[str]:
    """Yield the basis of the estimate, what more downloads will find, and the outcome of plans."""
    yield f"Recall: {estimate.basis_said}."
    for ahead in estimate.plans:
        yield f"Plan: {ahead.said}."
    for planned in estimate.planned:
        yield f"Plan: {planned.said}."


def recall(estimate: Estimate | None) -> Iterator[tuple[str, str, str]]:
    """Yield the share found, if there is an estimate."""
    if estimate is not None:
        yield "estimated recall", estimate.recall_said, estimate.total_said


def harvested(facts: Facts) -> str:
    """Return the harvest over downloads, and over the clock."""
    parts = [
        at_both_widths(lambda width: pictures.harvest(facts, width)),
        note("Above: relevant pages found over downloads; where the curve flattens, little was left"
             " to find. Below: the share of downloads that found one, window by window; dashed:"
             " over the whole crawl."),
    ]  # fmt: skip
    if len(facts) > 1:
        parts += [
            at_both_widths(lambda width: pictures.harvest_by_time(facts, width)),
            note("The same over the clock. Flat parts are pauses: of the crawl, of hosts, or of"
                 " the network."),
        ]  # fmt: skip
    return section("Harvest", *parts)


def judged(facts: Facts) -> str:
    """Return the figures about relevance, promise and depth, each with how to read it."""
    return section(
        "Relevance, promise and depth",
        columns(
            (
                "Relevance of pages",
                pictures.relevance(facts)
                + note("How many pages had which relevance; the blue ones count as relevant."),
            ),
            (
                "Promise and outcome",
                pictures.promises(facts)
                + note("The promise is the strategy's score before the download. A curve that rises"
                       " shows that it knew where to look. Each point stands for a tenth of the"
                       " downloads, or for more if they promised the same."),
            ),
            (
                "Distance from the seeds",
                pictures.depths(facts)
                + note("How many links away from a seed pages were found."),
            ),
        ),
    )  # fmt: skip


def populated(folder: CrawlFolder, facts: Facts) -> list[str]:
    """Return the section about the population of agents, if there was one."""
    agents = agents_of(folder)
    if agents is None:
        return []
    births, living = int(agents.births.sum()), int(agents.population[-1])
    first = int(agents.first.sum())
    told = (
        f"{counted(first, 'agent')} began, {births - first:,} were born, {births - living:,} died,"
        f" {living:,} live."
    )
    shown = [
        note(told),
        at_both_widths(lambda width: agent_pictures.lives(agents, facts.times, width)),
        note("Above: agents alive over downloads. Below: births, and deaths downwards."),
    ]
    if agents.has_energy:
        shown += [
            at_both_widths(lambda width: agent_pictures.energy(agents, facts.times, width)),
            note("The energy that agents hold, and that lies on pages."),
        ]
    _, drawn = family(agents, facts.times)
    tree = at_both_widths(lambda width: family(agents, facts.times, width)[0])
    legend = (
        "A line is an agent, from birth to death, below its parent; the darker, the more of its"
        " downloads were relevant."
    )
    if drawn < births:
        legend += f" Drawn are {drawn:,} agents, of the largest families."
    began = float(agents.times[0])
    return [
        section("Agents", *shown),
        *foragers(folder),
        section("Family tree", tree, note(legend), family_tree(agents, began)),
    ]


FORAGERS_SHOWN = 100
STARTS_SHOWN = 3


def foragers(folder: CrawlFolder) -> list[str]:
    """Return scores, territories and starting URLs of the foragers, if there are some."""
    found = foragers_of(folder)
    if not found:
        return []
    rows = (
        [
            words(one.name),
            f"{one.score:,.1f}",
            f"{one.paths:,}",
            f"{one.pages:,}",
            f"{one.own_pages / one.pages:.0%}" if one.pages else "–",
            f"{one.known:,}",
            "<br>".join(f"{link(url)} <small>{value:,.0f}</small>"
                        for url, value in one.weblog[:STARTS_SHOWN]) or "–",
        ]
        for one in found[:FORAGERS_SHOWN]
    )  # fmt: skip
    heads = ("forager", "score", "paths", "pages", "own pages", "weblog", "starting URLs")
    return [
        section(
            "Foragers",
            table(heads, rows),
            note(
                "Pages are those that a forager stepped to; its own are those that no other did."
                " Its weblog has so many URLs; the best of them are shown with their values."
            ),
        )
    ]


def best(folder: CrawlFolder) -> str:
    """Return the table of the most relevant pages."""
    found = folder.connection.execute(BEST, (folder.length, LISTED)).fetchall()
    rows = (
        [f"{link(url, heading)}<br><small>{apart(url)}</small>", f"{relevance:.3f}"]
        for heading, url, relevance, _ in found
    )
    return section("Most relevant pages", table(("page", "relevance"), rows))


def hosts(summary: Summary) -> str:
    """Return the table of hosts."""
    rows = (
        [apart(one.host), f"{one.downloads:,}", f"{one.relevant:,}", f"{one.harvest:.1%}",
         f"{one.errors:,}"]
        for one in summary.top_hosts
    )  # fmt: skip
    few = f", the {LISTED} with most downloads" if summary.hosts > LISTED else ""
    by_host = ("host", "downloads", "relevant", "harvest rate", "errors")
    return section(f"Hosts{few}", table(by_host, rows))


def reasons(summary: Summary) -> Iterator[str]:
    """Yield what failed and what was skipped, grouped by reason, and the hosts with most errors."""
    for heading, statuses in (
        ("What failed, by reason", ERRORS),
        ("What was skipped, by reason", (Status.SKIPPED.value,)),
        ("What was fetched and not kept, by reason", (Status.UNWANTED.value,)),
    ):
        rows = [
            [apart(reason_said(one.reason or one.status)), words(one.status), f"{one.count:,}"]
            for one in summary.outcomes
            if one.status in statuses
        ]
        if rows:
            yield section(heading, table(("reason", "status", "times"), rows, text=2))
    if summary.worst_errors:
        by_host = (
            [
                apart(one.host),
                apart(reason_said(one.reason or "–")),
                words(one.status),
                f"{one.count:,}",
            ]
            for one in summary.worst_errors
        )
        told = table(("host", "reason", "status", "times"), by_host, text=3)
        yield section("Hosts with errors, worst first", told)

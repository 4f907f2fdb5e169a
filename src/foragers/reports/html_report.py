"""A crawl as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Iterator

from foragers.core.display import counted, duration, utc
from foragers.evaluation.metrics.counts import downloaded
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import LATELY, LISTED, Summary, part, summarise
from foragers.judges.words import Standing
from foragers.reports import figures as pictures
from foragers.reports import population as agent_pictures
from foragers.reports.crawl_folder import CrawlFolder, CrawlRecord
from foragers.reports.family_tree import family, family_tree
from foragers.reports.figures import estimate_of, standing_of
from foragers.reports.html import apart, columns, document, link, note, section, table, words
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
    if summary.downloads:
        parts += drawn(part(facts, downloaded(facts)), summary)
    else:
        parts += [note("Nothing has been fetched yet."), outcomes(summary)]
    if summary.downloads:
        parts += populated(folder, part(facts, downloaded(facts)))
    if summary.relevant:
        parts.append(best(folder))
    if summary.downloads:
        parts += listed(summary)
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
        yield f"Plan {planned.said}."


def recall(estimate: Estimate | None) -> Iterator[tuple[str, str, str]]:
    """Yield the share found, if there is an estimate."""
    if estimate is not None:
        yield "estimated recall", estimate.recall_said, estimate.total_said


def drawn(facts: Facts, summary: Summary) -> list[str]:
    """Return the figures, and the outcomes of choices beside the last one."""
    return [
        section(
            "Harvest",
            pictures.harvest(facts),
            note("Relevant pages found over downloads, and the share of downloads that found one,"
                 " window by window; dashed: over the whole crawl."),
        ),
        section(
            "Relevance, promise and depth",
            columns(
                ("Relevance of pages", pictures.relevance(facts)),
                ("Promise and outcome", pictures.promises(facts)),
                ("Distance from the seeds", pictures.depths(facts)),
                ("Outcomes of choices", outcomes(summary)),
            ),
            note("The promise is the strategy's score before the download. Each point stands for"
                 " a tenth of the downloads, or for more if they promised the same."),
        ),
    ]  # fmt: skip


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
    shown = [note(told), agent_pictures.lives(agents, facts.times)]
    if agents.has_energy:
        shown.append(agent_pictures.energy(agents, facts.times))
    tree, drawn = family(agents, facts.times)
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


def listed(summary: Summary) -> list[str]:
    """Return the tables of hosts and of errors."""
    hosts = (
        [apart(one.host), f"{one.downloads:,}", f"{one.relevant:,}", f"{one.harvest:.1%}",
         f"{one.errors:,}"]
        for one in summary.top_hosts
    )  # fmt: skip
    errors = (
        [apart(one.host), words(one.status), apart(one.reason or "–"), f"{one.count:,}"]
        for one in summary.worst_errors
    )
    few = f", the {LISTED} with most downloads" if summary.hosts > LISTED else ""
    by_host = ("host", "downloads", "relevant", "harvest rate", "errors")
    parts = [section(f"Hosts{few}", table(by_host, hosts))]
    if summary.worst_errors:
        told = table(("host", "status", "reason", "times"), errors, text=3)
        parts.append(section("Errors by host, worst first", told))
    return parts


def outcomes(summary: Summary) -> str:
    """Return the table of outcomes and their reasons."""
    rows = (
        [words(one.status), apart(one.reason or "–"), f"{one.count:,}"] for one in summary.outcomes
    )
    return table(("status", "reason", "times"), rows, text=2) if summary.outcomes else ""

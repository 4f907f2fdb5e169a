"""`population`: population control for crawlers of many agents, made again.

On a generated web with five topics, or on recorded ones.  Then the comparison that nobody has
published: the same budget spent by one best-first crawler, by this population, by foragers and
by automata.  docs/reproducing-population.md tells what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foragers.evaluation.tables import Exhibits
from foragers.papers.automata.crawls import all_of
from foragers.papers.automata.webs import TopicOnWeb, by_web, judge_together, world_of
from foragers.papers.claims import on_world
from foragers.papers.population.claims import claims
from foragers.papers.population.crawls import (
    Bounds,
    PopulationResults,
    PopulationTask,
    PopulationTrace,
    grounds_of,
    perform,
)
from foragers.papers.population.figures import figures
from foragers.papers.population.numbers import (
    BEST,
    BUFFERED,
    COST,
    FACTORS,
    HIGH_GAIN,
    LITERALS,
    PAPERS_OWN,
    RIVALS,
    RUNS,
    SIGMOIDS,
    UNBUFFERED,
)
from foragers.papers.population.tables import tables
from foragers.papers.request import PaperRequest, Progress

FAINTEST = 1e-3
"""A mean relevance below this is taken for it, so that ρ stays a number."""


def reproduce(request: PaperRequest, progress: Progress) -> Exhibits:
    """Make all exhibits of the paper."""
    grounds = grounds_of(request, RUNS if request.runs is None else request.runs)
    all_of(judge_together, by_web(grounds), request.jobs, "judging webs", progress)
    first = crawls(request, [sigmoids(ground) for ground in grounds], grounds, progress)
    rhos = {
        name: [factor * COST / max(trace.gain, FAINTEST) for trace in first[BEST]]
        for name, factor in FACTORS.items()
    }
    originals = [
        {
            name: spec_of(grounds[run], "original", COST, rho=found[run])
            for name, found in rhos.items()
        }
        for run in range(len(grounds))
    ]
    second = [{**specs, **others(ground)} for specs, ground in zip(originals, grounds, strict=True)]
    rest = crawls(request, second, grounds, progress)
    results = PopulationResults(grounds, {**first, **rest}, rhos)
    return Exhibits(
        "population",
        "Population control for crawlers of many agents, made again",
        settings_of(request, results),
        tables(results),
        figures(results),
        on_world(claims(results), world_of(grounds)),
    )


def crawls(
    request: PaperRequest,
    specs: Sequence[Mapping[str, str]],
    grounds: Sequence[TopicOnWeb],
    progress: Progress,
) -> dict[str, list[PopulationTrace]]:
    """Do the crawls of every run, and sort them by crawler."""
    tasks = [
        PopulationTask(ground, crawler, spec, request.seed + run)
        for run, (ground, wanted) in enumerate(zip(grounds, specs, strict=True))
        for crawler, spec in wanted.items()
    ]
    found: dict[str, list[PopulationTrace]] = {}
    for trace in all_of(perform, tasks, request.jobs, "crawling", progress):
        found.setdefault(trace.task.crawler, []).append(trace)
    return found


def sigmoids(ground: TopicOnWeb) -> dict[str, str]:
    """Return the crawlers of Figs. 3, 5 and 6."""
    return {
        **{name: spec_of(ground, "sigmoid", cost, gain) for name, (cost, gain) in SIGMOIDS.items()},
        UNBUFFERED: spec_of(ground, "sigmoid", COST, HIGH_GAIN),
        BUFFERED: spec_of(ground, "conserved", COST, HIGH_GAIN),
        **{
            LITERALS[name]: spec_of(ground, "sigmoid", cost, gain, literal=True)
            for name, (cost, gain) in SIGMOIDS.items()
        },
        LITERALS[BUFFERED]: spec_of(ground, "conserved", COST, HIGH_GAIN, literal=True),
    }


def others(ground: TopicOnWeb) -> dict[str, str]:
    """Return who else spends the same budget."""
    own = spec_of(ground, "conserved", COST, SIGMOIDS[BEST][1])
    return {name: own if name == PAPERS_OWN else spec for name, spec in RIVALS.items()}


def spec_of(
    ground: TopicOnWeb,
    kind: str,
    cost: float,
    gain: float = 1.0,
    rho: float = 1.0,
    literal: bool = False,
) -> str:
    """Return a population as the paper has it, and as large as the crawl allows."""
    bounds = Bounds.of(ground)
    return (
        f"energy(kind={kind}, agents={bounds.agents}, least={bounds.least}, most={bounds.most},"
        f" cost={cost:g}, gain={gain:g}, rho={rho:.6f}{', literal=true' if literal else ''})"
    )


def use_of(results: PopulationResults) -> str:
    """Say how many pages a topic has, and how much of it crawls find at most."""
    held = [len(ground.study().rewards()) for ground in results.grounds]
    found = {
        name: max(
            trace.relevant[-1] / max(pages, 1) for trace, pages in zip(traces, held, strict=True)
        )
        for name, traces in results.traces.items()
    }
    most = max(found, key=found.__getitem__)
    own = found[PAPERS_OWN]
    return (
        f"{min(held):,} to {max(held):,}; the paper's population finds at most {own:.0%} of them,"
        f" {most} {found[most]:.0%}"
    )


def settings_of(request: PaperRequest, results: PopulationResults) -> dict[str, str]:
    """Say how everything was made."""
    grounds = results.grounds
    bounds = list(dict.fromkeys(Bounds.of(ground) for ground in grounds))
    judges = "label" if request.relevant else "tf·idf cosine, idf of the web, at least 0.08"
    return {
        "webs": ", ".join(dict.fromkeys(ground.path.name for ground in grounds)),
        "topics": "; ".join(dict.fromkeys(str(ground.aim) for ground in grounds)),
        "relevant": judges,
        "pages on a topic": use_of(results),
        "pages of a crawl": ", ".join(dict.fromkeys(f"{one.budget:,}" for one in grounds)),
        "agents": "; ".join(f"{b.agents}, from {b.least} to {b.most}" for b in bounds),
        "runs": f"{len(grounds)}, the topics take turns",
        "links": "chosen by text window and page, P ∝ exp(promise / 0.03)",
        "seed": str(request.seed),
    }

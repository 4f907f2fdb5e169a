"""The exhibits of `spider`: links valued by what they lead to (Rennie and McCallum 1999)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from foragers.core.options import Target
from foragers.errors import UsageError
from foragers.evaluation.tables import Exhibits, Table
from foragers.papers.request import PaperRequest, Progress
from foragers.papers.spider.claims import verdicts
from foragers.papers.spider.experiment import Experiment, experiment, told
from foragers.papers.spider.figures import figure_1, figure_2
from foragers.papers.spider.future_work import crawls_table, effects_table
from foragers.papers.spider.tables import (
    accuracy_table,
    early_table,
    followed_table,
    online_table,
    predictive_table,
    sites_table,
)
from foragers.worlds.generated import generate
from foragers.worlds.store import open_world, save

PAGES = {"departments": 53_012, "companies": 6_643}
"""How many pages the paper's two sets of sites have."""
LIKE_THE_PAPERS: Mapping[str, Mapping[str, float]] = {
    "departments": {"navigation": 1.0, "siblings": 3.9, "lists": 0.73},
    "companies": {},
}
"""With these, departments have the paper's 11.2 links a page, and breadth-first finds 75 % of the
papers after some 43 % of the links, as there; chosen on the webs of seeds 1 to 3 at full size."""
FEWEST = {"departments": 400, "companies": 1_700}
WANTED = {"departments": "target:paper", "companies": "target:officers"}
TITLE = "Using Reinforcement Learning to Spider the Web Efficiently (Rennie and McCallum 1999)"


def reproduce(request: PaperRequest, progress: Progress) -> Exhibits:
    """Run the experiments and put together what they show."""
    found = [
        experiment(title, world, open_world(world), request, aim, progress)
        for title, world, aim in worlds(request)
    ]
    tables = [table for one in found for table in tables_of(one)]
    tables.append(online_table(found))
    return Exhibits(
        "spider",
        TITLE,
        settings(request, found),
        tables,
        [figure for one in found for figure in (figure_1(one), figure_2(one))],
        [verdict for one in found for verdict in verdicts(one)],
        ("Ledgers of all crawls and the models are beside this page, world by world.",),
    )


def worlds(request: PaperRequest) -> Iterator[tuple[str, Path, Target]]:
    """Give the worlds of the experiment: those of the user, or generated ones."""
    if request.worlds:
        if not (request.relevant or request.topic):
            raise UsageError(
                "--world needs --relevant LABEL or --topic WORDS: what is wanted there"
            )
        if len({path.name for path in request.worlds}) < len(request.worlds):
            raise UsageError("--world: two worlds have the same name; rename one")
        for path in request.worlds:
            yield path.name, path, Target(request.topic, "keywords", relevant=request.relevant)
        return
    for number in range(request.runs or 1):
        for preset, pages in PAGES.items():
            seed = request.seed + number
            title = preset if number == 0 else f"{preset}-{seed}"
            yield title, made(request, preset, title, seed, pages), Target(relevant=WANTED[preset])


def made(request: PaperRequest, preset: str, title: str, seed: int, pages: int) -> Path:
    """Generate a world, whose folder the crawling processes open."""
    path = request.out / title / "world"
    shutil.rmtree(path, ignore_errors=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    count = max(FEWEST[preset], round(request.scale * pages))
    save(generate(preset, seed, count, **LIKE_THE_PAPERS[preset]), path)
    return path


def settings(request: PaperRequest, found: list[Experiment]) -> dict[str, str]:
    """Say how the exhibits were made."""
    said = {
        one.title: f"{one.pages:,} pages, {one.links:,} links, {len(one.sites)} sites crawled"
        + (f"; passed over, {told(one.passed_over)}" if one.passed_over else "")
        for one in found
    }
    origin = "recorded" if request.worlds else f"generated, seed {request.seed}"
    wanted = {"wanted": request.relevant or request.topic or ""} if request.worlds else {}
    return {"worlds": origin, **said, **wanted, "text": "full-page and related", "gamma": "0.5"}


def tables_of(one: Experiment) -> list[Table]:
    """Return the tables of one world."""
    tables = [followed_table(one), accuracy_table(one), predictive_table(one)]
    if one.has_many:
        tables.append(early_table(one))
    if one.effects is not None and one.effects.found:
        tables += [effects_table(one.effects), crawls_table(one.effects)]
    return [*tables, sites_table(one)]

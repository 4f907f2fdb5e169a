"""`automata`: an adaptive focused crawler based on learning automata, made again.

On generated webs, one a run, or on recorded ones.  The crawlers that need it are trained on another
web, or, where a single recorded one is given, learn on the job.
docs/reproducing-automata.md tells what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from foragers.evaluation.tables import Exhibits
from foragers.papers.automata.claims import claims
from foragers.papers.automata.convergence import (
    convergence_claim,
    convergence_figure,
    convergence_table,
    simulated,
)
from foragers.papers.automata.crawls import (
    AutomataResults,
    AutomataTask,
    all_of,
    model_file,
    perform,
    train,
)
from foragers.papers.automata.figures import figures
from foragers.papers.automata.numbers import CONTROL, CRAWLERS, LAFC, OTHERS, RATE, TABLE_2, TABLE_3
from foragers.papers.automata.tables import (
    learning_table,
    protocol_table,
    table_2,
    table_3,
    table_4,
    table_4_tests,
    table_5,
    table_6,
)
from foragers.papers.automata.webs import TopicOnWeb, by_web, grounds_of, judge_together, world_of
from foragers.papers.claims import on_world
from foragers.papers.request import PaperRequest, Progress

RUNS, CRAWLS = 3, 10
"""How many webs, or crawls of a recorded one, and how many crawls follow each other."""
LEARNING = (RATE, 0.5)
"""The learning rates of crawls that follow each other: the paper's, and one that learns faster."""
MODELS = {"bpm": "hmm", "hmm": "hmm", "hw": "context-graph", "context-graph": "context-graph"}
"""Which model each crawler is trained to."""


def reproduce(request: PaperRequest, progress: Progress) -> Exhibits:
    """Make all exhibits of the paper."""
    runs = RUNS if request.runs is None else request.runs
    grounds = grounds_of(request, runs)
    all_of(judge_together, by_web(grounds), request.jobs, "judging webs", progress)
    relevant = {ground: len(ground.study().rewards()) for ground in grounds}
    trained = [ground for ground in grounds if ground.trained_on]
    all_of(train, trained, request.jobs, "training", progress)
    results = crawls(request, relevant, runs, progress)
    converged = simulated(request.seed)
    return Exhibits(
        "automata",
        "An adaptive focused crawler based on learning automata, made again",
        settings_of(request, grounds, runs),
        [
            table_4(results),
            table_2(results),
            table_3(results),
            protocol_table(results),
            table_4_tests(results),
            table_5(results),
            table_6(results),
            learning_table(results),
            convergence_table(converged),
        ],
        [*figures(results), convergence_figure(converged)],
        [*on_world(claims(results), world_of(grounds)), convergence_claim(converged)],
    )


def crawls(
    request: PaperRequest, relevant: Mapping[TopicOnWeb, int], runs: int, progress: Progress
) -> AutomataResults:
    """Do all crawls on webs with so many relevant pages, and sort what came of them."""
    grounds = list(relevant)
    seeds = range(request.seed, request.seed + (runs if request.worlds else 1))
    first = [ground for ground in grounds if ground.topic == grounds[0].topic]
    main = [
        AutomataTask(
            ground,
            crawler,
            spec_of(spec, ground),
            seed,
            ledger=ledger(request, ground, crawler, seed),
        )
        for ground in grounds
        for crawler, spec in {**CRAWLERS, **OTHERS}.items()
        # What leaves nothing to chance is done once.
        for seed in (seeds if crawler == LAFC else seeds[:1])
    ]
    controls = {c: tasks(first, seeds, f"lafc(a=0.1, control={c})") for c in TABLE_2}
    rates = {a: tasks(first, seeds, f"lafc(a={a}, control={CONTROL})", CRAWLS) for a in TABLE_3}
    best = f"lafc(a={RATE}, control={CONTROL})"
    in_turn = {
        a: tasks(grounds, seeds, f"lafc(a={a}, control={CONTROL})", CRAWLS) for a in LEARNING
    }
    apart = tasks(grounds, seeds, best, CRAWLS, learns=False)
    wanted = [*main, *flat(controls), *flat(rates), *flat(in_turn), *apart]
    # A crawl may be wanted twice; those of one topic stand together, to share what is judged.
    distinct = sorted(set(wanted), key=lambda task: grounds.index(task.ground))
    outcomes = all_of(perform, distinct, request.jobs, "crawling", progress)
    done = dict(zip(distinct, outcomes, strict=True))
    return AutomataResults(
        grounds,
        relevant,
        {
            (ground, crawler): [
                done[task].traces[0]
                for task in main
                if (task.ground, task.crawler) == (ground, crawler)
            ]
            for ground in grounds
            for crawler in (*CRAWLERS, *OTHERS)
        },
        {c: [done[task] for task in found] for c, found in controls.items()},
        {a: [done[task] for task in found] for a, found in rates.items()},
        {a: [done[task] for task in found] for a, found in in_turn.items()},
        [done[task] for task in apart],
    )


def tasks(
    grounds: Sequence[TopicOnWeb], seeds: range, spec: str, crawls: int = 1, learns: bool = True
) -> list[AutomataTask]:
    """Return crawls by LAFC on some webs."""
    return [
        AutomataTask(ground, LAFC, spec, seed, crawls, learns)
        for ground in grounds
        for seed in seeds
    ]


def flat(found: Mapping[float, Sequence[AutomataTask]]) -> list[AutomataTask]:
    """Return all tasks of a calibration."""
    return [task for tasks in found.values() for task in tasks]


def spec_of(spec: str, ground: TopicOnWeb) -> str:
    """Return a crawler with its model, if it was trained to one."""
    if spec not in MODELS or not ground.trained_on:
        return spec
    return f'{spec}(model="{model_file(ground, MODELS[spec])}")'


def ledger(request: PaperRequest, ground: TopicOnWeb, crawler: str, seed: int) -> Path:
    """Return where the ledger of a crawl is written."""
    name = "-".join((ground.web, str(ground.run), ground.topic, crawler, str(seed)))
    plain = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in name)
    return request.out / "ledgers" / f"{plain}.sqlite"


def settings_of(request: PaperRequest, grounds: Sequence[TopicOnWeb], runs: int) -> dict[str, str]:
    """Say how everything was made."""
    webs = list(dict.fromkeys(ground.path.name for ground in grounds))
    aims = dict.fromkeys(f"{ground.topic}: {ground.aim}" for ground in grounds)
    trained = sorted({path.name for ground in grounds for path in ground.trained_on})
    judge = "label" if request.relevant else "cosine over the topic's words only, at least 0.75"
    return {
        "webs": ", ".join(webs),
        "topics": "; ".join(aims),
        "relevant": judge,
        "downloads": ", ".join(dict.fromkeys(f"{ground.budget:,}" for ground in grounds)),
        "runs": f"{runs} seeds of chance for LAFC" if request.worlds else f"{runs} webs",
        "BPM, LJM, HW and context graph": f"trained on {', '.join(trained)}"
        if trained
        else "learn on the job",
        "seed": str(request.seed),
    }

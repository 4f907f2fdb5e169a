"""One run of a comparison, from start to finish."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from foragers.core.loop import Crawl
from foragers.core.models import Model
from foragers.core.options import ReplayOptions
from foragers.core.pace import Pace, WaitRule
from foragers.core.types import Status
from foragers.evaluation.comparison.as_live import AsLive
from foragers.evaluation.comparison.result import RunResult
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.metrics import harvest
from foragers.judges.build import topic_of, within_of
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.strategies.registry import (
    StrategyInputs,
    build,
    census_of,
    guard_of,
    info,
    learned_by,
)
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded

BATCH = 5000


def perform(
    run: ReplayOptions,
    study: Study,
    ledger_path: Path | str = ":memory:",
    named: Model | None = None,
) -> RunResult:
    """Crawl, and measure the result; `named` is the model that the strategy names."""
    before = learned_before(run, study, named)
    wall, cpu = time.perf_counter(), time.process_time()
    facts, _ = crawl_and_learn(run, study, ledger_path, before, named)
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    counts = harvest.found(facts, study.truth)
    missing = int(np.count_nonzero(facts.statuses == Status.MISSING.value))
    return RunResult(
        seed=run.seed,
        downloads=len(facts),
        relevant=int(counts[-1]) if len(counts) else 0,
        links_followed=harvest.links_followed(facts),
        curve=harvest.curve(counts),
        seconds=round(seconds, 4),
        cpu_seconds=round(cpu_seconds, 4),
        missing=missing,
        failed=int(np.count_nonzero(~facts.ok)) - missing,
        area=harvest.area(counts, run.budget),
    )


def learned_before(run: ReplayOptions, study: Study, named: Model | None = None) -> Model | None:
    """Return what the crawls before a run learned, if the run starts with that."""
    model: Model | None = None
    if run.learns_since is not None and info(run.strategy).saves:
        for seed in range(run.learns_since, run.seed):
            _, model = crawl_and_learn(replace(run, seed=seed), study, ":memory:", model, named)
    return model


def crawl(run: ReplayOptions, study: Study, ledger_path: Path | str) -> Facts:
    """Crawl the world of a study with the strategy of a run; return the facts."""
    return crawl_and_learn(run, study, ledger_path, None)[0]


def crawl_and_learn(
    run: ReplayOptions,
    study: Study,
    ledger_path: Path | str,
    before: Model | None,
    named: Model | None = None,
) -> tuple[Facts, Model | None]:
    """Crawl the world of a study with the strategy of a run; return facts and learned model."""
    judge, scored = study.judges_of(run)
    brief = StrategyInputs(
        topic_of(judge),
        np.random.default_rng(run.seed),
        study.oracle,
        before,
        new_within=within_of(judge),
        named=named,
    )
    recorded = Recorded(
        study.archive,
        run.since,
        run.seconds_per_page,
        run.connections,
        run.latency,
        run.delay,
        run.seed,
    )
    world = recorded if run.delay is None else AsLive(recorded)
    ledger = SqliteLedger(ledger_path, study.archive.book, words=False, batch=BATCH)
    strategy = build(run.strategy, brief)
    try:
        work = Crawl(
            strategy,
            Budget(world, run.budget),
            scored,
            ledger,
            None if run.delay is None else Pace(run.delay),
            rule=WaitRule(),
            guard=guard_of(run.strategy, study.archive.book, kept=""),
        )
        work.begin()
        work.run()
        if (census := census_of(strategy)) is not None:
            ledger.keep_census(census)
        return ledger.facts(), learned_by(strategy, study.archive.book)
    finally:
        ledger.close()

"""What auto learns in one crawl and takes up in the next with the same aim."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from foragers.core.loop import Crawl
from foragers.core.models import Fact, Model, load_model, save_model
from foragers.errors import UsageError
from foragers.evaluation.metrics import harvest
from foragers.judges.simple import LabelJudge
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.auto.combiner import BIAS, FEATURES, NAMES
from foragers.strategies.auto.saved import BY_WORD, COLUMNS, KIND, Lore
from foragers.strategies.auto.strategy import Auto
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

BUDGET = 150


def crawled(archive: Archive, before: Model | None = None) -> tuple[float, Model]:
    """Crawl for a label; return the area under the harvest, and what was learned."""
    label = max(archive.labels.urls, key=lambda name: len(archive.labels.urls[name]))
    judge = LabelJudge(frozenset(archive.labels.urls[label].tolist()))
    strategy = build("auto", StrategyInputs(NoTopic(), np.random.default_rng(0), None, before))
    assert isinstance(strategy, Auto)
    ledger = MemoryLedger()
    crawl = Crawl(strategy, Budget(Recorded(archive), BUDGET), judge, ledger)
    crawl.begin()
    crawl.run()
    found = harvest.area(harvest.found(ledger.facts()), BUDGET)
    return found, strategy.learned(archive.book)


@pytest.fixture(scope="module")
def archive() -> Archive:
    return generate("departments", seed=5, pages=1000)


@pytest.fixture(scope="module")
def learned(archive: Archive) -> tuple[float, Model]:
    return crawled(archive)


def test_a_second_crawl_of_the_same_web_finds_more_sooner(
    archive: Archive, learned: tuple[float, Model], tmp_path: Path
) -> None:
    area, model = learned
    save_model(model, tmp_path / "lore")
    again, _ = crawled(archive, load_model(tmp_path / "lore", *KIND))
    assert again > 1.2 * area


def test_hosts_never_seen_are_crawled_as_if_nothing_was_known(
    archive: Archive, learned: tuple[float, Model]
) -> None:
    elsewhere = generate("topics", seed=2, pages=300)
    assert crawled(elsewhere, learned[1])[0] == crawled(elsewhere)[0]


def test_what_was_learned_before_is_kept_beside_what_is_new(
    archive: Archive, learned: tuple[float, Model]
) -> None:
    elsewhere = generate("topics", seed=2, pages=300)
    alone, both = Lore.of(crawled(elsewhere)[1]), Lore.of(crawled(elsewhere, learned[1])[1])
    first = Lore.of(learned[1])
    assert set(both.groups) == set(alone.groups) | set(first.groups)
    assert set(both.words) == set(alone.words) | set(first.words)
    assert both.pages.tolist() == (alone.pages + first.pages).tolist()
    assert both.is_whole


def test_earlier_crawls_count_as_a_few_links_and_pages(learned: tuple[float, Model]) -> None:
    lore = Lore.of(learned[1])
    before = lore.before()
    assert lore.followed.max() > before.followed.max() == 10
    assert (before.earned <= before.followed + 1e-9).all()


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_is_missing_or_odd_is_refused(
    name: str, learned: tuple[float, Model]
) -> None:
    arrays = dict(learned[1].arrays)
    for odd in (
        None,
        arrays[name][:-1],
        arrays[name].reshape(1, -1),
        np.full(len(arrays[name]), np.nan),
        np.full(len(arrays[name]), -5.0),
        np.full(len(arrays[name]), 1e18),
    ):
        if odd is not None and name in ("weights", "beliefs") and (odd == -5).all():
            continue  # which may be
        garbled = {key: value for key, value in arrays.items() if key != name}
        if odd is not None:
            garbled[name] = odd
        with pytest.raises(UsageError, match="--learned: the"):
            Lore.of(Model(*KIND, learned[1].facts, garbled))


def test_weights_of_features_are_read_by_name(learned: tuple[float, Model]) -> None:
    model, expected = learned[1], Lore.of(learned[1]).beliefs
    names, arrays = list(NAMES), dict(model.arrays)
    arrays["beliefs"] = np.append(arrays["beliefs"][::-1], 7.0)
    assert names[0] == BIAS
    other_order: dict[str, Fact] = {
        **model.facts,
        "advisers": [*names[::-1], "a feature of another version"],
    }
    assert Lore.of(Model(*KIND, other_order, arrays)).beliefs.tolist() == expected.tolist()
    one: dict[str, Fact] = {**model.facts, "advisers": ["depth"]}
    arrays["beliefs"] = np.array([0.5])
    weights = dict(zip(NAMES, Lore.of(Model(*KIND, one, arrays)).beliefs, strict=True))
    assert weights == {feature.name: feature.prior for feature in FEATURES} | {"depth": 0.5}


@pytest.mark.parametrize("names", [None, "depth", ["depth"], ["depth"] * len(NAMES)])
def test_weights_without_the_name_of_each_feature_are_refused(
    names: Fact, learned: tuple[float, Model]
) -> None:
    facts = {**learned[1].facts, "advisers": names}
    with pytest.raises(UsageError, match="--learned: the"):
        Lore.of(Model(*KIND, facts, learned[1].arrays))


def test_columns_are_those_of_the_class() -> None:
    assert [field.name for field in fields(Lore)] == list(COLUMNS)
    assert set(BY_WORD) < set(COLUMNS)

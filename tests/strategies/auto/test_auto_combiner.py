"""The weights of features, fitted to what links were worth."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.strategies.auto.combiner import FEATURES, FIRST_WEIGHTS, NAMES, Combiner, History
from foragers.strategies.auto.settings import AutoSettings

PRIOR = {feature.name: feature.prior for feature in FEATURES}


def test_a_feature_that_is_right_gains_weight_and_one_that_is_wrong_loses_it() -> None:
    combiner, rng = Combiner(), np.random.default_rng(1)
    right, wrong = NAMES.index("shape"), NAMES.index("anchor")
    for _ in range(400):
        features = np.zeros(len(PRIOR), np.float32)
        features[0], features[right], features[wrong] = 1, *rng.normal(size=2)
        combiner.remember(features, float(features[right] - features[wrong] > 0))
    for _ in range(3):
        combiner.fit()
    assert combiner.weights[right] > PRIOR["shape"] + 1
    assert combiner.weights[wrong] < -1
    assert combiner.weights[NAMES.index("parent")] == pytest.approx(PRIOR["parent"])


def past(features: dict[str, list[float]], worth: list[float]) -> History:
    said = np.zeros((len(worth), len(PRIOR)))
    said[:, 0] = 1
    for name, column in features.items():
        said[:, NAMES.index(name)] = column
    return History(said, np.array(worth))


def test_the_loss_of_a_fit_is_that_of_a_penalised_regression() -> None:
    seen = past({"shape": [2.0, 0.0]}, [1.0, 0.25])
    weights = FIRST_WEIGHTS.copy()
    weights[NAMES.index("shape")] = 0.5  # said: 1 and 0
    missed = log(1 + exp(1)) - 1 + log(2) - 0
    assert seen.loss(weights) == pytest.approx(missed + 4 * (0.5 - PRIOR["shape"]) ** 2 / 2)


def test_a_fit_that_would_overshoot_does_not_run_away() -> None:
    # The topic misleads altogether: where all is said to be near certain, a whole Newton step from
    # the first weights goes far beyond the best ones, which lie where 1,200 / (1 + exp(-3w)) is
    # 4(4 - w).
    seen = past({"topic in link": [3.0, -3.0] * 200}, [0.0, 1.0] * 200)
    assert seen.loss(FIRST_WEIGHTS - seen.step(FIRST_WEIGHTS)) > 10 * seen.loss(FIRST_WEIGHTS)
    fitted = seen.fitted(FIRST_WEIGHTS)
    assert fitted[NAMES.index("topic in link")] == pytest.approx(-1.3371, abs=1e-3)


@given(st.integers(0, 2**32), st.integers(1, 60), st.floats(0.1, 20))
def test_a_fit_never_predicts_less_well_than_the_weights_before(
    seed: int, links: int, loudness: float
) -> None:
    rng = np.random.default_rng(seed)
    seen = History(rng.normal(size=(links, len(PRIOR))) * loudness, rng.random(links).round())
    before = FIRST_WEIGHTS + rng.normal(size=len(PRIOR)) * loudness
    assert seen.loss(seen.fitted(before)) <= seen.loss(before)


def test_what_is_no_longer_remembered_is_not_corrected() -> None:
    combiner = Combiner(AutoSettings(remembered=50))
    first = combiner.remember(np.zeros(len(PRIOR), np.float32), 0.0)
    for _ in range(50):
        last = combiner.remember(np.zeros(len(PRIOR), np.float32), 0.25)
    combiner.correct(first, 1.0)
    assert set(combiner._worth.tolist()) == {0.25}
    combiner.correct(last, 1.0)
    assert 1.0 in combiner._worth

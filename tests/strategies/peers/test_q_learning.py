"""deep-deep's Q-learning, with the numbers worked out by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Link, Purpose
from foragers.errors import UsageError
from foragers.judges.topic import NoTopic
from foragers.strategies.peers.link_values import ALWAYS
from foragers.strategies.peers.q_learning import LinkExperience, QLearner, QLearning
from foragers.strategies.registry import StrategyInputs, build
from foragers.testing.ledgers import sample

OPEN: frozenset[int] = frozenset()
NONE = np.array([], np.int32)


def learning(seed: int = 1, **settings: float) -> QLearning:
    """Return the strategy with the seed page already fetched."""
    given = ", ".join(f"{name}={value}" for name, value in settings.items())
    inputs = StrategyInputs(NoTopic(), np.random.default_rng(seed))
    strategy = build(f"q-learning({given})", inputs)
    assert isinstance(strategy, QLearning)
    strategy.tell([seed_visit([Link(0, 0, "http://a.test/")], 0.0)])
    (choice,) = strategy.ask(1, OPEN)
    assert (choice.url, choice.promise) == (0, 5.0)
    return strategy


def chosen(strategy: QLearning, n: int = 100) -> dict[int, float]:
    return {choice.url: choice.promise for choice in strategy.ask(n, OPEN)}


def learner_with(*anchors: str) -> QLearner:
    learner = QLearner()
    for anchor in anchors:
        learner.actions.number(anchor, False)
    return learner


def test_goal_is_the_reward_and_the_discounted_value_of_the_best_link() -> None:
    learner = learner_with("reef", "sand", "tide")
    learner.target = np.zeros(ALWAYS + 1)
    for goal in (0.25, 0.5, 1.0):
        learner.actions.step(learner.target, 2, goal, 0.5)
    best = learner.values(np.array([2], np.int32)).item()
    # The online Q likes "tide" best too, by however little; the target Q says what it is worth.
    learner.actions.step(learner.online, 2, 1.0, 0.001)
    sample_of = [LinkExperience(0, 1.0, np.array([1, 2], np.int32)), LinkExperience(1, 0.25, NONE)]
    assert learner.goals(sample_of, 0.4) == pytest.approx([1.0 + 0.4 * best, 0.25])


def test_online_q_chooses_the_link_that_the_target_q_values() -> None:
    learner = learner_with("reef", "sand")
    learner.target = np.zeros(ALWAYS + 1)
    learner.actions.step(learner.target, 0, 1.0, 0.5)
    learner.actions.step(learner.online, 1, 1.0, 0.5)
    # Of "reef" and "sand" the online Q takes "sand", of which the target Q knows the bias: 0.5.
    goals = learner.goals([LinkExperience(0, 0.0, np.array([0, 1], np.int32))], 0.4)
    assert goals == pytest.approx([0.4 * 0.5])


def test_before_anything_was_learned_every_link_is_worth_the_same() -> None:
    learner = learner_with("reef")
    assert learner.goals([LinkExperience(0, 1.0, np.array([0], np.int32))], 0.4) == [
        1.0 + 0.4 * 0.05
    ]


def test_a_full_memory_forgets_one_experience_for_each_new_one() -> None:
    learner, rng = QLearner(), np.random.default_rng(1)
    for action in range(10):
        learner.remember(LinkExperience(action, 0.0, NONE), 4, rng)
    assert len(learner.memory) == 4
    assert 9 in {experience.action for experience in learner.memory}


def test_links_that_wait_are_valued_anew_when_the_target_changes() -> None:
    strategy = learning(explore=0.0, switch=1)
    links = [Link(1, 0, "", "reef"), Link(2, 0, "", "sand"), Link(3, 0, "", "reef")]
    strategy.tell([sample(Choice(0, 0, depth=0), links=tuple(links))])
    assert chosen(strategy, 1) == {1: 0.05}
    strategy.tell([sample(Choice(1, 0, depth=1), relevance=1.0)])
    # One step with rate 0.1: bias, host and the three n-grams of "reef" give 0.1 each together.
    assert chosen(strategy) == {3: pytest.approx(0.3), 2: pytest.approx(0.2)}


def test_until_then_nothing_changes() -> None:
    strategy = learning(explore=0.0, switch=2)
    links = [Link(url, 0, "", "reef") for url in range(1, 4)]
    strategy.tell([sample(Choice(0, 0, depth=0), links=tuple(links))])
    strategy.ask(1, OPEN)
    strategy.tell([sample(Choice(1, 0, depth=1), relevance=1.0)])
    assert chosen(strategy) == {2: 0.05, 3: 0.05}


def test_links_of_a_page_are_worth_what_their_pages_lead_to() -> None:
    strategy = learning(explore=0.0, switch=1, replay=1, rate=1.0)
    strategy.tell([sample(Choice(0, 0, depth=0), links=(Link(1, 1, "", "hub"),))])
    (hub,) = strategy.ask(1, OPEN)
    page = sample(hub, links=(Link(2, 1, "", "reef"), Link(3, 1, "", "reef")), relevance=0.0)
    strategy.tell([page])
    assert strategy.learner.memory[0].reward == 0.0
    assert strategy.learner.memory[0].links.tolist() == [1], "both links are one action"


def test_what_the_crawl_asks_for_itself_teaches_nothing() -> None:
    strategy = learning()
    strategy.tell([sample(Choice(0, 0, depth=0), links=(Link(1, 0, "", "reef"),))])
    own = Choice(1, 0, 0.0, "scope", 0, 0, Purpose.SCOPE)
    strategy.tell([sample(own, relevance=1.0)])
    assert not strategy.learner.memory


def test_seeds_go_first_and_teach_nothing() -> None:
    strategy = learning(explore=0.0)
    strategy.tell([seed_visit([Link(7, 0, "")], 0.0)])
    strategy.tell([sample(Choice(0, 0, depth=0), links=(Link(1, 0, "", "reef"),), relevance=1.0)])
    assert list(chosen(strategy)) == [7, 1]
    assert not strategy.learner.memory


@pytest.mark.parametrize(("temperature", "least", "most"), [(1.0, 270, 330), (0.01, 400, 400)])
def test_hosts_are_balanced_by_their_best_link(temperature: float, least: int, most: int) -> None:
    strategy = learning(temperature=temperature)
    best = np.array([0.2, 0.2 + log(3)])
    drawn = [strategy.balanced(best) for _ in range(400)]
    assert least <= drawn.count(1) <= most, "three times as often where the temperature is 1"


def test_random_links_are_chosen_once_and_never_of_closed_hosts() -> None:
    strategy = learning(explore=1.0)
    links = tuple(Link(url, url % 3, "", f"link {url}") for url in range(1, 31))
    strategy.tell([sample(Choice(0, 0, depth=0), links=links)])
    some = strategy.ask(100, {0, 2})
    assert sorted(choice.url for choice in some) == list(range(1, 31, 3))
    assert some[0].depth == 1
    assert [choice.url for choice in some] != sorted(choice.url for choice in some)
    assert sorted([*chosen(strategy), *range(1, 31, 3)]) == list(range(1, 31))
    assert not strategy.ask(1, OPEN)


@pytest.mark.parametrize(
    "wrong",
    ["gamma=1.5", "explore=-0.1", "rate=2", "replay=0", "switch=0", "memory=0", "temperature=0"],
)
def test_numbers_that_make_no_sense_are_refused(wrong: str) -> None:
    inputs = StrategyInputs(NoTopic(), np.random.default_rng(1))
    with pytest.raises(UsageError, match=f"q-learning: {wrong}: must be"):
        build(f"q-learning({wrong})", inputs)

"""Which pages belong together, and which sites are left out together."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from foragers.training.lesson import sites_of
from foragers.training.validation import folds_of, summed_up
from support.worlds_by_hand import small_world

HOSTS = ["http://a.x.org/", "http://b.x.org/", "http://b.x.org/2"]


@pytest.mark.parametrize(
    ("by", "names", "numbers"),
    [
        ("domain", ("x.org",), [0, 0, 0]),
        ("host", ("a.x.org", "b.x.org"), [0, 1, 1]),
        ("", ("a.x.org", "b.x.org"), [0, 1, 1]),
    ],
)
def test_of_one_domain_the_hosts_are_the_sites_unless_domains_are_asked_for(
    by: str, names: tuple[str, ...], numbers: list[int]
) -> None:
    sites, found = sites_of(small_world({url: [] for url in HOSTS}), by)
    assert (found, sites.tolist()) == (names, numbers)


def test_several_domains_are_the_sites() -> None:
    world = small_world({url: [] for url in (*HOSTS, "http://www.y.org/")})
    sites, found = sites_of(world)
    assert (found, sites.tolist()) == (("x.org", "y.org"), [0, 0, 0, 1])


def test_sites_that_are_left_out_together_have_as_many_links_as_others() -> None:
    links = [10, 2, 2, 2, 2, 2]
    sites = np.repeat(np.arange(6), links)
    examples = SimpleNamespace(sites=sites, site_names=list("abcdef"))
    folds = folds_of(examples, most=2)
    assert np.bincount(folds).tolist() == [10, 10]
    assert len(set(folds[sites == 0].tolist())) == 1
    assert folds_of(examples, most=6).tolist() == sites.tolist()


def test_recall_is_of_the_links_that_give_immediate_reward() -> None:
    truth = np.array([0, 0, 3, 4, 0, 2])
    guesses = np.array([0, 1, 0, 2, 0, 2])
    folds = np.array([0, 0, 0, 0, 1, 1])
    found = summed_up("related", 3, guesses, truth, folds)
    # Of three bins the last holds all beyond: 0 0 2 2 | 0 2.
    assert found.right == (0.5, 1.0)
    assert found.right_of_two == (0.5, 1.0)
    assert found.recall == (0.5, 1.0)
    assert summed_up("related", 3, guesses[2:4], truth[2:4], folds[2:4]).recall == ()

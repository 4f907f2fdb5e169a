"""Which pages belong to one site."""

from __future__ import annotations

import pytest

from foragers.training.lesson import sites_of
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

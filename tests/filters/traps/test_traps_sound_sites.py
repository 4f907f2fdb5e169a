"""Sound sites are reached although they look like traps here and there; see `sound_sites`."""

from __future__ import annotations

from zlib import crc32

import pytest

from support import sound_sites as s
from support import trap_sites as t
from support.simulated import Both, Site, crawl

ALL = [s.Blog, s.Shop, s.Wiki, s.Forum, s.Docs, s.News, s.Pagination]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_a_sound_site_of_ten_thousand_pages_is_reached(kind: type[Site]) -> None:
    site = kind()
    real = site.real()
    assert len(real) >= 9000
    assert crawl(site, limit=14_000).reach(real) >= 0.99


def test_days_without_news_end_the_calendar_and_not_the_days_with() -> None:
    site = s.News()
    result = crawl(site, limit=14_000)
    assert result.reach(site.real()) >= 0.99
    assert result.spent(site.real()) <= 100


# The shop itself has 300 broken links, and the filters lead to 120 things.
MIXED = [
    ("a wiki with a calendar", s.Wiki, t.Calendar, "/calendar/{year}/{month:02}", 200),
    ("a shop with filters", s.Shop, t.Facets, "/shop", 300 + 120 + 200),
    ("a blog with broken links", s.Blog, t.SoftErrors, "/old/{number}/gone", 200),
    ("a forum with endless pages", s.Forum, t.EndlessPages, "/list?page={number}", 200),
    ("a wiki with a growing path", s.Wiki, t.Growing, "/x{number}/", 200),
]


@pytest.mark.parametrize(
    ("sound", "trap", "door", "spent"), [case[1:] for case in MIXED], ids=[c[0] for c in MIXED]
)
def test_a_trap_in_a_sound_site_costs_little_and_hides_nothing(
    sound: type[Site], trap: type[Site], door: str, spent: int
) -> None:
    def doors(path: str) -> list[str]:
        number = crc32(path.encode())
        return [door.format(number=number, year=1900 + number % 200, month=1 + number % 12)]

    site = Both(sound(), trap(), doors)
    result = crawl(site, limit=14_000)
    assert result.reach(site.real()) >= 0.99
    assert result.spent(site.real()) <= spent

"""Pages behind hidden links: which they are, and when they are too many."""

from __future__ import annotations

from foragers.filters.traps.hidden import HiddenLinks
from foragers.filters.traps.settings import HiddenLinkSettings

SITE = "a.test"
FEW, FEW_DOORS, ENOUGH = 64, 256, 32


def maze(hidden: HiddenLinks, pages: int, start: str = "/door") -> None:
    """Take in pages behind a hidden link, each of which leads on to three that are new."""
    hidden.record("/", SITE, [start], {start})
    for n in range(pages):
        links = [f"/{n}/{i}" for i in range(3)]
        hidden.record(start if n == 0 else f"/{n - 1}/0", SITE, links, ())


def test_pages_that_lead_on_and_on_get_a_few_downloads_where_the_site_has_few() -> None:
    hidden = HiddenLinks()
    maze(hidden, FEW - 1)
    assert not hidden.refuses("/1/1", SITE)
    hidden.record("/1/2", SITE, ["/x", "/y"], ())
    assert hidden.refuses("/1/1", SITE)
    assert not hidden.refuses("/1/1", "b.test")
    assert not hidden.refuses("/elsewhere", SITE)


def test_of_a_large_site_they_get_a_tenth() -> None:
    hidden = HiddenLinks()
    maze(hidden, 100)
    for n in range(899):
        hidden.record(f"/open/{n}", SITE, [], ())
    assert hidden.refuses("/1/1", SITE)  # 100 of 1,000
    hidden.record("/open/more", SITE, [], ())
    assert not hidden.refuses("/1/1", SITE)


def test_what_a_hidden_link_itself_leads_to_is_given_more() -> None:
    hidden = HiddenLinks()
    maze(hidden, FEW_DOORS - 1)
    hidden.record("/", SITE, ["/other-door"], {"/other-door"})
    assert hidden.refuses("/1/1", SITE)
    assert not hidden.refuses("/other-door", SITE)
    hidden.record("/1/2", SITE, ["/x", "/y"], ())
    assert hidden.refuses("/other-door", SITE)


def test_an_open_link_from_elsewhere_frees_a_page() -> None:
    hidden = HiddenLinks()
    maze(hidden, 2 * FEW)
    hidden.record("/5/1", SITE, ["/1/1"], ())
    assert hidden.refuses("/1/1", SITE)  # that was seen behind the hidden link
    hidden.record("/news", SITE, ["/1/1"], {"/1/1"})
    assert hidden.refuses("/1/1", SITE)  # and that is hidden as well
    hidden.record("/news", SITE, ["/1/1"], ())
    assert not hidden.refuses("/1/1", SITE)
    assert hidden.refuses("/1/2", SITE)


def test_pages_that_link_to_each_other_do_not_go_on_for_ever() -> None:
    hidden = HiddenLinks()
    hidden.record("/", SITE, ["/a", "/b"], {"/a", "/b"})
    for n in range(2 * FEW):
        # One new link in three is not nearly all.
        hidden.record("/a", SITE, ["/a", "/b", f"/{n}"], ())
    assert not hidden.refuses("/7", SITE)


def test_pages_that_lead_nowhere_do_not_go_on_for_ever() -> None:
    names = [f"/{n}" for n in range(400)]
    hidden = HiddenLinks()
    hidden.record("/", SITE, names, set(names))
    for name in names[:-1]:
        hidden.record(name, SITE, ["/"], ())
    assert not hidden.refuses(names[-1], SITE)


def test_the_settings_are_heeded() -> None:
    hidden = HiddenLinks(HiddenLinkSettings(min_allowed=10, min_pages=5))
    maze(hidden, 9)
    assert not hidden.refuses("/1/1", SITE)
    hidden.record("/1/2", SITE, ["/x", "/y"], ())
    assert hidden.refuses("/1/1", SITE)


def is_endless(hidden: HiddenLinks) -> bool:
    record = hidden.sites.get(SITE)
    assert record is not None
    return record.endless


def test_few_pages_are_not_judged() -> None:
    hidden = HiddenLinks()
    maze(hidden, ENOUGH - 1)
    assert not is_endless(hidden)
    maze(hidden, 1, "/another")
    assert is_endless(hidden)


def test_a_maze_that_runs_out_of_new_pages_is_opened_again() -> None:
    hidden = HiddenLinks()
    maze(hidden, 2 * FEW)
    assert hidden.refuses("/1/1", SITE)
    for n in range(2 * FEW):
        hidden.record(f"/{n}/1", SITE, ["/1/2", "/2/2", "/3/2"], ())
    assert not hidden.refuses("/1/1", SITE)


def test_no_page_of_a_maze_passes_for_known() -> None:
    """A filter with errors would let one in now and then, and all that it leads to."""
    hidden = HiddenLinks()
    maze(hidden, 5000)
    for n in range(4999):
        assert all(hidden.steps.get(f"/{n}/{i}") is not None for i in range(3))


def test_pages_that_were_shown_before_are_not_behind_a_hidden_link() -> None:
    hidden = HiddenLinks()
    hidden.record("/", SITE, ["/sound"], ())
    maze(hidden, 2 * FEW)
    hidden.record("/5/1", SITE, ["/sound"], ())
    assert not hidden.refuses("/sound", SITE)

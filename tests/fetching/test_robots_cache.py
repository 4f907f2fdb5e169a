"""What robots.txt said of very many hosts, within bounds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foragers.fetching.robots_cache import RobotsCache, RobotsEntry
from foragers.fetching.settings import RobotsSettings
from foragers.parsing.robots_txt import Robots

MANY = {"parsed_factor": 10, "parsed_entry": 1500, "packed_entry": 250}


def entry_of(text: str) -> RobotsEntry:
    return RobotsEntry(Robots.parse(text.encode()), 100.0, body=text.encode())


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.text("ab", max_size=9))))
def test_what_is_still_there_is_what_was_put_there_last(
    commands: list[tuple[bool, int, str]],
) -> None:
    here = RobotsCache(RobotsSettings(parsed_bytes=4000, packed_bytes=1300, **MANY))
    model: dict[str, RobotsEntry] = {}
    for puts, number, text in commands:
        origin = f"http://{number}.test"
        if puts:
            model[origin] = entry_of(text)
            here.put(origin, model[origin])
        assert here.get(f"{origin}/x", 99.0) in (None, model.get(origin))
        assert len(here) <= 5
        assert here._packed_bytes <= 1300
        assert here._parsed_bytes <= 4000 or len(here._parsed) == 1


def test_what_was_not_asked_for_longest_goes_first() -> None:
    size = len(entry_of("").pack()) + 250
    here = RobotsCache(RobotsSettings(packed_bytes=3 * size, **MANY))
    for name in "abc":
        here.put(f"http://{name}", entry_of(""))
    here.get("http://a/", 0.0)
    here.put("http://d", entry_of(""))
    kept = [name for name in "abcd" if here.get(f"http://{name}/", 0.0) is not None]
    assert kept == ["a", "c", "d"]


def test_a_permission_says_the_same_when_it_was_packed() -> None:
    body = b"User-agent: *\nDisallow: /private\nCrawl-delay: 3\nSitemap: http://a.b/map.xml\n"
    allowed = RobotsEntry(Robots.parse(body), 100.0, body=body)
    for one in (allowed, RobotsEntry.unavailable("500", 7.0, True), RobotsEntry(Robots(), 9.0)):
        again = RobotsEntry.unpack(one.pack())
        assert again == one
        for path in ("/private/x", "/open"):
            url = f"http://a.b{path}"
            assert again.refuse("foragers/1", url) == one.refuse("foragers/1", url)
        assert again.robots.delay("foragers/1") == one.robots.delay("foragers/1")


def test_permissions_of_very_many_hosts_stay_within_bounds_and_are_good_until_they_end() -> None:
    body = b"User-agent: *\nDisallow: /private\n" + b"Disallow: /x%d\n" * 20
    known = RobotsCache(RobotsSettings(parsed_bytes=100_000, packed_bytes=200_000))
    for number in range(2000):
        robots = RobotsEntry(Robots.parse(body), 100.0, body=body)
        known.put(f"http://host-{number}.example", robots)
    found = known.get("http://host-1999.example/private", 99.0)
    assert found is not None
    assert found.refuse("foragers/1", "http://host-1999.example/private") == "robots.txt"
    assert known.get("http://host-1999.example/private", 100.0) is None
    assert known.get("http://host-0.example/", 99.0) is None
    assert 300 < len(known) < 800
    early = known.get("http://host-1700.example/private", 99.0)
    assert early is not None
    assert early.refuse("foragers/1", "http://host-1700.example/private") == "robots.txt"

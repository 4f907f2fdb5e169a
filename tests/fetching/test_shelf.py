"""What is known of very many hosts, within bounds."""

from __future__ import annotations

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from foragers.fetching import robots_cache as shelf
from foragers.fetching.robots_cache import PackedCache, RobotsCache, RobotsEntry
from foragers.fetching.throttle import Throttle, ThrottleSettings
from foragers.parsing.robots_txt import Robots


def letters() -> PackedCache[str]:
    return PackedCache(str.encode, bytes.decode, len)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.text("ab", max_size=9))))
def test_what_is_still_there_is_what_was_put_there_last(
    commands: list[tuple[bool, int, str]],
) -> None:
    with mock.patch.multiple(shelf, AT_HAND=4000, PACKED=1100):
        here, model = letters(), {}
        for puts, number, text in commands:
            if puts:
                here.put(str(number), text)
                model[str(number)] = text
            assert here.get(str(number)) in (None, model.get(str(number)))
            assert len(here) <= 4
            assert here._bytes_packed <= 1100
            assert here._bytes_at_hand <= 4000 or len(here._at_hand) == 1


def test_what_was_not_asked_for_longest_goes_first() -> None:
    with mock.patch.multiple(shelf, PACKED=3 * (shelf.PACKED_ENTRY + 1)):
        here = letters()
        for name in "abc":
            here.put(name, name)
        here.get("a")
        here.put("d", "d")
        assert [here.get(name) for name in "abcd"] == ["a", None, "c", "d"]


def test_a_permission_says_the_same_when_it_was_packed() -> None:
    body = b"User-agent: *\nDisallow: /private\nCrawl-delay: 3\nSitemap: http://a.b/map.xml\n"
    allowed = RobotsEntry(Robots.parse(body), 100.0, body=body)
    for one in (allowed, RobotsEntry.denied("500", 7.0, True), RobotsEntry(Robots(), 9.0)):
        again = RobotsEntry.unpack(one.pack())
        assert again == one
        for path in ("/private/x", "/open"):
            url = f"http://a.b{path}"
            assert again.refuse("foragers/1", url) == one.refuse("foragers/1", url)
        assert again.robots.delay("foragers/1") == one.robots.delay("foragers/1")


def test_permissions_of_very_many_hosts_stay_within_bounds_and_are_good_until_they_end() -> None:
    body = b"User-agent: *\nDisallow: /private\n" + b"Disallow: /x%d\n" * 20
    known = RobotsCache()
    with mock.patch.multiple(shelf, AT_HAND=100_000, PACKED=200_000):
        for number in range(2000):
            robots = RobotsEntry(Robots.parse(body), 100.0, body=body)
            known.learn(f"http://host-{number}.example", robots)
        found = known.of("http://host-1999.example/private", 99.0)
        assert found is not None
        assert found.refuse("foragers/1", "http://host-1999.example/private") == "robots.txt"
        assert known.of("http://host-1999.example/private", 100.0) is None
        assert known.of("http://host-0.example/", 99.0) is None
        assert 300 < len(known.known) < 800
        early = known.of("http://host-1700.example/private", 99.0)
        assert early is not None
        assert early.refuse("foragers/1", "http://host-1700.example/private") == "robots.txt"


def test_hosts_left_alone_long_enough_are_forgotten_unless_they_asked_for_something() -> None:
    manners = Throttle(delay=1.0, settings=ThrottleSettings(max_hosts=50))
    for number in range(1000):
        host, now = f"host-{number}", 1000.0 * number
        if number == 3:
            manners.obey(host, 9.0, now)
        keys = manners.start(host)
        failed = number == 5
        manners.finish(host, keys, now, seconds=0.1, failed=failed, address=f"10.0.0.{number}")
    assert len(manners.hosts) <= 110
    assert len(manners._free_at) <= 220
    assert manners.state("host-3").asked == 9.0
    assert manners.state("host-5").failures == 1
    assert manners.wait("host-999", 999_000.5) == 0.5

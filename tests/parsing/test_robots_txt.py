from __future__ import annotations

import doctest
import pickle
import random
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.parsing.robots_meta import Directives
from foragers.parsing.robots_rules import Rule, Rules, canonical, path_of
from foragers.parsing.robots_txt import MAX_BYTES, Robots, robots_for_status
from support.core_speed import units
from support.shared_suites import suite

AGENT = "Foragers"


def says(*lines: str) -> Robots:
    return Robots.parse("\n".join(lines).encode())


def for_all(*lines: str) -> Robots:
    return says("User-agent: *", *lines)


def allowed(body: bytes, agent: str, url: str) -> bool:
    return Robots.parse(body).allowed(agent, url)


# ---- suites of others


@pytest.mark.parametrize(
    ("name", "floor", "cases"),
    [
        ("google", 142, 145),
        ("crawler_commons", 270, 273),
        ("protego", 373, 376),
        ("reppy", 82, 84),
        ("rfc9309", 39, 39),
    ],
)
def test_the_suites_of_others_agree(name: str, floor: int, cases: int) -> None:
    right, asked, wrong = suite("robots").run(allowed, [name])[name]
    assert asked == cases
    assert right >= floor, wrong


def test_the_delays_of_others_agree() -> None:
    results = suite("robots").run_delays(lambda body, agent: Robots.parse(body).delay(agent))
    assert {name: right for name, (right, _, _) in results.items()} == {
        "crawler_commons": 12,
        "protego": 6,
    }


def test_replies_mean_what_crawler_commons_says_they_mean() -> None:
    for rule in suite("robots").load("crawler_commons")["status_rules"]:
        robots = robots_for_status(rule["status"])
        assert robots.allowed(AGENT, "/x") == (rule["expected"] == "allow_all")
        assert robots.reachable == (rule["expected"] == "allow_all")


# ---- which rule decides


def test_the_longest_pattern_decides_and_allow_wins_a_tie() -> None:
    robots = for_all("Disallow: /a", "Allow: /a/b", "Disallow: /a/b/c", "Allow: /x", "Disallow: /x")
    assert not robots.allowed(AGENT, "http://h/a")
    assert robots.allowed(AGENT, "http://h/a/b")
    assert not robots.allowed(AGENT, "http://h/a/b/c")
    assert robots.allowed(AGENT, "http://h/x")


def test_the_length_of_a_pattern_counts_its_wildcards() -> None:
    # "/*.html" has seven letters, "/page." six and "/x/page." eight.
    robots = for_all("Allow: /page.", "Allow: /x/page.", "Disallow: /*.html")
    assert not robots.allowed(AGENT, "/page.html")
    assert robots.allowed(AGENT, "/x/page.html")


def test_a_dollar_at_the_end_is_the_end_and_elsewhere_a_dollar() -> None:
    robots = for_all("Disallow: /a$", "Disallow: /*.gif$", "Disallow: /p$q")
    assert not robots.allowed(AGENT, "/a")
    assert robots.allowed(AGENT, "/a/")
    assert not robots.allowed(AGENT, "/x/y.gif")
    assert robots.allowed(AGENT, "/x/y.gif?z")
    assert not robots.allowed(AGENT, "/p$q")
    assert robots.allowed(AGENT, "/p")


def test_the_end_of_a_pattern_does_not_overlap_what_stands_before_it() -> None:
    robots = for_all("Disallow: /ab*ba$")
    assert robots.allowed(AGENT, "/aba")
    assert not robots.allowed(AGENT, "/abba")


def test_spellings_of_one_path_are_one_path() -> None:
    robots = for_all("Disallow: /b\u00fccher", "Disallow: /%7ea", "Disallow: /a%2fb", 'Allow: /"')
    assert not robots.allowed(AGENT, "http://h/b%c3%bccher")
    assert not robots.allowed(AGENT, "http://h/b\u00fccher")
    assert not robots.allowed(AGENT, "http://h/~a")
    assert not robots.allowed(AGENT, "http://h/a%2Fb")
    assert robots.allowed(AGENT, "http://h/a/b")


def test_an_escaped_asterisk_is_an_asterisk() -> None:
    robots = for_all("Disallow: /a%2Ab")
    assert not robots.allowed(AGENT, "/a*b")
    assert robots.allowed(AGENT, "/axb")


def test_robots_txt_itself_is_always_allowed() -> None:
    assert for_all("Disallow: /").allowed(AGENT, "https://h/robots.txt")
    assert robots_for_status(503).allowed(AGENT, "https://h/robots.txt")


def test_who_allows_an_index_allows_its_folder() -> None:
    robots = for_all("Disallow: /", "Allow: /a/index.html")
    assert robots.allowed(AGENT, "/a/")
    assert not robots.allowed(AGENT, "/a/b")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("", "/"),
        ("http://h", "/"),
        ("http://h?q", "/?q"),
        ("http://u@h:8/a;b?c#d", "/a;b?c"),
        ("//h/a", "/a"),
        ("/a:b//c", "/a:b//c"),
        ("http://h/a%7eb%2a*$", "/a~b%2A%2A%24"),
        ("http://h/\ud800", "/%ED%A0%80"),
    ],
)
def test_the_path_of_an_address_has_one_spelling(url: str, path: str) -> None:
    assert path_of(url) == path


# ---- whom a file speaks to


def test_a_group_for_an_agent_replaces_that_for_everybody() -> None:
    robots = says("User-agent: *", "Disallow: /", "User-agent: foragers", "Disallow: /x")
    assert robots.allowed(AGENT, "/y")
    assert not robots.allowed(AGENT, "/x")
    assert not robots.allowed("other", "/y")


def test_groups_of_one_agent_are_one_group() -> None:
    robots = says(
        "User-agent: a", "User-agent: foragers", "Disallow: /1", "User-agent: FORAGERS",
        "Disallow: /2", "User-agent: b", "Disallow: /3",
    )  # fmt: skip
    assert [robots.allowed(AGENT, f"/{i}") for i in (1, 2, 3)] == [False, False, True]
    assert [robots.allowed("a", f"/{i}") for i in (1, 2, 3)] == [False, True, True]


def test_a_whole_user_agent_is_known_by_the_crawlers_own_name() -> None:
    robots = says("User-agent: mozilla", "Disallow: /", "User-agent: foragers", "Disallow: /x")
    agent = "Mozilla/5.0 (compatible; Foragers/1.0; +https://h/bot)"
    assert robots.allowed(agent, "/y")
    assert not robots.allowed(agent, "/x")
    assert robots.allowed("Foragers/1.0", "/y")


def test_a_name_speaks_to_agents_that_begin_with_it_unless_one_fits_better() -> None:
    robots = says("User-agent: forage", "Disallow: /", "User-agent: *", "Allow: /")
    assert not robots.allowed(AGENT, "/")
    assert robots.allowed("for", "/")


def test_an_empty_disallow_allows_everything() -> None:
    robots = says("User-agent: *", "Disallow: /", "User-agent: foragers", "Disallow:")
    assert robots.allowed(AGENT, "/x")


def test_a_sitemap_or_delay_does_not_end_a_list_of_agents() -> None:
    robots = says("User-agent: a", "Sitemap: /s", "Crawl-delay: 3", "User-agent: b", "Disallow: /")
    assert not robots.allowed("a", "/x")
    assert not robots.allowed("b", "/x")


def test_what_stands_below_an_unknown_line_is_not_meant_for_everybody() -> None:
    robots = says("User-agent: *", "Noindex: /y", "User-agent: badbot", "Disallow: /")
    assert robots.allowed(AGENT, "/x")
    assert not robots.allowed("badbot", "/x")


def test_an_agent_left_without_rules_by_an_unknown_line_obeys_those_for_everybody() -> None:
    robots = says("User-agent: foragers", "Host: h", "User-agent: *", "Disallow: /")
    assert not robots.allowed(AGENT, "/x")


def test_rules_before_any_agent_are_nobodys() -> None:
    assert says("Disallow: /", "User-agent: *", "Allow: /a").allowed(AGENT, "/x")


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n", b"\n\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_line_endings_and_byte_order_marks_do_not_matter(end: bytes, mark: bytes) -> None:
    lines = [b"USER-agent : *  # all", b"nonsense", b"\tdisALLOW:/a b # c", b"Disallow /no-colon"]
    body = mark + end.join(lines)
    assert not allowed(body, AGENT, "/a%20b")
    assert not allowed(body, AGENT, "/no-colon")
    assert allowed(body, AGENT, "/a")


def test_utf_16_is_read() -> None:
    assert not allowed("User-agent: *\nDisallow: /x".encode("utf-16"), AGENT, "/x")


# ---- delays and sitemaps


def test_a_delay_is_that_of_the_group_that_applies() -> None:
    robots = says(
        "User-agent: *", "Crawl-delay: 10", "User-agent: foragers", "Crawl-delay: 2.5 s",
        "User-agent: third", "Disallow: /",
    )  # fmt: skip
    assert robots.delay("any") == 10
    assert robots.delay(AGENT) == 2.5
    assert robots.delay("third") is None


@pytest.mark.parametrize("delays", [("2", "5"), ("5", "2")])
def test_of_several_delays_the_longest_is_kept(delays: tuple[str, str]) -> None:
    one, other = (f"Crawl-delay: {seconds}" for seconds in delays)
    assert for_all(one, other).delay(AGENT) == 5
    assert says("User-agent: *", one, "Disallow: /x", "User-agent: *", other).delay(AGENT) == 5


@pytest.mark.parametrize("lines", [("Crawl-delay: 3", "Request-rate: 1/8"),
                                   ("Request-rate: 1/8", "Crawl-delay: 3"),
                                   ("Crawl-delay: 8", "Request-rate: 1/3")])  # fmt: skip
def test_of_a_delay_and_a_rate_the_slower_is_kept(lines: tuple[str, str]) -> None:
    assert for_all(*lines).delay(AGENT) == 8


@pytest.mark.parametrize(
    ("line", "delay"),
    [
        ("Crawl-delay: .5", 0.5),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: -1", None),
        ("Crawl-delay: inf", None),
        ("Request-rate: 1/5", 5.0),
        ("Request-rate: 30/1m 0600-0800", 2.0),
        ("Request-rate: 0/5", None),
    ],
)
def test_a_delay_is_a_number_of_seconds_or_nothing(line: str, delay: float | None) -> None:
    assert for_all(line).delay(AGENT) == delay


def test_sitemaps_are_listed_once_wherever_they_stand() -> None:
    robots = says(
        "Sitemap: http://h/1.xml", "User-agent: a", "sitemap:http://h/2.xml #", "Sitemap:"
    )
    assert robots.sitemaps == ("http://h/1.xml", "http://h/2.xml")
    assert says(*["Sitemap: http://h/1.xml"] * 2).sitemaps == ("http://h/1.xml",)


# ---- replies


@pytest.mark.parametrize("code", [None, 0, 302, 429, 500, 503, 599])
def test_who_cannot_be_asked_allows_nothing_for_now(code: int | None) -> None:
    robots = robots_for_status(code, b"User-agent: *\nAllow: /")
    assert not robots.allowed(AGENT, "/")
    assert not robots.reachable


def test_a_host_without_a_file_allows_everything() -> None:
    robots = robots_for_status(404, b"User-agent: *\nDisallow: /")
    assert robots.allowed(AGENT, "/")
    assert robots.reachable


def test_a_file_that_came_is_read() -> None:
    assert not robots_for_status(200, b"User-agent: *\nDisallow: /").allowed(AGENT, "/")


def test_robots_can_be_pickled_and_compared() -> None:
    robots = for_all("Disallow: /a", "Crawl-delay: 2")
    assert not robots.allowed(AGENT, "/a")
    again = pickle.loads(pickle.dumps(robots))
    assert again == robots == for_all("Disallow: /a", "Crawl-delay: 2")
    assert not again.allowed(AGENT, "/a")


# ---- a matcher that is plainly right


def fits(pattern: str, path: str) -> bool:
    """Match letter by letter, trying everything."""

    @cache
    def rest(i: int, j: int) -> bool:
        if i == len(pattern):
            return True
        if pattern[i] == "$" and i == len(pattern) - 1:
            return j == len(path)
        if pattern[i] == "*":
            return any(rest(i + 1, k) for k in range(j, len(path) + 1))
        return j < len(path) and pattern[i] == path[j] and rest(i + 1, j + 1)

    return rest(0, 0)


def naively_allowed(rules: list[Rule], path: str) -> bool:
    found = [(len(rule.pattern), rule.allow) for rule in rules if fits(rule.pattern.decode(), path)]
    return max(found, default=(0, True))[1]


PATTERNS = st.from_regex(r"\A/[ab/*]{0,7}\$?\Z").map(str.encode)


@given(
    st.lists(st.builds(Rule, PATTERNS, st.booleans()), max_size=8),
    st.from_regex(r"\A/[ab/]{0,10}\Z"),
)
def test_the_matcher_agrees_with_a_naive_one(rules: list[Rule], path: str) -> None:
    assert Rules.of(rules).allowed("http://h" + path) == naively_allowed(rules, path)


@given(st.binary(max_size=40))
def test_the_canonical_spelling_is_its_own(text: bytes) -> None:
    once = canonical(text)
    assert canonical(once.encode()) == once


# ---- any input, in little time

KEYS = [b"user-agent", b"disallow", b"allow", b"crawl-delay", b"request-rate", b"sitemap", b"x"]
SIGNS = [b":", b"*", b"\n", b"\r", b" ", b"/", b"$", b"#", b"%", b"<br>", b"\0", b"\xff", b"1/0"]
LINES = st.sampled_from([*KEYS, *SIGNS, AGENT.encode()])


@given(
    st.one_of(st.binary(), st.lists(LINES, max_size=40).map(b"".join)),
    st.one_of(st.text(), st.just(AGENT)),
    st.text(),
)
def test_any_bytes_agent_and_address_have_an_answer(body: bytes, agent: str, url: str) -> None:
    robots = Robots.parse(body)
    assert robots.allowed(agent, url) in (True, False)
    delay = robots.delay(agent)
    assert delay is None or 0 <= delay < 1e13
    assert all(robots.sitemaps)


def test_what_is_cut_at_the_limit_is_not_half_a_rule() -> None:
    body = b"User-agent: *\nDisallow: /abc\nDisallow: /def"
    assert not Robots.parse(body, limit=len(body)).allowed(AGENT, "/def")
    assert Robots.parse(body, limit=len(body) - 2).allowed(AGENT, "/d")
    assert not Robots.parse(body, limit=len(body) - 2).allowed(AGENT, "/abc")


def numbered(line: bytes, count: int) -> bytes:
    return b"User-agent: *\n" + b"".join(line % i for i in range(count))


HOSTILE = {
    "stars": b"User-agent: *\nDisallow: /*a*a*a*a*a*a$\nDisallow: /" + b"*a" * 8000 + b"b",
    "rules": numbered(b"Disallow: /p%d\n", 30_000),
    "wild": numbered(b"Disallow: /*x%d\n", 28_000),
    "wild ends": numbered(b"Disallow: *a*%d$\n", 28_000),
    "long pieces": b"User-agent: *\n"
    + b"".join(b"Allow: /*%bb\n" % (b"a" * i) for i in range(900)),
    "long heads": b"User-agent: *\n" + b"".join(b"Allow: /%b*b\n" % (b"a" * i) for i in range(900)),
    "groups": b"".join(b"User-agent: a%d\nAllow:/\n" % i for i in range(100_000)),
    "one name": b"User-agent: a\nAllow:/\n" * 25_000,
    "lines": b"\n" * MAX_BYTES,
    "colons": b":\n" * MAX_BYTES,
    "zeros": b"User-agent:\0*\nDisallow:\0/\n" * 20_000,
    "binary": random.Random(0).randbytes(MAX_BYTES),
    "tags": b"User-agent: *\n" + b"allow:" + b"<a" * MAX_BYTES,
    "escapes": b"User-agent: *\n" + (b"allow: " + b"%41" * 5000 + b"\n") * 33,
    "spaces": b"user agent " + b" " * MAX_BYTES,
}
LONG_PATHS = ["/" + "a" * 60, "/" + "a" * 2000, "/" + "ab" * 1000, "/" + "a" * 30_000]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_takes_long(name: str) -> None:
    """A unit is about a millisecond."""
    assert units(lambda: Robots.parse(HOSTILE[name]), times=3) < 500
    robots = Robots.parse(HOSTILE[name])
    assert units(lambda: robots.rules(AGENT), times=1) < 500
    for path in LONG_PATHS:
        assert units(partial(robots.allowed, AGENT, path), times=20) < 2


def test_what_takes_too_long_to_understand_is_not_allowed() -> None:
    assert not Robots.parse(HOSTILE["wild"]).allowed(AGENT, "/" + "a" * 60)
    assert for_all(*(f"Disallow: /*x{i}" for i in range(1000))).allowed(AGENT, "/" + "a" * 60)


def test_an_ordinary_answer_takes_microseconds() -> None:
    folders = [f"Disallow: /folder-{i}/" for i in range(12)]
    robots = for_all(*folders, "Disallow: /*?sort=", "Disallow: /*.pdf$")
    url = "https://www.example.com/news/2024/05/some-article-title.html"
    assert robots.allowed(AGENT, url)
    # A unit is about a millisecond: ten microseconds each.
    assert units(lambda: [robots.allowed(AGENT, url) for _ in range(100)], times=20) < 1


# ---- directives of pages


@pytest.mark.parametrize(
    ("values", "noindex", "nofollow"),
    [
        ([], False, False),
        (["index, follow"], False, False),
        (["noindex"], True, False),
        (["NoIndex,NOFOLLOW"], True, True),
        (["noindex nofollow"], True, True),
        (["none"], True, True),
        (["all", "nofollow"], False, True),
        (["googlebot: noindex, nofollow"], False, False),
        (["foragers: noindex, otherbot: nofollow"], True, False),
        (["googlebot: nofollow", "noindex"], True, False),
        (["nofollow, googlebot: noindex"], False, True),
        (["max-snippet: 20, noindex"], True, False),
        (["robots: noindex"], True, False),
        (["unavailable_after: 25 Jun 2010 15:00:00 GMT, nofollow"], False, True),
        (["noindex: , : ;;"], False, False),
    ],
)
def test_directives_hold_for_all_or_for_the_agent_they_name(
    values: list[str], noindex: bool, nofollow: bool
) -> None:
    found = Directives.parse(values, "Foragers/1.0 (+https://h)")
    assert (found.noindex, found.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    "date",
    ["25 Jun 2010 15:00:00 GMT", "Fri, 25 Jun 2010 15:00:00 GMT", "2010-06-25T15:00:00+00:00"],
)
def test_a_page_may_say_until_when_it_is_there(date: str) -> None:
    # 14,785 days and 15 hours after 1970: 40 years with 10 leap days, and 175 days of 2010.
    moment = (40 * 365 + 10 + 175) * 86400 + 15 * 3600
    found = Directives.parse([f"otherbot: noindex, foragers: unavailable_after: {date}"], AGENT)
    assert found == Directives(unavailable_after=moment)
    assert Directives.parse([f"otherbot: unavailable_after: {date}"], AGENT) == Directives()


@given(st.lists(st.text()), st.text())
def test_any_directives_have_a_meaning(values: list[str], agent: str) -> None:
    assert isinstance(Directives.parse(values, agent), Directives)


def test_the_page_about_robots_tells_what_happens() -> None:
    page = Path(__file__).parents[2] / "docs" / "robots.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0

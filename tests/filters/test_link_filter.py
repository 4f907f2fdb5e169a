"""Where links may lead, remembered: the same answers as without a memory, and bounded."""

from hypothesis import given
from hypothesis import strategies as st

from foragers.filters.link_filter import LinkFilter
from foragers.filters.scope import Scope
from foragers.filters.settings import FilterSettings
from foragers.urls.canonical import canonical

HERE = ("http://a.test/",)
SCOPES = [
    Scope(HERE, "host"),
    Scope(HERE, "host", max_depth=2),
    Scope(HERE, "any", exclude=("private",)),
    Scope((*HERE, "http://b.test/"), "host"),
]
LINKS = [
    f"http://{host}.test/{path}"
    for host in "abc"
    for path in ("", "x", "private/x", "x?PHPSESSID=1", "x?sid=0123456789abcdef0", "y" * 600)
]


@given(
    st.lists(
        st.tuples(st.sampled_from(range(4)), st.integers(0, 3), st.lists(st.sampled_from(LINKS)))
    )
)
def test_answers_are_those_of_the_scope_whatever_was_asked_before(
    questions: list[tuple[int, int, list[str]]],
) -> None:
    allowed = LinkFilter(FilterSettings(links=5))
    for which, depth, links in questions:
        scope = SCOPES[which]
        plain = [canonical(link) for link in links]
        expected = [link if scope.refuse(link, depth) is None else "" for link in plain]
        assert allowed.many(links, scope, depth, True) == expected


def test_no_more_answers_are_remembered_than_a_number_and_none_that_is_long() -> None:
    allowed = LinkFilter(FilterSettings(links=10, max_chars=100))
    for i in range(100):
        allowed.many([f"http://a.test/{i}", "http://a.test/" + "x" * 100], SCOPES[0], 1, True)
        assert len(allowed._answers) <= 10
        assert all(len(href) <= 100 for href in allowed._answers)

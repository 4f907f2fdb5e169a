"""Links as columns are the links that were put in, however they are asked for."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.links import LinkColumns, ParsedLink, ParsedLinks, hrefs_of
from foragers.parsing.html.parse import parse

WORDS = st.text(max_size=8)
LINKS = st.lists(
    st.builds(ParsedLink, WORDS, WORDS, WORDS, WORDS, st.integers(0, 9), WORDS), max_size=6
)
PAGE = b"<body>before <a href=one rel=Next>first</a> between <p><a href=two>second</a> after"


def written(links: ParsedLinks) -> ParsedLinks:
    told = msgspec.msgpack.encode(links.columns())
    return ParsedLinks.read(links.hrefs, msgspec.msgpack.decode(told, type=LinkColumns))


def is_refused(columns: LinkColumns, links: int) -> bool:
    try:
        columns.check(links)
    except ValueError:
        return True
    return False


NUMBERS = st.lists(st.integers(-2, 2), min_size=2, max_size=2)
SPANS = st.lists(st.integers(-2, 2), max_size=2).filter(lambda span: len(span) != 1)


@given(NUMBERS, NUMBERS, SPANS, SPANS, st.integers(0, 2))
def test_columns_that_point_nowhere_are_refused(
    paths: list[int], rels: list[int], starts: list[int], ends: list[int], names: int
) -> None:
    columns = LinkColumns(
        anchors=["", ""], positions=[0, 1], paths=paths, rels=rels, names=["name"] * names,
        starts=starts, ends=ends,
    )  # fmt: skip
    named = all(0 <= index < names for index in (*paths, *rels))
    placed = len(starts) == len(ends) and all(place >= -1 for place in (*starts, *ends))
    assert is_refused(columns, 2) == (not (named and placed))


WHOLE = ParsedLinks.of([ParsedLink("http://a.test/", "one"), ParsedLink("http://a.test/2")])


@pytest.mark.parametrize("name", ["anchors", "positions", "paths", "rels", "arounds", "ends"])
@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_column_of_another_length_is_refused(name: str, length: int) -> None:
    whole = WHOLE.columns()
    column = (getattr(whole, name) * 2)[:length] or [0] * length
    is_missing_context = name in ("arounds", "ends") and length == 0
    changed = msgspec.structs.replace(whole, **{name: column})
    assert not is_refused(whole, 2)
    assert is_refused(changed, 2) != is_missing_context


def test_a_place_behind_all_texts_is_refused() -> None:
    columns = msgspec.structs.replace(WHOLE.columns(), arounds=[], starts=[0, 0], ends=[1, 1 << 62])
    assert is_refused(columns, 2)


@given(LINKS)
def test_links_are_the_same_as_columns_and_written_down(links: list[ParsedLink]) -> None:
    assert list(ParsedLinks.of(links)) == links
    assert written(ParsedLinks.of(links)) == links
    assert hrefs_of(links) == hrefs_of(ParsedLinks.of(links)) == [out.href for out in links]


def test_words_around_a_link_are_cut_out_when_asked_for_also_after_writing() -> None:
    links = parse(PAGE, "http://a.test/").links
    assert isinstance(links, ParsedLinks)
    assert [links.around(0), links.around(1)] == [
        "before between second after",
        "before first between after",
    ]
    assert written(links) == links
    assert links[0] == ParsedLink(
        "http://a.test/one", "first", "before between second after", "html body a", 0, "next"
    )


def test_chosen_links_keep_their_place_and_get_the_address_given_for_them() -> None:
    links = ParsedLinks.of(parse(PAGE, "http://a.test/").links)
    chosen = links.chosen([1], ["http://a.test/2"])
    assert list(chosen) == [msgspec.structs.replace(list(links)[1], href="http://a.test/2")]
    assert links[1:] == list(links)[1:]


def test_the_words_behind_a_long_link_are_told_as_well() -> None:
    page = f"<body>before <a href=one>{'long words ' * 30}</a> behind it".encode()
    (link,) = parse(page, "http://a.test/").links
    assert link.around == "before behind it"

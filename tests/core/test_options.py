"""An option is one field: what parsers, checks, signatures and tables are made from."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from math import nan
from pathlib import Path

import pytest

from foragers.core.options import (
    OnResume,
    OptionField,
    Target,
    check_ranges,
    make,
    option,
    options_in,
    options_of,
    parameters,
)
from foragers.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Trip:
    seeds: tuple[str, ...] = ()
    aim: Target = options_of(Target(), without=("relevant",))
    depth: int | None = option(None, least=0, name="max_depth", help="how deep", metavar="D")
    share: float = option(0.5, above=0, most=1, help="how much")
    hosts: tuple[str, ...] = option((), separator=",", help="where")
    warc: bool = option(True, help="keep nothing", on_resume=OnResume.FREE)
    file: str = option("", help="a file", metavar="FILE")


def named(name: str) -> OptionField:
    return next(item for item in options_in(Trip) if item.name == name)


def test_options_of_a_nested_class_come_first_and_without_those_left_out() -> None:
    names = [item.name for item in options_in(Trip)]
    assert names[:2] == ["topic", "similarity"]
    assert names[-5:] == ["max_depth", "share", "hosts", "warc", "file"]
    assert not {"relevant", "seeds", "aim"} & set(names)


def test_the_flag_of_what_is_on_by_default_turns_it_off() -> None:
    assert (named("warc").flag, named("max_depth").flag) == ("--no-warc", "--max-depth")


def test_options_are_built_by_the_names_that_users_know() -> None:
    given = {"topic": "tea", "max_depth": 2, "hosts": ["a.org,b.org", "c.org"], "file": Path("x")}
    trip = make(Trip, given, seeds=("s",))
    assert trip == Trip(
        seeds=("s",), aim=Target(topic="tea"), depth=2, hosts=("a.org", "b.org", "c.org"), file="x"
    )


@pytest.mark.parametrize(
    ("given", "message", "python"),
    [
        ({"max_depth": -1}, "--max-depth -1: must be at least 0", "max_depth=-1: must be"),
        ({"share": nan}, "--share nan: must be above 0 and at most 1", "share=nan: must be"),
        ({"share": 2}, "--share 2: must be above 0 and at most 1", "share=2.0: must be"),
        ({"threshold": 0}, "--threshold 0: must be above 0 and at most 1", "threshold=0.0: must"),
        ({"similarity": "x"}, "--similarity x: unknown; use", "similarity='x': unknown"),
        ({"max_depth": "3"}, "--max-depth 3: must be a whole number", "max_depth='3': must be"),
        ({"max_depth": True}, "--max-depth True: must be a whole", "max_depth=True: must be"),
        ({"hosts": 3}, "--hosts 3: must be a text or several", "hosts=3: must be"),
        ({"warc": 1}, "--no-warc 1: must be True or False", "warc=1: must be"),
    ],
)
def test_what_is_out_of_range_or_of_another_type_is_refused_by_name(
    given: dict[str, object], message: str, python: str
) -> None:
    with pytest.raises(UsageError) as refused:
        check_ranges(make(Trip, given))
    assert str(refused.value).startswith(message)
    assert refused.value.in_python().startswith(python)
    assert refused.value.option == next(iter(given))


def test_a_signature_has_the_defaults_and_types_of_the_fields() -> None:
    found = {one.name: (one.annotation, one.default) for one in parameters(Trip)}
    assert found["max_depth"] == ("int | None", None)
    assert found["hosts"] == ("str | Sequence[str]", ())
    assert found["file"] == ("str | Path", "")
    assert found["similarity"] == ("str", "words")


@pytest.mark.parametrize(
    ("message", "option", "python"),
    [
        ("--topic and --examples exclude each other", "topic", "topic= and examples= exclude"),
        ("no page; try --no-warc, or --max-depth 3", "", "no page; try warc=False, or max_depth="),
        ("world/a--b is damaged", "", "world/a--b is damaged"),
    ],
)
def test_an_error_names_arguments_in_python(message: str, option: str, python: str) -> None:
    error = UsageError(message)
    assert (error.option, error.in_python()[: len(python)]) == (option, python)


def test_an_error_keeps_its_option_on_the_way_from_another_process() -> None:
    error = pickle.loads(pickle.dumps(UsageError("x", option="budget", value=3)))
    assert (str(error), error.option, error.value) == ("x", "budget", 3)

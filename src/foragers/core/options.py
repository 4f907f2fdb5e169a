"""Options: each is one field, from which parsers, checks, signatures and tables are made.

A class of options is a frozen dataclass whose fields are declared with `option()`.  A field may
also be another such class, whose options are then options of the first as well.  The command
line, the settings file, the Python arguments and the tables of the docs all follow
`options_in()`, and `make()` builds the class from what a user gave by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from os import PathLike, fspath
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from foragers.errors import UsageError

T = TypeVar("T")
HELP, WITHOUT = "option", "without"
KINDS = {str: "a text", bool: "True or False", int: "a whole number", float: "a number"}
RELEVANT = "what is relevant (without these options, every page)"


class OnResume(StrEnum):
    """Whether an option may change when a crawl is resumed."""

    SAME = "must stay"
    SCOPE = "may change (see below)"
    FREE = "may change"


@dataclass(frozen=True)
class Option:
    """What the field itself does not say: its help, its range, its group.

    `name` is the name users know, if the field has another.  `see` is the page of the docs with
    details.  `separator` splits each given value.  `alone` is the value of an option that is given
    without one.
    """

    help: str
    group: str = ""
    metavar: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    name: str = ""
    on_resume: OnResume = OnResume.SAME
    separator: str = ""
    alone: str = ""
    see: str = ""


def option(default: T, **said: Any) -> T:
    """Declare an option: a field with a default and the arguments of `Option`."""
    return field(default=default, metadata={HELP: Option(**said)})


def options_of(default: T, without: Sequence[str] = ()) -> T:
    """Declare a field whose own options, except some, are options of this class too."""
    return field(default=default, metadata={WITHOUT: tuple(without)})


@dataclass(frozen=True)
class OptionField:
    """An option of a class: its field, its type, and its `Option`."""

    field: str
    default: Any
    type: type
    many: bool
    said: Option

    @property
    def name(self) -> str:
        """The name of the option, and of the argument in Python."""
        return self.said.name or self.field

    @property
    def flag(self) -> str:
        """The name on the command line; an option that is on by default can be turned off."""
        off = "no-" if self.type is bool and self.default is True else ""
        return f"--{off}{self.name.replace('_', '-')}"

    @property
    def annotation(self) -> str:
        """The type as written in a signature."""
        if self.many:
            return "str | Sequence[str]"
        path = " | Path" if self.type is str and self.said.metavar in ("FILE", "PATH") else ""
        return f"{self.type.__name__}{path}{' | None' if self.default is None else ''}"

    @property
    def shown_default(self) -> str:
        """The default as a user would write it, or ""."""
        if self.default in (None, "", ()) or self.type is bool:
            return ""
        return f"{self.default:g}" if self.type is float else str(self.default).replace(",", ", ")

    def convert(self, value: Any) -> Any:
        """Return a value as the field stores it; raise a UsageError if it has another type."""
        if self.many:
            return self._several(value)
        if value is None and self.default is None:
            return None
        if self.type is str and isinstance(value, str | PathLike):
            return fspath(value)
        if self.type is bool and isinstance(value, bool):
            return value
        if self.type is int and _is_number(value, Integral):
            return int(value)
        if self.type is float and _is_number(value, Real):
            return float(value)
        raise self.wrong(value, f"must be {KINDS[self.type]}")

    def _several(self, value: Any) -> tuple[str, ...]:
        texts = (value,) if isinstance(value, str) else value
        if not isinstance(texts, Sequence | set | frozenset) or not all(
            isinstance(text, str) for text in texts
        ):
            raise self.wrong(value, "must be a text or several")
        if self.said.separator:
            texts = [part for text in texts for part in text.split(self.said.separator)]
            return tuple(part for part in texts if part.strip())
        return tuple(texts)

    def check(self, value: Any) -> None:
        """Raise a UsageError for a value out of range."""
        said = self.said
        if said.choices and value not in said.choices:
            raise self.wrong(value, f"unknown; use {' or '.join(said.choices)}")
        if value is None:
            return
        least, above, most = said.least, said.above, said.most
        if above is not None and most is not None and not above < value <= most:
            raise self.wrong(value, f"must be above {above:g} and at most {most:,g}")
        if above is not None and not value > above:
            raise self.wrong(value, f"must be above {above:g}")
        if least is not None and not value >= least:
            raise self.wrong(value, f"must be at least {least:g}")
        if most is not None and value > most:
            raise self.wrong(value, f"must be at most {most:,}")

    def wrong(self, value: object, problem: str) -> UsageError:
        """Return the error about a value of this option."""
        text = f"{value:g}" if _is_number(value, Real) else str(value)
        return UsageError(f"{self.flag} {text}: {problem}", option=self.name, value=value)


def _is_number(value: object, kind: type) -> bool:
    """Return whether a value is a number of a kind; True and False are not."""
    return isinstance(value, kind) and type(value) is not bool


def options_in(kind: type) -> tuple[OptionField, ...]:
    """Return the options of a class in the order of its fields, with those of nested classes."""
    return _cached(cast(Any, kind))


@cache
def _cached(kind: Any) -> tuple[OptionField, ...]:
    return tuple(_options_in(kind))


def _options_in(kind: Any) -> Iterator[OptionField]:
    hints = get_type_hints(kind)
    for one in fields(kind):
        if WITHOUT in one.metadata:
            inner = options_in(hints[one.name])
            yield from (item for item in inner if item.name not in one.metadata[WITHOUT])
        elif HELP in one.metadata:
            plain, many = _plain_type(hints[one.name])
            yield OptionField(one.name, one.default, plain, many, one.metadata[HELP])


def _plain_type(hint: Any) -> tuple[type, bool]:
    """Return the type of one value, and whether there may be several."""
    if get_origin(hint) is tuple:
        return get_args(hint)[0], True
    kinds = [kind for kind in get_args(hint) if kind is not NoneType] or [hint]
    return next(kind for kind in (bool, int, float, str) if kind in kinds), False


def make(kind: type[T], given: Mapping[str, Any], **fixed: Any) -> T:
    """Build a class of options from values by name; the others have their defaults.

    `fixed` are fields that are no options, or whose values are known already.
    """
    names = {item.field: item for item in options_in(kind)}
    values = dict(fixed)
    for one in fields(cast(Any, kind)):
        if one.name in fixed:
            continue
        if WITHOUT in one.metadata:
            values[one.name] = make(type(one.default), given)
        elif one.name in names and names[one.name].name in given:
            item = names[one.name]
            values[one.name] = item.convert(given[item.name])
    return kind(**values)


def check_ranges(options: Any) -> None:
    """Raise a UsageError for a value out of its option's range, also in nested classes."""
    items = {item.field: item for item in options_in(type(options))}
    for one in fields(options):
        value = getattr(options, one.name)
        if WITHOUT in one.metadata and is_dataclass(value):
            check_ranges(value)
        elif one.name in items and HELP in one.metadata:
            items[one.name].check(value)


def arguments_of(options: Any) -> list[str]:
    """Return options as arguments of a command line; those with their defaults are left out."""
    items = {item.field: item for item in options_in(type(options))}
    found: list[str] = []
    for one in fields(options):
        value, item = getattr(options, one.name), items.get(one.name)
        if WITHOUT in one.metadata and is_dataclass(value):
            found += arguments_of(value)
        elif item is not None and HELP in one.metadata and value != item.default:
            if item.type is bool:
                found.append(item.flag)
            else:
                several = value if item.many else (value,)
                found += [f"{item.flag}={text}" for text in several]
    return found


def check_value(kind: type, name: str, value: object) -> None:
    """Raise a UsageError for a value out of the range of one option of a class."""
    next(item for item in options_in(kind) if item.name == name).check(value)


def parameters(kind: type) -> list[Parameter]:
    """Return the options as keyword arguments, for the signature of a function."""
    return [
        Parameter(
            item.name, Parameter.KEYWORD_ONLY, default=item.default, annotation=item.annotation
        )
        for item in options_in(kind)
    ]


def signature_with(function: Callable[..., object], kind: type) -> Signature:
    """Return the signature of a function with the options of a class instead of `**options`."""
    given = signature(function).parameters
    named = [one for one in given.values() if one.kind is not Parameter.VAR_KEYWORD]
    more = [one for one in parameters(kind) if one.name not in given]
    return signature(function).replace(parameters=[*named, *more])


@dataclass(frozen=True)
class Target:
    """What is relevant: words, examples, labels, news, or a function of the user's."""

    topic: str | None = option(
        None,
        group=RELEVANT,
        metavar="WORDS",
        help="words that relevant pages contain, in quotes",
        see="judges.md",
    )
    similarity: str = option(
        "words",
        group=RELEVANT,
        choices=("words", "meaning", "keywords", "tfidf"),
        help="how pages are compared with the topic",
        see="judges.md",
    )
    threshold: float | None = option(
        None,
        group=RELEVANT,
        metavar="T",
        above=0,
        most=1,
        help="relevance from which a page counts as relevant, for example 0.5",
    )
    examples: str | None = option(
        None,
        group=RELEVANT,
        metavar="FILE",
        help="example pages to learn from, relevant and not",
        see="judges.md",
    )
    relevant: str | None = option(
        None, group=RELEVANT, metavar="LABEL", help="pages with this label"
    )
    new_within: str | None = option(
        None,
        group=RELEVANT,
        metavar="TIME",
        help="pages that appeared within this time, for example 24h",
    )
    judge: str | None = option(
        None,
        group=RELEVANT,
        metavar="MODULE:FUNCTION",
        help="your own Python function that rates a page",
        see="judges.md",
    )
    want: tuple[str, ...] = option(
        (),
        separator=",",
        group=RELEVANT,
        metavar="PDF,CSV",
        help="documents of these types, for example pdf,csv,xlsx",
        see="exporting.md",
    )
    language: tuple[str, ...] = option(
        (),
        separator=",",
        group=RELEVANT,
        metavar="EN,DE",
        help="only pages in these languages, by their words",
    )
    idf: str | None = option(
        None,
        group=RELEVANT,
        metavar="FILE",
        help="texts to count word frequencies in, for --similarity tfidf",
    )
    vectors: str | None = option(
        None,
        group=RELEVANT,
        metavar="FILE",
        help="word vectors in the text format of word2vec, for --similarity meaning",
    )

    def __str__(self) -> str:
        """Describe in a few words what is relevant."""
        said = {
            "topic": self.topic and f"“{self.topic}”",
            "like the examples in": self.examples,
            "judged by": self.judge,
            "labelled": self.relevant,
            "new within": self.new_within,
            "documents:": ", ".join(self.want),
            "in": ", ".join(self.language),
        }
        parts = [f"{name} {value}" for name, value in said.items() if value]
        return ", ".join(parts) or "every page"


@dataclass(frozen=True)
class ReplayOptions:
    """One crawl of one world by one strategy.

    With `learns_since` it starts with what the crawls with all seeds from that one on learned. With
    a `delay` it is as polite as a live crawl: one download at a time from each host, and a pause of
    that many seconds after it.
    """

    world: str
    strategy: str
    aim: Target = Target()
    budget: int = 2000
    seed: int = 0
    seeds: tuple[str, ...] = ()
    labels: str | None = None
    since: float | None = None
    seconds_per_page: float = 1.0
    connections: int = 1
    delay: float | None = None
    latency: tuple[float, float] | None = None
    learns_since: int | None = None

"""A function of the user's as judge.

The function takes the page (`FetchedPage`: url, title, text, links, …), or its words if its first
parameter is called `document` or annotated `Document`; a further parameter called `url` is given
the page's URL.  It returns a number from 0 to 1, or true or false.  It is called for pages that
were fetched, and for no others.

If its first parameter is called `pages`, it takes a list of pages, those that came in together, and
returns a list with the relevance of each: for models that judge several at once.

A function that fails stops the crawl with an error that names it and the page: a judge
that is wrong on one page cannot be trusted on the rest, and what was fetched is kept.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias, cast

from foragers.core.plugins.loading import (
    Given,
    in_one_line,
    installed,
    is_place,
    load_entry,
    load_place,
    name_of,
    where,
)
from foragers.core.plugins.page import FetchedPage
from foragers.core.types import Page, Status
from foragers.errors import UsageError
from foragers.judges.topic import bounded

Verdict: TypeAlias = float | bool
JudgeFunction: TypeAlias = Callable[..., Verdict | Sequence[Verdict]]
GROUP = "foragers.judges"
"""The entry points by which other packages offer judges."""
JUDGES: dict[str, JudgeFunction] = {}
"""The functions that were registered in this process."""


class Arguments(NamedTuple):
    """Whether a function takes several pages, the document of one, and its URL besides."""

    pages: bool
    document: bool
    url: bool


@dataclass
class FunctionJudge:
    """Judges by calling a function, given itself or by its name or place."""

    function: str | JudgeFunction
    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return what the function says of a page."""
        return self.relevances((page,))[0]

    def relevances(self, pages: Sequence[Page]) -> list[float]:
        """Return what the function says of each of some pages."""
        fetched = [page for page in pages if page.status is Status.OK]
        if self._wishes.pages:
            said = self._all(fetched) if fetched else []
        else:
            said = [self._one(page) for page in fetched]
        found = iter(said)
        return [next(found) if page.status is Status.OK else 0.0 for page in pages]

    def _one(self, page: Page) -> float:
        """Call a function of one page."""
        function, wishes = self.resolved, self._wishes
        first = page.document if wishes.document else FetchedPage(page)
        try:
            said = function(first, url=page.href) if wishes.url else function(first)
            return bounded(float(cast(Verdict, said)))
        except Exception as error:
            raise self._failed(page, error) from error

    def _all(self, pages: Sequence[Page]) -> list[float]:
        """Call a function of several pages."""
        try:
            called = self.resolved([FetchedPage(page) for page in pages])
            said = list(cast(Sequence[Verdict], called))
            if len(said) != len(pages):
                raise ValueError(f"{len(said)} numbers for {len(pages)} pages")
            return [bounded(float(number)) for number in said]
        except Exception as error:
            raise self._failed(pages[0], error) from error

    def _failed(self, page: Page, error: Exception) -> UsageError:
        return UsageError(
            f"--judge {self.name} failed on {page.href}"
            f" ({in_one_line(error)}{self._line(error)}); fix the function and run again"
        )

    @property
    def name(self) -> str:
        """The function's name, with its module."""
        if isinstance(self.function, str):
            return self.function
        return name_of(self.function)

    @cached_property
    def resolved(self) -> JudgeFunction:
        """The function itself, imported if need be."""
        return load(self.function) if isinstance(self.function, str) else self.function

    @cached_property
    def _wishes(self) -> Arguments:
        """What the function wants to be called with."""
        parameters = list(inspect.signature(self.resolved).parameters.values())
        first = parameters[0] if parameters else None
        kind = getattr(first.annotation, "__name__", first.annotation) if first else ""
        wants_document = first is not None and (
            first.name == "document" or str(kind).rpartition(".")[2] == "Document"
        )
        wants_url = any(wish.name == "url" for wish in parameters[1:])
        return Arguments(first is not None and first.name == "pages", wants_document, wants_url)

    def _line(self, error: Exception) -> str:
        """Return the line of the function's file that led to an error."""
        code = inspect.unwrap(self.resolved)
        file = inspect.getsourcefile(code) if inspect.isfunction(code) else None
        return where(error, file) if file else ""

    def __getstate__(self) -> dict[str, object]:
        return {"function": self.function, "threshold": self.threshold}


def load(name: str) -> JudgeFunction:
    """Return a function by its registered name, or as `module:function` or `path.py:function`."""
    if isinstance(name, Given):
        found = name.thing
    elif name in JUDGES:
        found = JUDGES[name]
    elif is_place(name):
        found = load_place(name, "--judge", "function")
    elif entry := installed(GROUP).get(name):
        found = load_entry(entry, "--judge")
    else:
        near = difflib.get_close_matches(name, judge_names(), n=1)
        hint = f"did you mean '{near[0]}'?" if near else "no judge is registered by that name"
        raise UsageError(f"--judge {name}: write it as module:function; {hint}")
    if not callable(found):
        source, _, last = name.rpartition(":")
        raise UsageError(f"--judge {name}: {source} has no function {last}")
    function: JudgeFunction = found
    return function


def judge_names() -> dict[str, str]:
    """Return the names of judges that can be asked for, and where each comes from."""
    others = {name: entry.value for name, entry in installed(GROUP).items()}
    return {**others, **{name: name_of(function) for name, function in JUDGES.items()}}


def register_judge(name: str, function: JudgeFunction) -> JudgeFunction:
    """Let a function be asked for as judge by name."""
    if not name.replace("-", "_").isidentifier():
        raise UsageError(f"register_judge({name!r}): use letters, digits, - and _")
    JUDGES[name] = function
    return function


def resolve_judge(judge: str | JudgeFunction | None) -> str | None:
    """Return a judge as text for the options; a function travels with its name."""
    if judge is None or isinstance(judge, Given):
        return judge
    if isinstance(judge, str):
        return Given(judge, JUDGES[judge]) if judge in JUDGES else judge
    if not callable(judge):
        raise UsageError(f"--judge {judge!r}: must be a function of a page, or the name of one")
    return Given(name_of(judge), judge)

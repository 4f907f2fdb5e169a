"""A function of the user's as judge.

The function takes the page (`FetchedPage`: url, title, text, links, …), or its words if its first
parameter is called `document` or annotated `Document`; a further parameter called `url` is given
the page's URL.  It returns a number from 0 to 1, or true or false.  It is called for pages that
were fetched, and for no others.

A function that fails stops the crawl with an error that names it and the page: a judge
that is wrong on one page cannot be trusted on the rest, and what was fetched is kept.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

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

JudgeFunction: TypeAlias = Callable[..., float | bool]
GROUP = "foragers.judges"
"""The entry points by which other packages offer judges."""
JUDGES: dict[str, JudgeFunction] = {}
"""The functions that were registered in this process."""


@dataclass
class FunctionJudge:
    """Judges by calling a function, given itself or by its name or place."""

    function: str | JudgeFunction
    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return what the function says of a page."""
        if page.status is not Status.OK:
            return 0.0
        wants_document, wants_url = self._wishes
        first = page.document if wants_document else FetchedPage(page)
        function = self.resolved
        try:
            said = function(first, url=page.href) if wants_url else function(first)
            return bounded(float(said))
        except Exception as error:
            raise UsageError(
                f"--judge {self.name} failed on {page.href}"
                f" ({in_one_line(error)}{self._line(error)}); fix the function and run again"
            ) from error

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
    def _wishes(self) -> tuple[bool, bool]:
        """Whether the function wants the document instead of the page, and whether the URL."""
        parameters = list(inspect.signature(self.resolved).parameters.values())
        first = parameters[0] if parameters else None
        kind = getattr(first.annotation, "__name__", first.annotation) if first else ""
        wants_document = first is not None and (
            first.name == "document" or str(kind).rpartition(".")[2] == "Document"
        )
        return wants_document, any(wish.name == "url" for wish in parameters[1:])

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

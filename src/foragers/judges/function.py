"""Call: a function of the user's as judge.

The function takes the page, or what it says if its first parameter is called `document`
or annotated `Document`; a further parameter called `url` is given the page's address.  It
returns a number from 0 to 1, or true or false.  It is called for good answers only.

A function that fails stops the crawl with an error that names it and the page: a judge
that is wrong on one page cannot be trusted on the rest, and what was fetched is kept.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

from foragers.core.types import Page, Status
from foragers.errors import UsageError
from foragers.judges.topic import bounded


@dataclass
class FunctionJudge:
    """Judges by calling a function, given itself or as `module:function`."""

    function: str | Callable[..., float | bool]
    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return what the function says of a page."""
        if page.status is not Status.OK:
            return 0.0
        wants_document, wants_url = self._wishes
        first = page.document if wants_document else page
        function = self.resolved
        try:
            said = function(first, url=page.href) if wants_url else function(first)
            return bounded(float(said))
        except Exception as error:
            raise UsageError(
                f"--judge {self.name} failed on {page.href} ({_in_one_line(error)});"
                " fix the function and run again"
            ) from error

    @property
    def name(self) -> str:
        """The function's name, with its module."""
        if isinstance(self.function, str):
            return self.function
        return f"{self.function.__module__}:{getattr(self.function, '__qualname__', '?')}"

    @cached_property
    def resolved(self) -> Callable[..., float | bool]:
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

    def __getstate__(self) -> dict[str, object]:
        return {"function": self.function, "threshold": self.threshold}


def load(name: str) -> Callable[..., float | bool]:
    """Import a function named as `module:function`."""
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise UsageError(f"--judge {name}: write it as module:function")
    # A program started by its name does not look for modules where the user stands.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        module = import_module(module_name)
    except Exception as error:  # whatever a module does when it is imported
        raise UsageError(
            f"--judge {name}: cannot import {module_name} ({_in_one_line(error)});"
            " run where the module is, or install it"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise UsageError(f"--judge {name}: {module_name} has no function {function_name}")
    return function  # type: ignore[no-any-return]


def _in_one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())

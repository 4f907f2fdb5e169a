"""Checks what a strategy of the user's says, and names the file and line where it goes wrong."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Protocol

from foragers.core.plugins.loading import in_one_line, where
from foragers.core.protocols import Strategy
from foragers.core.types import Choice, HostId, UrlId, Visit
from foragers.errors import UsageError


class KnownUrls(Protocol):
    """The URLs that a strategy may choose from."""

    def __len__(self) -> int: ...

    def host(self, url: UrlId) -> HostId:
        """Return the host of a URL."""
        ...


@dataclass(frozen=True, slots=True)
class StrategyGuard:
    """Stands between a crawl and a strategy that is no part of Foragers."""

    name: str
    urls: KnownUrls

    def tell(self, strategy: Strategy, visits: Sequence[Visit]) -> None:
        """Tell a strategy what came back."""
        try:
            strategy.tell(visits)
        except UsageError:
            raise
        except Exception as error:  # whatever the user's code does
            raise self._failed(strategy, "tell", error) from error

    def ask(self, strategy: Strategy, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Ask a strategy for choices, and check them."""
        try:
            choices = strategy.ask(n, closed)
            found = () if choices is None else tuple(choices)
        except UsageError:
            raise
        except Exception as error:  # whatever the user's code does
            raise self._failed(strategy, "ask", error) from error
        wrong = f"{len(found)} choices, not at most {n}" if len(found) > n else ""
        for choice in found:
            wrong = wrong or self._wrong(choice, closed)
        if wrong:
            raise UsageError(
                f"--strategy {self.name}: ask() returned {wrong} ({place(strategy, 'ask')});"
                " mend the strategy; what was fetched is kept"
            )
        return found

    def _wrong(self, choice: object, closed: AbstractSet[HostId]) -> str:
        """Say what is wrong with a choice; nothing if it is sound."""
        if not isinstance(choice, Choice):
            return f"a {type(choice).__name__}, not a Choice"
        numbers: dict[str, object] = {
            "url": choice.url,
            "host": choice.host,
            "parent": choice.parent,
            "depth": choice.depth,
        }
        for name, value in numbers.items():
            if not isinstance(value, Integral):
                return f"a choice whose {name} is {value!r}, not an integer"
        if not 0 <= choice.url < len(self.urls):
            return f"URL number {choice.url}, of which it was never told"
        if choice.host != self.urls.host(choice.url):
            return f"URL number {choice.url} with host {choice.host}, which is not its host"
        if choice.host in closed:
            return f"URL number {choice.url} on host {choice.host}, which is closed now"
        promise: object = choice.promise
        if not isinstance(promise, Real) or not isfinite(promise):
            return f"URL number {choice.url} with the promise {promise!r}"
        return ""

    def _failed(self, strategy: Strategy, method: str, error: Exception) -> UsageError:
        """Return an error that names the file and the line."""
        file = source_file(strategy)
        line = where(error, file)
        spot = f"{file}{line}" if line and file else place(strategy, method)
        return UsageError(
            f"--strategy {self.name}: {method}() failed ({in_one_line(error)}; {spot});"
            " mend the strategy and run again; what was fetched is kept"
        )


def source_file(strategy: Strategy) -> str:
    """Return the file in which the class of a strategy is written, if it is known."""
    try:
        return inspect.getsourcefile(type(strategy)) or ""
    except (TypeError, OSError):
        return ""


def place(strategy: Strategy, method: str) -> str:
    """Return the file and the line at which a method begins."""
    code = getattr(getattr(type(strategy), method, None), "__code__", None)
    if code is None:
        return source_file(strategy) or type(strategy).__qualname__
    return f"{code.co_filename}, line {code.co_firstlineno}"

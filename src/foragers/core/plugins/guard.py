"""Checks the choices of a user's strategy, and names the file and line of its errors."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from numbers import Integral, Real
from types import CodeType
from typing import Protocol

from foragers.core.plugins.loading import in_one_line, name_of, where
from foragers.core.protocols import Strategy
from foragers.core.types import NO_PARENT, Choice, HostId, Purpose, UrlId, Visit
from foragers.errors import UsageError


class KnownUrls(Protocol):
    """The URLs that a strategy may choose from."""

    def __len__(self) -> int: ...

    def host(self, url: UrlId) -> HostId:
        """Return the host of a URL."""
        ...


KEPT = "; what was fetched is kept"


@dataclass(frozen=True, slots=True)
class StrategyGuard:
    """Checks a strategy that is not part of Foragers.

    `kept` says what becomes of the crawl, at the end of every message.
    """

    name: str
    urls: KnownUrls
    kept: str = KEPT

    def tell(self, strategy: Strategy, visits: Sequence[Visit]) -> None:
        """Tell a strategy visits."""
        with failures_named(strategy, "tell", self.name, self.kept):
            strategy.tell(visits)

    def ask(self, strategy: Strategy, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Ask a strategy for choices, and check them."""
        with failures_named(strategy, "ask", self.name, self.kept):
            answer: Iterable[Choice] | None = strategy.ask(n, closed)
            # An answer may have no end.
            found = () if answer is None else tuple(islice(answer, n + 1))
        wrong = "" if answer is not None else "None; return an empty list if there is nothing"
        seen: set[tuple[UrlId, str]] = set()
        for choice in found[:n]:
            wrong = wrong or self._wrong(choice, closed) or twice(choice, seen)
        if not wrong and len(found) > n:
            wrong = f"more choices than it was asked for ({n})"
        if wrong:
            raise UsageError(
                f"--strategy {self.name}: ask() returned {wrong} ({place(strategy, 'ask')});"
                f" mend the strategy and run again{self.kept}"
            )
        return found

    def _wrong(self, choice: object, closed: AbstractSet[HostId]) -> str:
        """Return what is wrong with a choice, or ""."""
        if not isinstance(choice, Choice):
            return f"{type(choice).__name__} {choice!r:.60}, not a Choice"
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
        url = f"URL number {choice.url}"
        if choice.host != self.urls.host(choice.url):
            return f"{url} with host {choice.host}, which is not its host"
        if choice.host in closed:
            return f"{url} on host {choice.host}, which is closed now"
        if choice.parent != NO_PARENT and not 0 <= choice.parent < len(self.urls):
            return f"{url} with parent {choice.parent}, of which it was never told"
        if choice.depth < 0:
            return f"{url} with depth {choice.depth}, which is below 0"
        # Python does not hold a strategy to the types that it declares.
        agent: object = choice.agent
        purpose: object = choice.purpose
        promise: object = choice.promise
        if not isinstance(agent, str):
            return f"{url} with agent {agent!r}, which is no text"
        if not isinstance(purpose, Purpose):
            return f"{url} with purpose {purpose!r}, which is no Purpose"
        if not isinstance(promise, Real) or not isfinite(promise):
            return f"{url} with promise {promise!r}, which is no finite number"
        return ""


def twice(choice: Choice, seen: set[tuple[UrlId, str]]) -> str:
    """Say that a choice was made before in the same answer; nothing if it was not."""
    key = choice.url, choice.agent
    if key in seen:
        return f"URL number {choice.url} twice"
    seen.add(key)
    return ""


@contextmanager
def failures_named(
    strategy: Strategy, method: str, name: str = "", kept: str = KEPT
) -> Iterator[None]:
    """Turn a failure of a strategy into a line with its file and line, unless it is one of ours."""
    try:
        yield
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's code does
        if not name and type(strategy).__module__.startswith("foragers."):
            raise
        # The file of the method differs from that of the class if it is inherited, or if the class
        # came with its code from another machine.
        code = code_of(strategy, method)
        files = [file for file in (source_file(strategy), code and code.co_filename) if file]
        spots = [f"{file}{line}" for file in files if (line := where(error, file))]
        spot = spots[0] if spots else place(strategy, method)
        raise UsageError(
            f"--strategy {name or name_of(strategy)}: {method}() failed"
            f" ({in_one_line(error)}; {spot}); mend the strategy and run again{kept}"
        ) from error


def source_file(strategy: Strategy) -> str:
    """Return the file of the class of a strategy, if it is known."""
    try:
        return inspect.getsourcefile(type(strategy)) or ""
    except (TypeError, OSError):
        return ""


def place(strategy: Strategy, method: str) -> str:
    """Return the file and the line of a method."""
    code = code_of(strategy, method)
    if code is None:
        return source_file(strategy) or type(strategy).__qualname__
    return f"{code.co_filename}, line {code.co_firstlineno}"


def code_of(strategy: Strategy, method: str) -> CodeType | None:
    """Return the code of a method that is written in Python."""
    found: CodeType | None = getattr(getattr(type(strategy), method, None), "__code__", None)
    return found

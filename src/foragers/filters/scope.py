"""Which addresses a crawl may visit.

A scope is asked about every link of every page.  Most of its answer depends on the
host alone, which is remembered; what is left is a test of prefixes and patterns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from foragers.errors import UsageError
from foragers.urls.parse import host_of, resolve, site_of

WITHIN = ("host", "site", "any")
_MAX_HOSTS = 65_536
_HOST = re.compile(r"\.?(?:[\w-]+\.)*[\w-]+(?::\d{1,5})?|\[[0-9a-fA-F:.]+\](?::\d{1,5})?")


@dataclass(frozen=True)
class Scope:
    """The addresses a crawl may visit; seeds (depth 0) always may.

    `within` is "host" (the hosts of the seeds), "site" (their registrable domains) or
    "any"; `hosts` are allowed besides (".a.test" stands for a.test and all below it), and
    so are those of `prefixes`.  Where `prefixes` or `include` are given an address must
    begin with one of the former and match one of the latter; no address may match one of
    `exclude`.  A prefix without a scheme stands for http and https.
    """

    seeds: tuple[str, ...] = ()
    within: str = "site"
    hosts: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    _known: dict[str, str | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.within not in WITHIN:
            raise UsageError(f"--scope {self.within}: use one of {', '.join(WITHIN)}")
        compiled("--include", self.include)
        compiled("--exclude", self.exclude)
        _ = self._beginnings
        for host in self.hosts:
            try:
                sound = _HOST.fullmatch(host.strip()) and spelled(host)
            except ValueError:
                sound = None
            if not sound:
                raise UsageError(f"--hosts {host}: write names such as a.org,.b.org")

    def and_seed(self, seed: str) -> Scope:
        """Return the same scope with one more seed: where one of them redirects to."""
        return self if seed in self.seeds else replace(self, seeds=(*self.seeds, seed))

    def refuse_host(self, url: str) -> str | None:
        """Return why nothing at all of a host may be visited, or None if something may."""
        if not url.startswith(("http://", "https://")):
            return "neither http nor https"
        name = url.split("/", 3)[2]
        try:
            return self._known[name]
        except KeyError:
            return self._look_up(name, url)

    def refuse(self, url: str, depth: int) -> str | None:
        """Return why an address may not be visited, or None if it may."""
        if not url.startswith(("http://", "https://")):
            return "neither http nor https"
        if depth <= 0:
            return None
        if self.max_depth is not None and depth > self.max_depth:
            return f"deeper than --max-depth {self.max_depth}"
        name = url.split("/", 3)[2]
        try:
            reason = self._known[name]
        except KeyError:
            reason = self._look_up(name, url)
        if reason is not None:
            return reason
        if self.prefixes and not url.startswith(self._beginnings):
            return "begins with none of --prefix"
        if self.include and not any(pattern.search(url) for pattern in self._included):
            return "matches no --include"
        if self.exclude and any(pattern.search(url) for pattern in self._excluded):
            return "matches --exclude"
        return None

    def _look_up(self, name: str, url: str) -> str | None:
        """Judge a host met for the first time, and remember the answer."""
        if len(self._known) >= _MAX_HOSTS:
            self._known.clear()
        reason = self._known[name] = self._refuse_host(url)
        return reason

    def _refuse_host(self, url: str) -> str | None:
        if self.within == "any":
            return None
        try:
            host = host_of(url)
        except ValueError:
            return "not a valid address"
        names, sites, below = self._allowed
        if host in names or host.endswith(below):
            return None
        if self.within == "host":
            return "another host (--scope host)"
        return None if site_of(host) in sites else "another site (--scope site)"

    @cached_property
    def _allowed(self) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
        """The hosts and sites that are allowed, and the ends of hosts that are."""
        seeds = [host_of(seed) for seed in self.seeds]
        listed = [spelled(host) for host in self.hosts]
        listed += [host_of(beginning) for beginning in self._beginnings]
        names = frozenset([*seeds, *(host.lstrip(".") for host in listed)])
        below = tuple(host for host in listed if host.startswith("."))
        return names, frozenset(map(site_of, seeds)), below

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        """The prefixes in full, spelled as addresses are."""
        found: list[str] = []
        for prefix in self.prefixes:
            schemes = ("",) if "://" in prefix else ("http://", "https://")
            try:
                found += [resolve(scheme + prefix.strip()) for scheme in schemes]
                host_of(found[-1])
            except (ValueError, IndexError):
                found.append("")
            if not found[-1].startswith(("http://", "https://")):
                raise UsageError(
                    f"--prefix {prefix}: not the beginning of a URL;"
                    " write https://host/path or host/path"
                )
        return tuple(found)

    @cached_property
    def _included(self) -> tuple[re.Pattern[str], ...]:
        return compiled("--include", self.include)

    @cached_property
    def _excluded(self) -> tuple[re.Pattern[str], ...]:
        return compiled("--exclude", self.exclude)


def spelled(name: str) -> str:
    """Return a listed host as addresses spell it, with its dot if it has one before it."""
    bare = name.strip()
    dot = "." if bare.startswith(".") else ""
    return dot + host_of(f"http://{bare.lstrip('.')}/")


def compiled(option: str, patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Compile patterns; a UsageError names the option and the bad one."""
    # Not joined into one: flags and group numbers are each pattern's own.
    found = []
    for pattern in patterns:
        try:
            found.append(re.compile(pattern))
        except re.error as error:
            raise UsageError(
                f"{option} {pattern!r} is not a regular expression: {error}; write special"
                " characters with a backslash"
            ) from error
    return tuple(found)

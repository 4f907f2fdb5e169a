"""Which URLs a crawl may visit.

A scope is asked about every link of every page.  Most of its answer depends on the
host alone and is cached; the rest is a test of prefixes and patterns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from foragers.errors import UsageError
from foragers.filters.settings import DEFAULT_FILTERS, FilterSettings
from foragers.urls.parse import host_of, resolve, site_of

WITHIN = ("host", "site", "any")
_HOST = re.compile(r"\.?(?:[\w-]+\.)*[\w-]+(?::\d{1,5})?|\[[0-9a-fA-F:.]+\](?::\d{1,5})?")


@dataclass(frozen=True)
class Scope:
    """The URLs a crawl may visit; seeds (depth 0) are always in scope.

    `within` is "host" (the hosts of the seeds), "site" (their registrable domains) or
    "any"; `hosts` are allowed in addition (".a.test" means a.test and its subdomains), and
    so are those of `prefixes`.  With `prefixes` or `include` a URL must
    begin with one of the former and match one of the latter; no URL may match one of
    `exclude`.  A prefix without a scheme means http and https.
    """

    seeds: tuple[str, ...] = ()
    within: str = "site"
    hosts: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    settings: FilterSettings = field(default=DEFAULT_FILTERS, repr=False, compare=False)
    _refused_hosts: dict[str, str | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.within not in WITHIN:
            raise UsageError(f"--scope {self.within}: use one of {', '.join(WITHIN)}")
        compiled("--include", self.include)
        compiled("--exclude", self.exclude)
        _ = self._full_prefixes
        for host in self.hosts:
            try:
                valid = _HOST.fullmatch(host.strip()) and normalised_host(host)
            except ValueError:
                valid = None
            if not valid:
                raise UsageError(f"--hosts {host}: write names such as a.org,.b.org")

    def and_seed(self, seed: str) -> Scope:
        """Return the scope with another seed, the target of a seed's redirect."""
        return self if seed in self.seeds else replace(self, seeds=(*self.seeds, seed))

    def refuse_host(self, url: str) -> str | None:
        """Return why no URL of a host may be visited, or None if some may."""
        if not url.startswith(("http://", "https://")):
            return "neither http nor https"
        name = url.split("/", 3)[2]
        try:
            return self._refused_hosts[name]
        except KeyError:
            return self._look_up(name, url)

    def refuse(self, url: str, depth: int) -> str | None:
        """Return why a URL may not be visited, or None if it may."""
        if not url.startswith(("http://", "https://")):
            return "neither http nor https"
        if depth <= 0:
            return None
        if self.max_depth is not None and depth > self.max_depth:
            return f"deeper than --max-depth {self.max_depth}"
        name = url.split("/", 3)[2]
        try:
            reason = self._refused_hosts[name]
        except KeyError:
            reason = self._look_up(name, url)
        if reason is not None:
            return reason
        if self.prefixes and not url.startswith(self._full_prefixes):
            return "begins with none of --prefix"
        if self.include and not any(pattern.search(url) for pattern in self._included):
            return "matches no --include"
        if self.exclude and any(pattern.search(url) for pattern in self._excluded):
            return "matches --exclude"
        return None

    def _look_up(self, name: str, url: str) -> str | None:
        """Check a host for the first time, and cache the answer."""
        if len(self._refused_hosts) >= self.settings.hosts:
            self._refused_hosts.clear()
        reason = self._refused_hosts[name] = self._refuse_host(url)
        return reason

    def _refuse_host(self, url: str) -> str | None:
        if self.within == "any":
            return None
        try:
            host = host_of(url)
        except ValueError:
            return "not a valid URL"
        names, sites, suffixes = self._allowed
        if host in names or host.endswith(suffixes):
            return None
        if self.within == "host":
            return "another host (--scope host)"
        return None if site_of(host) in sites else "another site (--scope site)"

    @cached_property
    def _allowed(self) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
        """The allowed hosts and sites, and the allowed suffixes of hosts."""
        seeds = [host_of(seed) for seed in self.seeds]
        listed = [normalised_host(host) for host in self.hosts]
        listed += [host_of(prefix) for prefix in self._full_prefixes]
        names = frozenset([*seeds, *(host.lstrip(".") for host in listed)])
        suffixes = tuple(host for host in listed if host.startswith("."))
        return names, frozenset(map(site_of, seeds)), suffixes

    @cached_property
    def _full_prefixes(self) -> tuple[str, ...]:
        """The prefixes with scheme, normalised like URLs."""
        full: list[str] = []
        for prefix in self.prefixes:
            schemes = ("",) if "://" in prefix else ("http://", "https://")
            try:
                full += [resolve(scheme + prefix.strip()) for scheme in schemes]
                host_of(full[-1])
            except (ValueError, IndexError):
                full.append("")
            if not full[-1].startswith(("http://", "https://")):
                raise UsageError(
                    f"--prefix {prefix}: not the beginning of a URL;"
                    " write https://host/path or host/path"
                )
        return tuple(full)

    @cached_property
    def _included(self) -> tuple[re.Pattern[str], ...]:
        return compiled("--include", self.include)

    @cached_property
    def _excluded(self) -> tuple[re.Pattern[str], ...]:
        return compiled("--exclude", self.exclude)


def normalised_host(name: str) -> str:
    """Return a host of `--hosts` as it stands in URLs, after a dot if it was written with one."""
    bare = name.strip()
    dot = "." if bare.startswith(".") else ""
    return dot + host_of(f"http://{bare.lstrip('.')}/")


def compiled(option: str, patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Compile patterns; a UsageError names the option and the invalid one."""
    # Not joined into one, since each pattern has its own flags and group numbers.
    expressions = []
    for pattern in patterns:
        try:
            expressions.append(re.compile(pattern))
        except re.error as error:
            raise UsageError(
                f"{option} {pattern!r} is not a regular expression: {error}; write special"
                " characters with a backslash"
            ) from error
    return tuple(expressions)

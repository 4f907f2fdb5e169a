"""Unreachable hosts, one by one or all at once.

A host that cannot be reached (no name, no connection, no response in time) is tried
again after growing pauses, by one request at a time, and finally given up for a while.
A host that has responded before gets more time than one that never has.

If all hosts that responded recently fall silent, the network is *down*.
Then the crawl pauses, tries a few hosts from time to time, and gives up none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from foragers.fetching.settings import DEFAULT_FETCHING, OutageSettings
from foragers.fetching.throttle import Throttle


@dataclass(slots=True)
class OutageMonitor:
    """Records which hosts respond and which cannot be reached."""

    throttle: Throttle
    settings: OutageSettings = DEFAULT_FETCHING.outages
    down_since: float = inf
    probe_at: float = 0.0
    _responses: dict[str, float] = field(default_factory=dict)
    _silent: dict[str, float] = field(default_factory=dict)
    _last: float = -inf
    _probes: int = 0

    @property
    def is_down(self) -> bool:
        """Whether no host can be reached."""
        return self.down_since < inf

    def down_for(self, now: float) -> float:
        """Return for how many seconds no host could be reached."""
        return max(0.0, now - self.down_since)

    def usable(self, free: int, running: int, now: float) -> int:
        """Return how many of the free connections may be used: few while the network is down."""
        if not self.is_down:
            return free
        return min(free, self.settings.probes - running) if now >= self.probe_at else 0

    def responded(self, host: str, now: float) -> float:
        """Record a response of a host; return how long the network was down, if it was."""
        self._responses.pop(host, None)
        self._responses[host] = self._last = now
        if len(self._responses) > self.settings.max_hosts:
            del self._responses[next(iter(self._responses))]
        self._silent.clear()
        passed = self.down_for(now)
        if self.is_down:
            self.down_since, self._probes = inf, 0
            self.throttle.forgive(passed)
        return passed

    def failed(self, host: str, now: float) -> bool:
        """Record that a host could not be reached; return whether the network just went down."""
        if self.is_down:
            self._schedule_probe(now)
            return False
        since = self._last - self.settings.recent
        if host in self._responses and self._responses[host] >= since:
            self._silent.setdefault(host, now)
        recent = sum(moment >= since for moment in self._responses.values())
        if not self._silent or len(self._silent) < min(self.settings.several, recent):
            return False
        self.down_since = min(self._silent.values())
        self._schedule_probe(now)
        return True

    def gives_up(self, host: str, now: float) -> bool:
        """Return whether a host that could not be reached just now is given up."""
        state, settings = self.throttle.state(host), self.settings
        patience = settings.give_up_known if state.answered else settings.give_up_new
        due = now + (self.throttle.wait(host, now) or 0.0)
        passed = due - state.down_since
        return not self.is_down and passed > patience * self.throttle.settings.backoff

    def _schedule_probe(self, now: float) -> None:
        """Set when to try again whether the network is back."""
        unit, settings = self.throttle.settings.backoff, self.settings
        doublings = min(self._probes, settings.max_doublings)
        self.probe_at = now + min(unit * 2.0**doublings, unit * settings.max_pause)
        self._probes += 1

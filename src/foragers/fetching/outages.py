"""Whether the network is there: hosts that cannot be reached, one by one or all at once.

A host that cannot be reached (no name, no connection, no answer to either in time) is asked
again after pauses that grow, by one request at a time, and given up for a while in the end.
One that has answered before is worth more patience than one that never has.

If hosts that answered a moment ago all fall silent, it is not they: the network is *away*.
Then the crawl pauses, asks a few hosts from time to time, and gives up none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from foragers.fetching.throttle import Throttle


@dataclass(frozen=True)
class OutageSettings:
    """When hosts are given up, and when the network counts as away; all numbers are guesses."""

    known: float = 300.0  # seconds until a host is given up that has answered before
    stranger: float = 10.0  # the same for one that never has
    gone: float = 1800.0  # seconds for which a host is given up
    recent: float = 60.0  # the network is away if hosts fall silent that answered so recently:
    several: int = 3  # so many of them, or all if there are fewer
    probes: int = 3  # requests at a time while the network is away
    longest_pause: float = 15.0  # seconds between them
    max_hosts: int = 1000  # hosts whose last response is remembered; memory


DEFAULT_OUTAGES = OutageSettings()


@dataclass(slots=True)
class Weather:
    """Sees who answers and who cannot be reached."""

    courtesy: Throttle
    settings: OutageSettings = DEFAULT_OUTAGES
    away_since: float = inf
    probe_at: float = 0.0
    _answers: dict[str, float] = field(default_factory=dict)
    _silent: dict[str, float] = field(default_factory=dict)
    _last: float = -inf
    _probes: int = 0

    @property
    def is_away(self) -> bool:
        """Whether nobody can be reached."""
        return self.away_since < inf

    def away(self, now: float) -> float:
        """Return for how many seconds nobody could be reached."""
        return max(0.0, now - self.away_since)

    def places(self, free: int, running: int, now: float) -> int:
        """Return how many of the free places may be used: few while the network is away."""
        if not self.is_away:
            return free
        return min(free, self.settings.probes - running) if now >= self.probe_at else 0

    def answered(self, host: str, now: float) -> float:
        """Note that a host answered; return how long the network was away, if it was."""
        self._answers.pop(host, None)
        self._answers[host] = self._last = now
        if len(self._answers) > self.settings.max_hosts:
            del self._answers[next(iter(self._answers))]
        self._silent.clear()
        passed = self.away(now)
        if self.is_away:
            self.away_since, self._probes = inf, 0
            self.courtesy.forgive(passed)
        return passed

    def failed(self, host: str, now: float) -> bool:
        """Note that a host could not be reached; say whether the network has just gone."""
        if self.is_away:
            self._put_off(now)
            return False
        since = self._last - self.settings.recent
        if host in self._answers and self._answers[host] >= since:
            self._silent.setdefault(host, now)
        recent = sum(moment >= since for moment in self._answers.values())
        if not self._silent or len(self._silent) < min(self.settings.several, recent):
            return False
        self.away_since = min(self._silent.values())
        self._put_off(now)
        return True

    def is_hopeless(self, host: str, now: float) -> bool:
        """Say whether a host is to be given up that could not be reached just now."""
        state = self.courtesy.state(host)
        patience = self.settings.known if state.answered else self.settings.stranger
        due = now + (self.courtesy.wait(host, now) or 0.0)
        return not self.is_away and due - state.down_since > patience * self.courtesy.backoff

    def _put_off(self, now: float) -> None:
        """Note when to look next whether the network is back."""
        unit, longest = self.courtesy.backoff, self.settings.longest_pause
        self.probe_at = now + min(unit * 2.0 ** min(self._probes, 10), unit * longest)
        self._probes += 1

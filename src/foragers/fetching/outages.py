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

KNOWN, STRANGER = 300.0, 10.0
"""Seconds after which a host is given up that has answered before, and one that has not."""
GONE = 1800.0
"""Seconds for which a host is given up."""
RECENT, SEVERAL = 60.0, 3
"""If so many hosts fall silent that answered within so many seconds, the network is away; or
all of them, if there are fewer."""
PROBES, LONGEST_PAUSE = 3, 15.0
"""While the network is away so many requests are made at a time, and so many seconds apart."""
MAX_HOSTS = 1000
"""Of so many hosts it is remembered when they answered."""


@dataclass(slots=True)
class Weather:
    """Sees who answers and who cannot be reached."""

    courtesy: Throttle
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
        return min(free, PROBES - running) if now >= self.probe_at else 0

    def answered(self, host: str, now: float) -> float:
        """Note that a host answered; return how long the network was away, if it was."""
        self._answers.pop(host, None)
        self._answers[host] = self._last = now
        if len(self._answers) > MAX_HOSTS:
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
        since = self._last - RECENT
        if host in self._answers and self._answers[host] >= since:
            self._silent.setdefault(host, now)
        recent = sum(moment >= since for moment in self._answers.values())
        if not self._silent or len(self._silent) < min(SEVERAL, recent):
            return False
        self.away_since = min(self._silent.values())
        self._put_off(now)
        return True

    def is_hopeless(self, host: str, now: float) -> bool:
        """Say whether a host is to be given up that could not be reached just now."""
        state = self.courtesy.state(host)
        patience = KNOWN if state.answered else STRANGER
        due = now + (self.courtesy.wait(host, now) or 0.0)
        return not self.is_away and due - state.down_since > patience * self.courtesy.backoff

    def _put_off(self, now: float) -> None:
        """Note when to look next whether the network is back."""
        unit = self.courtesy.backoff
        self.probe_at = now + min(unit * 2.0 ** min(self._probes, 10), unit * LONGEST_PAUSE)
        self._probes += 1

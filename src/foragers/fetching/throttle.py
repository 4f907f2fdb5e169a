"""How the live web is treated: when a host, and an address, may be asked again.

One request at a time to each host and to each network address, and a pause between the
end of one and the start of the next.  The pause is the longest of what the user wants,
what robots.txt asks for, what the server asks for (Retry-After), a multiple of how long it
takes to answer, and, after failures, a time that doubles with each.

A page that fails says little about its host, which may have many such pages and be well:
the doubling ends soon.  Where a host is overloaded it goes on, once several pages in a row have
failed.  One that is *down*, that cannot be reached at all, is asked again and again with pauses
of its own (`weather.py`), which say nothing about how it wants to be treated.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ThrottleSettings:
    """How long hosts are left alone, in seconds, each number with its source.

    *Guess* means that nobody has measured another value.
    """

    slowdown: float = 2.0  # pause = this · response time; guess
    max_adaptive: float = 30.0  # longest such pause; guess
    max_sample: float = 10.0  # a response that took longer counts as if it took so long; guess
    max_asked: float = 24 * 3600.0  # longest Crawl-delay obeyed: as long as robots.txt is kept
    max_retry_after: float = (
        24 * 3600.0
    )  # longest Retry-After obeyed (RFC 9110 has no limit); guess

    # After failures the pause doubles: for pages that fail twice, on a busy host four times, and
    # without end once a busy host has failed so often in a row.
    max_backoff: float = 1200.0  # guess
    short_doublings: int = 2  # guess
    busy_doublings: int = 4  # guess
    many_failures: int = 12  # guess

    # A host that was too busy is asked more slowly, and a little less so with each success: so the
    # pace that a host can bear is found.
    slower: float = 0.25  # first extra pause, then doubled; guess
    quicker: float = 0.95  # factor after each success; guess
    least_slow: float = 0.05  # shorter extra pauses are ignored; guess
    max_slow: float = 10.0  # guess

    max_down: float = 30.0  # longest pause before an unreachable host is tried again; guess
    max_wait: float = 30.0  # a job that must wait longer is deferred; guess
    max_failures: int = 6  # after more failures in a row, each page is tried once; guess
    glance: float = 0.05  # pause before a busy host is looked at again; CPU
    max_poll: float = 0.25  # longest wait for responses, so that a crawl ends at once; CPU

    max_hosts: int = 20_000  # beyond so many, hosts are forgotten; memory
    recent: float = 300.0  # but only those free for so long; guess


DEFAULT_THROTTLE = ThrottleSettings()
HostDelays = dict[str, tuple[float, int]]
"""Until when hosts are to be left alone, and how often in a row they were too busy."""


@dataclass(slots=True)
class HostState:
    """What is known of a host; `down` is how often in a row it could not be reached."""

    address: str = ""
    seconds: float = 0.0
    failures: int = 0
    busy: int = 0
    asked: float = 0.0
    slow: float = 0.0
    answered: bool = False
    down: int = 0
    down_since: float = 0.0

    def note(self, seconds: float, failed: bool, busy: bool, settings: ThrottleSettings) -> None:
        """Record how a request went."""
        self.down = 0
        if not failed:
            sample = min(seconds, settings.max_sample)
            self.seconds = 0.7 * self.seconds + 0.3 * sample if self.seconds else sample
        self.failures = self.failures + 1 if failed else 0
        self.busy = self.busy + 1 if busy else 0
        if busy:
            self.slow = min(max(2 * self.slow, settings.slower), settings.max_slow)
        else:
            self.slow *= settings.quicker


@dataclass(slots=True)
class Throttle:
    """Who is being asked now, and who may be asked when."""

    delay: float = 1.0
    backoff: float = 1.0
    settings: ThrottleSettings = DEFAULT_THROTTLE
    hosts: dict[str, HostState] = field(default_factory=dict)
    _busy: set[str] = field(default_factory=set)
    _free_at: dict[str, float] = field(default_factory=dict)
    _most: int = field(init=False)

    def __post_init__(self) -> None:
        self._most = self.settings.max_hosts

    def state(self, host: str) -> HostState:
        """Return what is known of a host."""
        known = self.hosts.get(host)
        if known is None:
            known = self.hosts[host] = HostState()
        return known

    def keys(self, host: str) -> tuple[str, ...]:
        """Return what a request to a host occupies: the host, and its address once known."""
        address = self.state(host).address
        return (host, f"at {address}") if address else (host,)

    def wait(self, host: str, now: float) -> float | None:
        """Return how long a request must wait, or None while another is under way."""
        keys = self.keys(host)
        if any(key in self._busy for key in keys):
            return None
        return max(0.0, max(self._free_at.get(key, 0.0) for key in keys) - now)

    def start(self, host: str) -> tuple[str, ...]:
        """Note that a request begins; return what it occupies."""
        keys = self.keys(host)
        self._busy.update(keys)
        return keys

    def claim(self, host: str, keys: tuple[str, ...], address: str, now: float) -> tuple[str, ...]:
        """Note where a host that is being asked turns out to be; return what that occupies.

        Nothing, where another host at that address is being asked or was a moment ago.
        """
        key = f"at {address}"
        if key not in keys:
            if key in self._busy or self._free_at.get(key, 0.0) > now:
                self.state(host).address = address
                return ()
            self._busy.add(key)
            keys += (key,)
        return keys

    def release(self, keys: tuple[str, ...]) -> None:
        """Note that nothing was asked after all."""
        self._busy.difference_update(keys)

    def free_at(self, host: str) -> float:
        """Return when a host may be asked again."""
        return self._free_at.get(host, 0.0)

    def wishes(self, now: float) -> HostDelays:
        """Return what must not be forgotten when the crawl ends."""
        return {
            host: (self._free_at.get(host, 0.0), state.busy)
            for host, state in self.hosts.items()
            if not state.down and (state.busy or self._free_at.get(host, 0.0) > now)
        }

    def recall(self, wishes: HostDelays) -> None:
        """Go on to respect what hosts wanted when the crawl ended."""
        for host, (free_at, failures) in wishes.items():
            self.state(host).failures = self.state(host).busy = failures
            self._free_at[host] = free_at

    def obey(self, host: str, seconds: float, now: float) -> None:
        """Leave a host alone for as long as its robots.txt says, from now on."""
        self.state(host).asked = asked = min(seconds, self.settings.max_asked)
        self._free_at[host] = max(self._free_at.get(host, 0.0), now + asked)

    def finish(
        self,
        host: str,
        keys: tuple[str, ...],
        now: float,
        *,
        seconds: float,
        failed: bool,
        busy: bool = False,
        address: str = "",
        retry_after: float = 0.0,
    ) -> float:
        """Note that a request ended; return how long the host is to be left alone."""
        state = self.state(host)
        state.address = address or state.address
        state.note(seconds, failed, busy, self.settings)
        pause = self.pause(state, retry_after)
        self.release(keys)
        # What a host asks for is for itself; others at its address have only the delay to keep.
        for key in {*keys, *self.keys(host)}:
            self._free_at[key] = now + (pause if key == host else self.delay)
        if len(self.hosts) > self._most:
            self._forget(now)
        return pause

    def not_reached(self, host: str, keys: tuple[str, ...], now: float) -> None:
        """Note that a host could not be reached: it is left alone, and longer each time."""
        state = self.state(host)
        if not state.down:
            state.down_since = now
        state.down += 1
        self.release(keys)
        for key in keys:
            self._free_at[key] = max(self._free_at.get(key, 0.0), now + self.delay)
        pause = self.backoff * min(2.0 ** min(state.down, 10), self.settings.max_down)
        self._free_at[host] = max(self._free_at.get(host, 0.0), now + pause)

    def leave(self, host: str, until: float) -> None:
        """Leave a host alone until a time."""
        self._free_at[host] = max(self._free_at.get(host, 0.0), until)

    def forgive(self, seconds: float) -> None:
        """Do not count some seconds against the hosts that could not be reached in them."""
        for state in self.hosts.values():
            if state.down:
                state.down, state.down_since = 1, state.down_since + seconds

    def _forget(self, now: float) -> None:
        """Forget hosts that were left alone long enough and have asked for nothing."""
        for key in [key for key, at in self._free_at.items() if at + self.settings.recent < now]:
            state = self.hosts.get(key)
            if key not in self._busy and not (
                state and (state.asked or state.failures or state.down)
            ):
                del self._free_at[key]
                self.hosts.pop(key, None)
        self._most = max(self.settings.max_hosts, 2 * len(self.hosts))

    def pause(self, state: HostState, retry_after: float) -> float:
        """Return how long to leave a host alone."""
        own = self.settings
        adaptive = min(own.slowdown * state.seconds, own.max_adaptive) if self.delay else 0.0
        doublings = min(state.failures, own.short_doublings)
        if state.busy:
            most = max(own.busy_doublings, state.busy - own.many_failures)
            doublings = max(doublings, min(state.busy, most, 16))
        backoff = min(self.backoff * 2.0**doublings, own.max_backoff) if state.failures else 0.0
        asked = max(state.asked, min(retry_after, own.max_retry_after))
        slow = self.backoff * state.slow if state.slow > own.least_slow else 0.0
        return max(self.delay, asked, adaptive, backoff, slow)

"""Rate limits: when a host, and an IP address, may be requested again.

There is one request at a time to each host and to each IP address, and a pause between the end of
one and the start of the next.  The pause is the longest of the user's `--delay`, the Crawl-delay of
robots.txt, the Retry-After of the server, a multiple of the response time and, after failures, a
time that doubles with each.

A page that fails says little about its host, which may have many such pages: the doubling ends
soon.  On an overloaded host it goes on, once several pages in a row have failed.  A host that is
*down*, which cannot be reached at all, is tried again after pauses of its own (`outages`), which
say nothing about its rate limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.fetching.settings import DEFAULT_FETCHING, ThrottleSettings

HostDelays = dict[str, tuple[float, int]]
"""Until when hosts are to be left alone, and how often in a row they were overloaded."""


@dataclass(slots=True)
class HostState:
    """The state of a host.

    `address` is its IP address, `seconds` its mean response time, and `extra` its extra pause.
    `failures`, `busy` and `down` count requests in a row that failed, that found the host
    overloaded, and that could not reach it.
    """

    address: str = ""
    seconds: float = 0.0
    failures: int = 0
    busy: int = 0
    crawl_delay: float = 0.0
    extra: float = 0.0
    answered: bool = False
    down: int = 0
    down_since: float = 0.0

    def note(self, seconds: float, failed: bool, busy: bool, settings: ThrottleSettings) -> None:
        """Record the end of a request."""
        self.down = 0
        if not failed:
            sample, weight = min(seconds, settings.max_sample), settings.smoothing
            mean = (1 - weight) * self.seconds + weight * sample
            self.seconds = mean if self.seconds else sample
        self.failures = self.failures + 1 if failed else 0
        self.busy = self.busy + 1 if busy else 0
        if busy:
            self.extra = min(max(2 * self.extra, settings.extra_pause), settings.max_extra)
        else:
            self.extra *= settings.extra_decay


@dataclass(slots=True)
class Throttle:
    """Which hosts and IP addresses are busy, and when the others may be requested."""

    delay: float = 1.0
    settings: ThrottleSettings = DEFAULT_FETCHING.throttle
    hosts: dict[str, HostState] = field(default_factory=dict)
    _busy: set[str] = field(default_factory=set)
    _free_at: dict[str, float] = field(default_factory=dict)
    _most: int = field(init=False)

    def __post_init__(self) -> None:
        self._most = self.settings.max_hosts

    def state(self, host: str) -> HostState:
        """Return the state of a host, which may be modified."""
        state = self.hosts.get(host)
        if state is None:
            state = self.hosts[host] = HostState()
        return state

    def keys(self, host: str) -> tuple[str, ...]:
        """Return the keys that a request to a host occupies: host, and IP address if known."""
        address = self.state(host).address
        return (host, f"at {address}") if address else (host,)

    def wait(self, host: str, now: float) -> float | None:
        """Return how long a request must wait, or None while another is in progress."""
        longest = 0.0
        for key in self.keys(host):
            if key in self._busy:
                return None
            longest = max(longest, self._free_at.get(key, 0.0) - now)
        return longest

    def start(self, host: str) -> tuple[str, ...]:
        """Record the start of a request; return the keys that it occupies."""
        keys = self.keys(host)
        self._busy.update(keys)
        return keys

    def claim(self, host: str, keys: tuple[str, ...], address: str, now: float) -> tuple[str, ...]:
        """Record the resolved address of a host; return the keys that the request occupies.

        Return no keys if another host at that address is busy, or was until a moment ago.
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
        """Record that no request was sent after all."""
        self._busy.difference_update(keys)

    def free_at(self, host: str) -> float:
        """Return when a host may be requested again."""
        return self._free_at.get(host, 0.0)

    def delays(self, now: float) -> HostDelays:
        """Return the pauses that must outlast the end of the crawl."""
        return {
            host: (self._free_at.get(host, 0.0), state.busy)
            for host, state in self.hosts.items()
            if not state.down and (state.busy or self._free_at.get(host, 0.0) > now)
        }

    def restore(self, delays: HostDelays) -> None:
        """Restore the pauses of a crawl that is resumed."""
        for host, (free_at, busy) in delays.items():
            self.state(host).failures = self.state(host).busy = busy
            self._free_at[host] = free_at

    def obey(self, host: str, seconds: float, now: float) -> None:
        """Set the Crawl-delay of a host, which counts from now on."""
        delay = min(seconds, self.settings.max_crawl_delay)
        self.state(host).crawl_delay = delay
        self._free_at[host] = max(self._free_at.get(host, 0.0), now + delay)

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
        """Record the end of a request; return how long the host is to be left alone."""
        state = self.state(host)
        state.address = address or state.address
        state.note(seconds, failed, busy, self.settings)
        pause = self.pause(state, retry_after)
        self.release(keys)
        # The pause is for the host; other hosts at its address wait for the delay only.
        for key in {*keys, *self.keys(host)}:
            self._free_at[key] = now + (pause if key == host else self.delay)
        self.tidy(now)
        return pause

    def tidy(self, now: float) -> None:
        """Forget some hosts if there are very many."""
        if len(self.hosts) > self._most:
            self._forget(now)

    def not_reached(self, host: str, keys: tuple[str, ...], now: float) -> None:
        """Record that a host could not be reached; it is left alone, and longer each time."""
        state = self.state(host)
        if not state.down:
            state.down_since = now
        state.down += 1
        self.release(keys)
        for key in keys:
            self._free_at[key] = max(self._free_at.get(key, 0.0), now + self.delay)
        settings = self.settings
        doublings = min(state.down, settings.max_doublings)
        pause = settings.backoff * min(2.0**doublings, settings.max_down)
        self._free_at[host] = max(self._free_at.get(host, 0.0), now + pause)

    def leave(self, host: str, until: float) -> None:
        """Leave a host alone until a time."""
        self._free_at[host] = max(self._free_at.get(host, 0.0), until)

    def forgive(self, seconds: float) -> None:
        """Do not count some seconds of an outage against the hosts that were unreachable."""
        for state in self.hosts.values():
            if state.down:
                state.down, state.down_since = 1, state.down_since + seconds

    def _forget(self, now: float) -> None:
        """Forget hosts that have been free for long, unless they ask for pauses or fail."""
        for key in [key for key, at in self._free_at.items() if at + self.settings.recent < now]:
            state = self.hosts.get(key)
            if key not in self._busy and not (
                state and (state.crawl_delay or state.failures or state.down)
            ):
                del self._free_at[key]
                self.hosts.pop(key, None)
        self._most = max(self.settings.max_hosts, 2 * len(self.hosts))

    def pause(self, state: HostState, retry_after: float) -> float:
        """Return how long to leave a host alone."""
        settings = self.settings
        adaptive = min(settings.slowdown * state.seconds, settings.max_adaptive)
        doublings = min(state.failures, settings.short_doublings)
        if state.busy:
            most = max(settings.busy_doublings, state.busy - settings.many_failures)
            doublings = max(doublings, min(state.busy, most, settings.max_doublings))
        backoff = min(settings.backoff * 2.0**doublings, settings.max_backoff)
        asked = max(state.crawl_delay, min(retry_after, settings.max_retry_after))
        return max(
            self.delay,
            asked,
            adaptive if self.delay else 0.0,
            backoff if state.failures else 0.0,
            settings.backoff * state.extra if state.extra > settings.min_extra else 0.0,
        )

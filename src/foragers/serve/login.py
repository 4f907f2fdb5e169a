"""Wrong passwords: whoever sends several has to wait before the next."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class LoginSettings:
    """How many wrong passwords are allowed."""

    free: int = 5  # wrong passwords without a pause; a guess
    pause: float = 10.0  # seconds after the next one, doubled at each further one; a guess
    longest: float = 3600.0  # seconds; a guess
    clients: int = 10_000  # that are remembered; memory


@dataclass
class LoginTries:
    """Wrong passwords by client; a network of IPv6 that one customer has is one client."""

    settings: LoginSettings = field(default_factory=LoginSettings)
    clock: Callable[[], float] = time.monotonic
    _wrong: OrderedDict[str, tuple[int, float]] = field(default_factory=OrderedDict)

    def wait(self, address: str) -> float:
        """Return for how many seconds a client may not try; 0 if it may."""
        _, until = self._wrong.get(client_of(address), (0, 0.0))
        return max(0.0, until - self.clock())

    def note_wrong(self, address: str) -> None:
        """Count a wrong password."""
        client, rules = client_of(address), self.settings
        count = self._wrong.pop(client, (0, 0.0))[0] + 1
        beyond = count - rules.free
        pause = min(rules.longest, rules.pause * 2.0 ** min(beyond - 1, 30)) if beyond > 0 else 0.0
        self._wrong[client] = count, self.clock() + pause
        while len(self._wrong) > rules.clients:
            self._wrong.popitem(last=False)

    def note_right(self, address: str) -> None:
        """Forget the wrong passwords of a client that knows the right one."""
        self._wrong.pop(client_of(address), None)


def client_of(address: str) -> str:
    """Return what stands for a client: its IPv4 address, or its /64 network of IPv6."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))

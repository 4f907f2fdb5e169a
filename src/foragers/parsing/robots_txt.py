"""robots.txt as in RFC 9309, parsed as leniently as the large search engines do.

Meaningless lines are skipped, so any bytes make a `Robots`.  The rules for an agent are compiled on
its first use: a crawler needs only its own, however many others a file has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from foragers.parsing.robots_rules import Rule, Rules

MAX_BYTES = 500 << 10
"""The part of a file that is parsed; the RFC demands no less."""

_MAX_LINE = 1 << 14
_EVERYBODY = "*"

# As they are meant, and as they are often written.
_KEYS = {
    b"user-agent": "agent",
    b"useragent": "agent",
    b"user agent": "agent",
    b"allow": "allow",
    b"disallow": "disallow",
    b"dissallow": "disallow",
    b"dissalow": "disallow",
    b"disalow": "disallow",
    b"desallow": "disallow",
    b"diasllow": "disallow",
    b"disallaw": "disallow",
    b"crawl-delay": "delay",
    b"crawldelay": "delay",
    b"crawl delay": "delay",
    b"request-rate": "rate",
    b"request rate": "rate",
    b"sitemap": "sitemap",
    b"site-map": "sitemap",
}
# The shortest meaningful line is "allow:".
_LINE = re.compile(rb"(?<![^\r\n])[^\r\n]{6,}")
_WITHOUT_COLON = re.compile(rb"\s*(user[ \t]agent|request[ \t]rate|\S+)[ \t]+(\S.*)", re.I | re.S)
_TAG = re.compile(rb"</?[A-Za-z]{1,10}\s*/?>")
_SECONDS = re.compile(rb"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}")
_RATE = re.compile(rb"(\d{1,9})\s*/\s*(\d{1,9})\s*([smh]?)", re.IGNORECASE)
_UNITS = {b"": 1, b"s": 1, b"m": 60, b"h": 3600}
_PRODUCT = re.compile(r"[^\s/*,;()]+")


def products(agent: str) -> list[str]:
    """Return the product names in a user agent, or in a User-agent line, in lower case."""
    return _PRODUCT.findall(agent.lower())


@dataclass(slots=True)
class Group:
    """Rules under one list of agents.

    The list ends with the first rule.  It is cut if a meaningless line ends it, and open if nothing
    does.
    """

    rules: list[Rule] = field(default_factory=list)
    is_open: bool = True
    is_cut: bool = False


@dataclass(slots=True)
class RobotsGroup:
    """The part of a file for one name."""

    groups: list[Group] = field(default_factory=list)
    delay: float | None = None

    @property
    def is_void(self) -> bool:
        """Whether meaningless lines have left the name without any rule."""
        return all(group.is_cut for group in self.groups)


@dataclass(frozen=True, slots=True)
class Robots:
    """The robots.txt of a host: its parts by name, and its sitemaps as written.

    `phrases` are names that have more words after them in their line.  The file of a host that is
    not `reachable` has to be requested again.
    """

    names: dict[str, RobotsGroup] = field(default_factory=dict)
    phrases: dict[str, RobotsGroup] = field(default_factory=dict)
    sitemaps: tuple[str, ...] = ()
    reachable: bool = True
    _rules: dict[str, Rules] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def parse(cls, body: bytes, limit: int = MAX_BYTES) -> Robots:
        """Parse a file, whatever its bytes are, up to a limit."""
        reader = _RobotsReader()
        for key, value in _lines(_text(body, limit)):
            reader.read(key, value)
        return cls(reader.names, reader.phrases, tuple(dict.fromkeys(reader.sitemaps)))

    def allowed(self, agent: str, url: str) -> bool:
        """Return whether an agent, by its product token or whole User-Agent, may fetch a URL."""
        return self.rules(agent).allowed(url)

    def delay(self, agent: str) -> float | None:
        """Return the seconds between two fetches of an agent, if the file has them."""
        return self.rules(agent).delay

    def rules(self, agent: str) -> Rules:
        """Return the rules for an agent."""
        compiled = self._rules.get(agent)
        if compiled is None:
            compiled = self._rules[agent] = self._rules_for(agent)
        return compiled

    def _rules_for(self, agent: str) -> Rules:
        parts = self._parts(products(agent))
        if all(part.is_void for part in parts) and _EVERYBODY in self.names:
            parts.append(self.names[_EVERYBODY])
        rules = (rule for part in parts for group in part.groups for rule in group.rules)
        delays = [part.delay for part in parts if part.delay is not None]
        return Rules.of(rules, max(delays, default=None))

    def _parts(self, agent: list[str]) -> list[RobotsGroup]:
        """Return the parts for an agent by one of its names, or else by the start of its first."""
        if not agent:
            return []
        named = [name for name in agent if name in self.names]
        # In "Mozilla/5.0 (compatible; Foragers/1.0)" the longest name is the crawler's.
        parts = [self.names[max(named, key=len)]] if named else []
        if len(agent) == 1 and agent[0] in self.phrases:
            parts.append(self.phrases[agent[0]])
        if not parts:
            starts = (agent[0][:end] for end in range(len(agent[0]) - 1, 0, -1))
            parts = [self.names[start] for start in starts if start in self.names][:1]
        return parts


def robots_for_status(code: int | None, body: bytes = b"") -> Robots:
    """Return the meaning of the response to a request for robots.txt; None is no response.

    A client error means that there are no rules, except 429: a server that is asked too often has
    not allowed everything.  429, a server error, no response, and redirects that lead nowhere
    forbid everything until the file is requested again.
    """
    if code is not None and 200 <= code <= 299:
        return Robots.parse(body)
    if code is not None and 400 <= code <= 499 and code != 429:
        return Robots()
    nothing = RobotsGroup([Group([Rule(b"/", False)], is_open=False)])
    return Robots({_EVERYBODY: nothing}, reachable=False)


class _RobotsReader:
    """The state of parsing a file: the group that lines belong to, and the agents of a delay."""

    def __init__(self) -> None:
        self.names: dict[str, RobotsGroup] = {}
        self.phrases: dict[str, RobotsGroup] = {}
        self.sitemaps: list[str] = []
        self._group = Group(is_open=False)
        self._listed: list[RobotsGroup] = []
        self._is_delayed = False

    def read(self, key: str, value: bytes) -> None:
        """Parse one line."""
        if key == "agent":
            self._read_agent(value.decode("utf-8", "replace"))
        elif key in ("allow", "disallow"):
            self._group.is_open = False
            if value:
                self._group.rules.append(Rule(value, key == "allow"))
        elif key in ("delay", "rate"):
            self._is_delayed = True
            seconds = _seconds(value) if key == "delay" else _pause(value)
            if seconds is not None:
                for part in self._listed:
                    part.delay = max(seconds, part.delay or 0.0)
        elif key == "sitemap":
            if value:
                self.sitemaps.append(value.decode("utf-8", "replace"))
        elif self._group.is_open:
            # By the letter of the RFC the list continues.  But rules below "User-agent: *" and a
            # "Noindex" are meant for one robot, and would apply to all.
            self._group.is_open, self._group.is_cut = False, True

    def _read_agent(self, value: str) -> None:
        """Add an agent to the list, or begin a new one."""
        if not self._group.is_open:
            self._group = Group()
            self._is_delayed = True
        if self._is_delayed:
            # A delay does not end the list for rules, but a later delay has its own list.
            self._listed = []
            self._is_delayed = False
        words = value.split()
        names = [_EVERYBODY] if words and words[0].strip(",") == _EVERYBODY else products(value)
        if names:
            parts = self.phrases if len(words) > 1 and names[0] != _EVERYBODY else self.names
            part = parts.setdefault(names[0], RobotsGroup())
            part.groups.append(self._group)
            self._listed.append(part)


def _text(body: bytes, limit: int) -> bytes:
    """Return the part of a file that is parsed, in UTF-8 and without a byte order mark."""
    text = body[:limit]
    if len(body) > limit:
        # Half a line may mean something else than the whole line.
        text = text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        # Some files have the mark of UTF-16 and continue in plain bytes.
        return text.decode("utf-16", "replace").encode() if b"\0" in text else text[2:]
    return text.removeprefix(b"\xef\xbb\xbf")


def _lines(text: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield keys and values; the key of a meaningless line is empty."""
    for line in _LINE.findall(text):
        line = line[:_MAX_LINE].partition(b"#")[0]
        key, colon, value = line.partition(b":")
        if not colon:
            match = _WITHOUT_COLON.match(line)
            if match is None or match[1].lower() not in _KEYS:
                continue
            key, value = match.groups()
        if b"<" in value:
            value = _TAG.sub(b"", value)
        yield _KEYS.get(key.strip().lower(), ""), value.strip()


def _seconds(value: bytes) -> float | None:
    """Parse the seconds of a Crawl-delay."""
    match = _SECONDS.match(value)
    return float(match[0]) if match else None


def _pause(value: bytes) -> float | None:
    """Parse a Request-rate, pages per time, as the seconds for one page."""
    match = _RATE.match(value)
    if match is None or not int(match[1]):
        return None
    return int(match[2]) * _UNITS[match[3].lower()] / int(match[1])

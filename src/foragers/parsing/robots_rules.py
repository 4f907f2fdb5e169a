"""The rules of robots.txt for one agent, prepared for fast matching.

A rule is a pattern: a head of plain characters, and after its first asterisk pieces that have to
follow in order.  Heads are sorted, each with a pointer to the longest other head that is a prefix
of it.  So the heads that are prefixes of a path are found by one bisection and a walk along the
pointers, however many rules there are.  Each piece is searched for after the last one, without
backtracking.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

_MAX_PATH = 1 << 15
# The work for one answer, in units of about 0.2 microseconds: a search for a piece takes two for
# every 256 characters of the path, and a rule that is too long for the path one.
_MAX_EFFORT = 2_500
_SEARCH = 2

# The part of a URL before its path: scheme and host, or a host alone.
_ORIGIN = re.compile(r"(?:[^/?#:]*:)?(?://)?[^/?#]*")
# Characters with only one spelling; all others are compared as escapes.
_PLAIN = r"A-Za-z0-9._~!&()+,;=:@/?-"
# Escapes that are needed, in capitals, as most are.
_NEEDED = r"%(?:[0189A-F][0-9A-F]|2[0-9ABCF])"
_CANONICAL = re.compile(rf"/(?:[{_PLAIN}]++|{_NEEDED})*+")
_ODD = re.compile(rf"(?!{_NEEDED})%([0-9A-Fa-f]{{2}})|[^%*${_PLAIN}]".encode())
_UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")
# An end that no path has, since its dollars are escaped: nothing may follow the head.
_NOTHING = "$"


class Rule(NamedTuple):
    """One line of robots.txt: a pattern as written, and whether it allows."""

    pattern: bytes
    allow: bool


class PatternTail(NamedTuple):
    """What a pattern requires of a path after its head: pieces, and the end of the path.

    The rank is the length of the pattern, doubled, and one more if it allows: the highest rank
    decides.
    """

    rank: int
    letters: int
    pieces: tuple[str, ...]
    end: str | None


@dataclass(frozen=True, slots=True)
class Rules:
    """The paths of a host that one agent may fetch, and its crawl delay in seconds."""

    heads: tuple[str, ...] = ()
    parents: tuple[int, ...] = ()
    tails: tuple[tuple[PatternTail, ...], ...] = ()
    delay: float | None = None

    @classmethod
    def of(cls, rules: Iterable[Rule], delay: float | None = None) -> Rules:
        """Sort rules by their heads, and those of one head by rank."""
        by_head: dict[str, list[PatternTail]] = {}
        for pattern, allow in dict.fromkeys(rules):
            for spelled in _spellings(pattern, allow):
                head, tail = _parted(spelled, allow)
                by_head.setdefault(head, []).append(tail)
        heads = tuple(sorted(by_head))
        tails = tuple(tuple(sorted(by_head[head], reverse=True, key=_rank)) for head in heads)
        return cls(heads, tuple(_parents(heads)), tails, delay)

    def allowed(self, url: str) -> bool:
        """Return whether a URL may be fetched: the longest matching pattern decides."""
        if not self.heads:
            return True
        path = path_of(url)
        if path == "/robots.txt":
            return True
        best = 1
        effort = 0
        price = _SEARCH * (1 + len(path) // 256)
        at = bisect_right(self.heads, path) - 1
        while at >= 0:
            head = self.heads[at]
            room = len(path) - len(head)
            for rank, letters, pieces, end in self.tails[at] if path.startswith(head) else ():
                if rank <= best:
                    break
                effort += price * len(pieces) if letters <= room else 1
                if effort > _MAX_EFFORT:
                    # No honest file takes so long, and it may forbid the URL.
                    return False
                if letters > room or (pieces and pieces[0] not in path):
                    continue
                if _fits(pieces, end, path, len(head)):
                    best = rank
                    break
            at = self.parents[at]
        return best % 2 == 1


def _rank(tail: PatternTail) -> int:
    return tail.rank


def _fits(pieces: tuple[str, ...], end: str | None, path: str, start: int) -> bool:
    """Return whether the rest of a path from `start` matches the tail of a pattern."""
    for piece in pieces:
        start = path.find(piece, start)
        if start < 0:
            return False
        start += len(piece)
    if end is None:
        return True
    if end == _NOTHING:
        return start == len(path)
    return path.endswith(end) and len(path) - len(end) >= start


def _spellings(pattern: bytes, allow: bool) -> Iterator[str]:
    """Yield the canonical form of a pattern, and of a second one that it implies."""
    if not pattern.startswith((b"/", b"*")):
        pattern = b"/" + pattern
    spelled = canonical(pattern)
    if "$" in spelled[:-1]:
        # Only the last dollar has a meaning.
        spelled = spelled[:-1].replace("$", "%24") + spelled[-1]
    yield spelled
    folder, slash, name = spelled.rpartition("/")
    if allow and name.startswith("index.htm"):
        # A rule that allows the index of a directory allows the directory too.
        yield folder + slash + "$"


def _parted(pattern: str, allow: bool) -> tuple[str, PatternTail]:
    """Split a pattern into its head and its tail."""
    whole = pattern.endswith("$")
    head, *pieces = (pattern[:-1] if whole else pattern).split("*")
    end = None
    if whole:
        end = pieces.pop() if pieces else _NOTHING
    pieces = [piece for piece in pieces if piece]
    letters = sum(map(len, pieces)) + (len(end) if end and end != _NOTHING else 0)
    return head, PatternTail(2 * len(pattern) + allow, letters, tuple(pieces), end)


def _parents(heads: tuple[str, ...]) -> Iterator[int]:
    """Yield for each of several sorted heads the index of its longest proper prefix among them."""
    line: list[int] = []
    for at, head in enumerate(heads):
        while line and not head.startswith(heads[line[-1]]):
            line.pop()
        yield line[-1] if line else -1
        line.append(at)


def path_of(url: str) -> str:
    """Return the path and query of a URL, or of a path, in canonical form."""
    origin = _ORIGIN.match(url)
    start = origin.end() if origin else 0
    path = url[start : start + _MAX_PATH]
    if "#" in path:
        path = path.partition("#")[0]
    if not path.startswith("/"):
        path = "/" + path
    if _CANONICAL.fullmatch(path):
        return path
    spelled = canonical(path.encode("utf-8", "surrogatepass"))
    return spelled.replace("*", "%2A").replace("$", "%24")


def canonical(text: bytes) -> str:
    """Escape characters that have several spellings, and no others; asterisks and dollars stay."""
    return _ODD.sub(_escaped, text).decode("ascii")


def _escaped(match: re.Match[bytes]) -> bytes:
    if match[1] is None:
        return b"%%%02X" % match[0][0]
    letter = bytes.fromhex(match[1].decode())
    return letter if _UNRESERVED.match(letter) else match[0].upper()

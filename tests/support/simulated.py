"""Sites made up page by page: sound ones, and traps that answer any address for ever."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from zlib import crc32

from foragers.filters.traps import Traps, TrapVerdict
from foragers.urls.canonical import canonical

Answer = tuple[str, list[str]]

_RNG = random.Random(1)
_SYLLABLES = [a + b for a in "bcdfghjklmnprstvwxz" for b in "aeiou"]
VOCABULARY = ["".join(_RNG.choices(_SYLLABLES, k=_RNG.randint(1, 4))) for _ in range(12_000)]
# Words of a language are not equally frequent: the n-th has a share of 1/n.
_WEIGHTS = list(accumulate(1 / (n + 3) for n in range(len(VOCABULARY))))
MENU = " ".join(VOCABULARY[100:160])


@cache
def prose(seed: str, words: int) -> str:
    """Return text that belongs to a seed."""
    rng = random.Random(seed)
    return " ".join(rng.choices(VOCABULARY, cum_weights=_WEIGHTS, k=words))


def framed(text: str) -> str:
    """Return text with the menu and footer that all pages of a site have."""
    return f"{MENU} {text} copyright all rights reserved imprint privacy contact"


class Site:
    """Answers addresses; `real` are those of its pages that a crawl should reach."""

    host = "http://site.test"

    def seeds(self) -> list[str]:
        return [f"{self.host}/"]

    def real(self) -> set[str]:
        return set()

    def answer(self, path: str) -> Answer | None:
        """Return text and links (paths) for a path with its query, or None for a 404."""
        raise NotImplementedError


@dataclass
class Both(Site):
    """Two sites on one host, each linked from every page of the first."""

    sound: Site
    trap: Site
    doors: Callable[[str], list[str]] = lambda path: []

    def real(self) -> set[str]:
        return self.sound.real()

    def answer(self, path: str) -> Answer | None:
        found = self.sound.answer(path)
        if found is not None:
            return found[0], found[1] + self.doors(path)
        return self.trap.answer(path)


@dataclass
class Result:
    """What a crawl downloaded and refused."""

    downloads: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, TrapVerdict] = field(default_factory=dict)

    def reach(self, real: set[str]) -> float:
        return len(real & set(self.downloads)) / len(real)

    def spent(self, real: Iterable[str] = ()) -> int:
        return len(set(self.downloads) - set(real))


def crawl(site: Site, limit: int, traps: Traps | None = None) -> Result:
    """Crawl breadth-first, asking and telling the traps, to the end or to a limit."""
    traps = traps or Traps()
    result = Result()
    queue = deque(site.seeds())
    known = set(queue)
    while queue and len(result.downloads) < limit and len(known) < 40 * limit:
        url = queue.popleft()
        reason = traps.refuse(url)
        if reason is not None:
            result.refused[url] = reason
            continue
        origin, _, path = url.partition("://")[2].partition("/")
        found = site.answer("/" + path) if url.startswith(site.host) else None
        result.downloads.append(url)
        if found is None:
            continue
        text, paths = found
        links = [path if "://" in path else f"http://{origin}{path}" for path in paths]
        result.verdicts[url] = traps.learn(url, text, links)
        for link in map(canonical, links):
            if link not in known:
                known.add(link)
                queue.append(link)
    return result


def chosen(seed: str, count: int, among: int) -> list[int]:
    """Return some numbers below `among` that belong to a seed."""
    rng = random.Random(crc32(seed.encode()))
    return [rng.randrange(among) for _ in range(count)]

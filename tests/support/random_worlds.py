"""Worlds drawn by lot: several hosts, redirects, dead links, pages that link to themselves."""

from __future__ import annotations

from random import Random

from foragers.worlds.archive import Archive
from support.worlds_by_hand import Later, small_world

WORDS = ["prawn", "reef", "tide", "kelp", "rust", "engine", "bolt", "gear"]


def random_world(
    seed: int, pages: int = 60, hosts: int = 6, links: int = 4, changes: int = 0
) -> Archive:
    """Return a world of so many pages; label "wanted" is on every sixth of them."""
    rng = Random(seed)
    names = [f"http://h{rng.randrange(hosts)}.test/{number}" for number in range(pages)]
    dead = [f"http://h{rng.randrange(hosts)}.test/dead{number}" for number in range(pages // 10)]
    moved = {
        f"http://h{rng.randrange(hosts)}.test/old{number}": rng.choice(names + dead)
        for number in range(pages // 8)
    }
    moved["http://h0.test/loop"] = "http://h1.test/loop"
    moved["http://h1.test/loop"] = "http://h0.test/loop"
    goals = names + dead + list(moved)

    def some_links() -> list[str]:
        return [rng.choice(goals) for _ in range(rng.randrange(2 * links))]

    later: list[Later] = [
        (rng.uniform(1, 50), name, some_links()) for name in rng.sample(names, changes)
    ]
    return small_world(
        {name: [*some_links(), names[(number + 1) % pages]] for number, name in enumerate(names)},
        seeds=[names[0], names[pages // 2]],
        redirects=moved,
        later=later,
        texts={name: " ".join(rng.choices(WORDS, k=8)) for name in names},
        labels={"wanted": names[::6]},
    )

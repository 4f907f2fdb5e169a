"""Where the populations are tried: a web, and a topic on it for each run.

Relevance is the tf·idf cosine, as in the paper; idf is counted in the web itself.
"""

from __future__ import annotations

from pathlib import Path

from foragers.errors import UsageError
from foragers.exhibits.automata_webs import SHARE, Ground, split
from foragers.exhibits.population_paper import PAGES, TOPICS
from foragers.exhibits.request import Request
from foragers.run import Aim
from foragers.worlds.generated.presets import generate
from foragers.worlds.store import open_world, save

SEEDS = 3
"""The paper begins with one to three highly relevant pages."""
FEWEST_DOWNLOADS, FEWEST_PAGES = 200, 2_000
WEB_PAGES, WEB_TOPICS = 100_000, 8
"""So large that a topic has 10,000 pages: they last for most of a crawl of 25,000."""


def grounds_of(request: Request, runs: int) -> list[Ground]:
    """Return where each run crawls: the topics take turns."""
    if request.worlds:
        found = [ground for path in request.worlds for ground in recorded(request, path)]
    else:
        found = generated(request)
    return [found[run % len(found)] for run in range(max(runs, len(found)))]


def generated(request: Request) -> list[Ground]:
    """Return five topics on a web that is made up."""
    if request.relevant or request.topic:
        raise UsageError("--topic and --relevant are for recorded worlds; name one with --world")
    web = made(request)
    archive = open_world(web)
    budget = max(FEWEST_DOWNLOADS, round(PAGES * request.scale))
    grounds = []
    for name, words in TOPICS.items():
        urls = archive.labels.urls[f"topic:{name}"]
        seeds = tuple(archive.book.href(int(url)) for url in urls[:SEEDS])
        aim = Aim(words, "tfidf")
        grounds.append(
            Ground("generated", web, name, aim, seeds, budget, 0, request.out / "judged")
        )
    return grounds


def made(request: Request) -> Path:
    """Make the web, or a share of it, unless it is there."""
    pages = max(FEWEST_PAGES, round(WEB_PAGES * request.scale))
    path = request.out / "worlds" / f"topics-{pages}-seed{request.seed}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        save(generate("topics", seed=request.seed, pages=pages, topics=WEB_TOPICS), path)
    return path


def recorded(request: Request, path: Path) -> list[Ground]:
    """Return what is wanted on a recorded web."""
    archive = open_world(path)
    if request.relevant:
        aims = {name: Aim(relevant=name) for name in split(request.relevant, ",")}
    elif request.topic:
        aims = {words: Aim(words, "tfidf") for words in split(request.topic, ";")}
    else:
        raise UsageError(
            f"--world {path}: say what is wanted with --topic 'WORDS; WORDS' or --relevant LABEL"
        )
    most = round(PAGES * request.scale)
    budget = max(50, min(most, 10 * round(SHARE * archive.pages / 10)))
    keep, name = request.out / "judged", path.resolve().name
    grounds = [Ground(name, path, topic, aim, (), budget, 0, keep) for topic, aim in aims.items()]
    for ground in grounds:
        if not ground.study().rewards():
            raise UsageError(f"--world {path}: no page is on {ground.topic!r}; ask for another")
    return grounds

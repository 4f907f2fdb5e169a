"""Where the CPU time of a crawl goes: `foragers crawl` with a clock around each of its parts.

Each part counts without the parts inside of it.  The clocks themselves take a few per cent, so the
sum is larger than the cost of a crawl without them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from foragers.cli.main import main as run_command
from foragers.core.loop import Crawl
from foragers.crawling.session import Session
from foragers.fetching import extractor, page_builder
from foragers.fetching.extractor import PageExtractor
from foragers.filters.traps import Traps
from foragers.http.client import Client
from foragers.parsing.html import parse, walk
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.storage.warc.writer import Recorder

PARTS: dict[str, tuple[tuple[object, str], ...]] = {
    "HTTP": ((Client, "start"), (Client, "finished")),
    "gunzip": ((extractor, "payload"),),
    "UTF-8, harmless or rewritten": ((parse, "limited"),),
    "lexbor": ((parse, "LexborHTMLParser"),),
    "walk, text": ((parse, "walk"), (parse, "collect")),
    "links": ((walk, "choose_spoken"), (walk, "_links"), (parse, "_links")),
    "rest of parsing": ((extractor, "parse"),),
    "scope, URL table": ((PageExtractor, "follow"), (page_builder, "numbered")),
    "traps": ((Traps, "learn"), (Traps, "refuse")),
    "judge": ((Crawl, "visits"),),
    "strategy": ((Crawl, "ask"), (Crawl, "tell")),
    "ledger": ((SqliteLedger, "append"),),
    "WARC": ((Recorder, "record"),),
    "checkpoints": ((Session, "checkpoint"),),
    "loop, view": ((Session, "run"),),
}


class Clocks:
    """CPU seconds by part."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._inner: list[float] = []

    def wrap(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that counts its time for a part."""

        @wraps(function, updated=())
        def timed(*args: Any, **named: Any) -> Any:
            start = time.process_time()
            self._inner.append(0.0)
            try:
                return function(*args, **named)
            finally:
                taken = time.process_time() - start
                self.seconds[part] += taken - self._inner.pop()
                if self._inner:
                    self._inner[-1] += taken

        return timed


def main(command: list[str]) -> int:
    """Run a command of foragers, and print a line for each part: its name and its CPU seconds."""
    clocks = Clocks()
    for part, places in PARTS.items():
        for owner, name in places:
            setattr(owner, name, clocks.wrap(part, getattr(owner, name)))
    code = run_command(command)
    clocks.seconds["start and end"] = time.process_time() - sum(clocks.seconds.values())
    for part, seconds in clocks.seconds.items():
        print(f"part\t{part}\t{seconds:.4f}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

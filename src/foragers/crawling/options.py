"""What a user orders: everything that `foragers crawl` can be told."""

from __future__ import annotations

from math import inf
from pathlib import Path

import msgspec

from foragers import __version__
from foragers.core.files import read, write
from foragers.core.options import Target
from foragers.crawling.stopping import StopRules
from foragers.errors import UsageError
from foragers.evaluation.metrics.recall import Estimate

FREE = (
    *("budget", "per_host", "minutes", "until_recall", "until_yield"),
    *("concurrency", "delay", "contact", "learned", "chromium"),
)
"""What may be different when a crawl is taken up again, and changes nothing about what was."""
SCOPE = ("within", "hosts", "prefix", "include", "exclude", "max_depth", "allow_private")
"""What may be different too: pages that were out of bounds may be fetched then, or no more."""
NAMES = {
    "seeds": "first URLs",
    "aim": "aim (--topic, --examples, --judge, --new-within and what belongs to them)",
    "within": "--scope",
    "warc": "--no-warc",
    "traps": "--no-traps",
}
"""What options are called, where it is not by their own name."""
MOST_CONNECTIONS = 10_000
LONGEST = 10_000_000
"""Minutes, or seconds between two requests: nobody waits for more."""


class CrawlOptions(msgspec.Struct, frozen=True):
    """The options of a crawl of the live web."""

    seeds: tuple[str, ...]
    aim: Target = Target()
    strategy: str = "auto"
    seed: int = 0
    budget: int = 2000
    minutes: float | None = None
    concurrency: int = 16
    delay: float = 1.0
    within: str = "site"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    allow_private: tuple[str, ...] = ()
    user_agent: str = ""
    contact: str = ""
    warc: bool = True
    traps: bool = True
    hosts: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
    per_host: int | None = None
    sitemaps: bool = False
    feeds: bool = False
    learned: str | None = None
    render: bool = False
    chromium: str = ""
    until_recall: float | None = None
    until_yield: str | None = None

    @property
    def agent(self) -> str:
        """How the crawler introduces itself."""
        name = self.user_agent or f"foragers/{__version__}"
        return f"{name} (+{self.contact})" if self.contact else name

    @property
    def enough(self) -> StopRules:
        """What the user takes as enough."""
        return StopRules.of(self.until_recall, self.until_yield)

    def check(self) -> None:
        """Refuse what makes no sense, before anything is fetched."""
        if not self.seeds:
            raise UsageError("give at least one URL to start from")
        for option, value, least, most in (
            ("--budget", self.budget, 1, inf),
            ("--per-host", 1 if self.per_host is None else self.per_host, 1, inf),
            ("--concurrency", self.concurrency, 1, MOST_CONNECTIONS),
            ("--delay", self.delay, 0, LONGEST),
            ("--seed", self.seed, 0, inf),
            ("--minutes", 1 if self.minutes is None else self.minutes, 0, LONGEST),
            ("--max-depth", 0 if self.max_depth is None else self.max_depth, 0, inf),
        ):
            if not value >= least:
                raise UsageError(f"{option} {value:g}: must be at least {least}")
            if value > most:
                raise UsageError(f"{option} {value:g}: must be at most {most:,}")
        if self.chromium and not self.render:
            raise UsageError("--chromium names the browser for --render; give that too")
        if self.enough.recall is not None and self.aim.new_within is not None:
            raise UsageError(
                "--until-recall: new pages never end (--new-within); use --until-yield"
            )
        if not (self.agent.isascii() and self.agent.isprintable()):
            raise UsageError("--user-agent and --contact: write them in plain ASCII, on one line")

    def wanted(self, threshold: float) -> str:
        """Say what counts as relevant: all that estimates speak of."""
        aim = self.aim
        judged = aim.topic or aim.examples or aim.judge
        return f"{aim} at threshold {threshold:g}" if judged else str(aim)

    def keep(
        self,
        folder: Path,
        stopped: str = "",
        estimate: Estimate | None = None,
        wanted: str = "",
    ) -> None:
        """Write the order into the folder of its crawl, and why that stopped, if it has."""
        file = folder / "crawl.json"
        told = {**msgspec.to_builtins(self), "stopped": stopped or None}
        told["estimate"] = msgspec.to_builtins(estimate)
        told["wanted"] = wanted or None
        write(file, msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")

    def changes(self, before: CrawlOptions) -> set[str]:
        """Return the names of the options that differ, but for those that may always."""
        names = set(self.__struct_fields__).difference(FREE)
        return {name for name in names if getattr(self, name) != getattr(before, name)}

    def check_same(self, before: CrawlOptions, folder: Path) -> None:
        """Refuse to take up another crawl than the one in the folder."""
        for name in self.__struct_fields__:
            if name in self.changes(before).difference(SCOPE):
                option = NAMES.get(name, f"--{name.replace('_', '-')}")
                raise UsageError(
                    f"--out {folder} holds a crawl with another {option}, which cannot change;"
                    " give the same to go on with it, or choose another folder for a new crawl"
                )


def order_in(folder: Path) -> CrawlOptions | None:
    """Return what was ordered in a folder, None if nothing was."""
    file = folder / "crawl.json"
    if not file.exists():
        return None
    try:
        return msgspec.json.decode(read(file), type=CrawlOptions)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{file} is damaged ({error}); choose another --out") from error

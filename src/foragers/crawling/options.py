"""What a user orders: everything that `foragers crawl` can be told."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import msgspec

from foragers.core.files import read, write
from foragers.core.options import OnResume, Target, check_ranges, option, options_in, options_of
from foragers.crawling.stopping import StopRules
from foragers.errors import UsageError
from foragers.evaluation.metrics.recall import Estimate
from foragers.version import __version__

MOST_CONNECTIONS = 10_000
LONGEST = 10_000_000
"""Minutes, or seconds between two requests: nobody waits for more."""
STRATEGY, STOPPING, SCOPE = "strategy", "when to stop", "scope"
POLITE, RESULTS = "speed and politeness", "results"
BROWSER = "pages that need JavaScript"


@dataclass(frozen=True, kw_only=True)
class CrawlOptions:
    """The options of a crawl of the live web."""

    seeds: tuple[str, ...]
    aim: Target = options_of(Target(), without=("relevant",))
    strategy: str = option(
        "auto",
        group=STRATEGY,
        metavar="NAME",
        help="strategy; 'foragers strategies' lists them, and auto learns as it crawls",
    )
    seed: int = option(0, least=0, group=STRATEGY, metavar="S", help="random seed")
    learned: str | None = option(
        None,
        group=STRATEGY,
        metavar="FILE",
        on_resume=OnResume.FREE,
        help="file that keeps what the strategy learns, for later crawls to start with",
    )
    budget: int = option(
        2000,
        least=1,
        group=STOPPING,
        metavar="N",
        on_resume=OnResume.FREE,
        help="stop after this many downloads",
    )
    minutes: float | None = option(
        None,
        least=0,
        most=LONGEST,
        group=STOPPING,
        metavar="M",
        on_resume=OnResume.FREE,
        help="stop after this many minutes",
    )
    per_host: int | None = option(
        None,
        least=1,
        group=STOPPING,
        metavar="N",
        on_resume=OnResume.FREE,
        help="download at most this many pages from each host",
    )
    until_recall: float | None = option(
        None,
        group=STOPPING,
        metavar="R",
        on_resume=OnResume.FREE,
        help="stop at this estimated recall, for example 0.9",
        see="stopping.md",
    )
    until_yield: str | None = option(
        None,
        group=STOPPING,
        metavar="K/N",
        on_resume=OnResume.FREE,
        help="stop when the last N downloads found fewer than K relevant pages, for example 1/200",
        see="stopping.md",
    )
    within: str = option(
        "site",
        name="scope",
        choices=("host", "site", "any"),
        group=SCOPE,
        on_resume=OnResume.SCOPE,
        help="stay on the hosts of the seeds, on their registered domains, or go anywhere",
    )
    hosts: tuple[str, ...] = option(
        (),
        separator=",",
        group=SCOPE,
        metavar="A,.B",
        on_resume=OnResume.SCOPE,
        help="also crawl these hosts; .b.org means b.org and all its subdomains",
    )
    prefix: tuple[str, ...] = option(
        (),
        group=SCOPE,
        metavar="URL",
        on_resume=OnResume.SCOPE,
        help="only URLs with this prefix (https://a.org/docs/, or a.org/docs/ for http and https);"
        " may be repeated",
    )
    include: tuple[str, ...] = option(
        (),
        group=SCOPE,
        metavar="RE",
        on_resume=OnResume.SCOPE,
        help="only URLs that match this pattern; may be repeated",
    )
    exclude: tuple[str, ...] = option(
        (),
        group=SCOPE,
        metavar="RE",
        on_resume=OnResume.SCOPE,
        help="no URLs that match this pattern; may be repeated",
    )
    max_depth: int | None = option(
        None,
        least=0,
        group=SCOPE,
        metavar="D",
        on_resume=OnResume.SCOPE,
        help="at most this many links away from a seed",
    )
    sitemaps: bool = option(False, group=SCOPE, help="also follow the links in sitemaps")
    feeds: bool = option(False, group=SCOPE, help="also follow the links in RSS and Atom feeds")
    warc: bool = option(True, group=RESULTS, help="do not store the pages as WARC")
    concurrency: int = option(
        16,
        least=1,
        most=MOST_CONNECTIONS,
        group=POLITE,
        metavar="C",
        on_resume=OnResume.FREE,
        help="download from at most this many hosts at once",
    )
    delay: float = option(
        1.0,
        least=0,
        most=LONGEST,
        group=POLITE,
        metavar="SECONDS",
        on_resume=OnResume.FREE,
        help="pause between two requests to one host, at least",
    )
    user_agent: str = option(
        "", group=POLITE, metavar="NAME", help="name sent to sites as User-Agent"
    )
    contact: str = option(
        "",
        group=POLITE,
        metavar="URL|MAIL",
        on_resume=OnResume.FREE,
        help="contact shown to site owners",
    )
    allow_private: tuple[str, ...] = option(
        (),
        group=POLITE,
        metavar="HOST[:PORT]|CIDR",
        on_resume=OnResume.SCOPE,
        help="allow requests to this private address or network; may be repeated",
    )
    traps: bool = option(True, group=POLITE, help="do not detect crawler traps", see="traps.md")
    render: bool = option(
        False,
        group=BROWSER,
        help="run pages that are empty without JavaScript in a browser",
        see="rendering.md",
    )
    chromium: str = option(
        "",
        group=BROWSER,
        metavar="PATH",
        on_resume=OnResume.FREE,
        help="Chromium to use for --render",
    )

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
        check_ranges(self)
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
        told = {**msgspec.to_builtins(self, enc_hook=str), "stopped": stopped or None}
        told["estimate"] = msgspec.to_builtins(estimate)
        told["wanted"] = wanted or None
        write(file, msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")

    def changes(self, before: CrawlOptions) -> set[str]:
        """Return the names of the fields that differ, but for those that always may."""
        free = {item.field for item in RESUMED if item.said.on_resume is OnResume.FREE}
        names = {one.name for one in fields(self)} - free
        return {name for name in names if getattr(self, name) != getattr(before, name)}

    def check_same(self, before: CrawlOptions, folder: Path) -> None:
        """Refuse to take up another crawl than the one in the folder."""
        scope = {item.field for item in RESUMED if item.said.on_resume is OnResume.SCOPE}
        changed = self.changes(before) - scope
        flags = {item.field: item.flag for item in RESUMED}
        for name in (one.name for one in fields(self) if one.name in changed):
            raise UsageError(
                f"--out {folder} holds a crawl with another {NOT_OPTIONS.get(name) or flags[name]},"
                " which cannot change; give the same to go on with it, or choose another folder"
                " for a new crawl",
                option="out",
                value=folder,
            )


RESUMED = options_in(CrawlOptions)
NOT_OPTIONS = {
    "seeds": "first URLs",
    "aim": "aim (--topic, --examples, --judge, --new-within and what belongs to them)",
}
"""What fields are called that are no options themselves."""


def order_in(folder: Path) -> CrawlOptions | None:
    """Return what was ordered in a folder, None if nothing was."""
    file = folder / "crawl.json"
    if not file.exists():
        return None
    try:
        return msgspec.json.decode(read(file), type=CrawlOptions)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{file} is damaged ({error}); choose another --out") from error

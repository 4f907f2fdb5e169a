"""The options of `foragers crawl` and `foragers.crawl`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import msgspec

from foragers.core.files import read, write
from foragers.core.options import OnResume, Target, check_ranges, option, options_in, options_of
from foragers.crawling.seeds import host_budget
from foragers.crawling.stopping import StopRules
from foragers.errors import UsageError
from foragers.evaluation.metrics.recall import Estimate
from foragers.judges.words import Standing
from foragers.storage.ledger.postgres import is_database, without_password
from foragers.storage.ledger.stores import LedgerStore
from foragers.version import __version__

MOST_CONNECTIONS = 10_000
LONGEST = 10_000_000
"""The largest number of minutes, and of seconds between two requests."""
STRATEGY, STOPPING, SCOPE = "strategy", "when to stop", "scope"
POLITE, RESULTS = "speed and politeness", "results"
BROWSER = "pages that need JavaScript"
MACHINES = "several machines"
NODES = "nodes"
"""The value of `--cluster` for nodes that join by themselves; Ray starts the others."""
OTHER_KINDS = {
    "world.json": "a world",
    "comparison.json": "a comparison",
    "exhibits.json": "the exhibits of a paper",
}
"""What a folder is that has one of these files."""
CLUSTERS = (NODES, "local", "auto")
"""The values of `--cluster` that are no URLs."""


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
    host_budgets: tuple[str, ...] = option(
        (),
        name="host_budget",
        group=STOPPING,
        metavar="HOST=N",
        on_resume=OnResume.FREE,
        help="download at most N pages from this host; may be repeated, and a number after a URL in"
        " the file of --seeds does the same",
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
    seeds_file: str | None = option(
        None,
        name="seeds",
        group=SCOPE,
        metavar="FILE",
        on_resume=OnResume.FREE,
        help="file with more URLs to start from, one a line (# begins a comment); a number after a"
        " URL is the largest number of pages of its host",
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
    named_sitemaps: bool = option(
        True, group=SCOPE, help="do not follow the links in the sitemaps that robots.txt names"
    )
    sitemaps: bool = option(
        False, group=SCOPE, help="also look for a sitemap at /sitemap.xml if robots.txt names none"
    )
    feeds: bool = option(False, group=SCOPE, help="also follow the links in RSS and Atom feeds")
    warc: bool = option(True, group=RESULTS, help="do not store the pages as WARC")
    ledger: str = option(
        "",
        group=MACHINES,
        metavar="URL",
        on_resume=OnResume.FREE,
        help="PostgreSQL database for the ledger, postgresql://USER@HOST/DATABASE, in place of a"
        " file in --out",
        see="cluster.md",
    )
    standby: bool = option(
        False,
        group=MACHINES,
        on_resume=OnResume.FREE,
        help="wait until the crawl that writes to --ledger ends, and go on with it",
        see="cluster.md",
    )
    cluster: str = option(
        "",
        group=MACHINES,
        metavar="nodes|local|auto|ray://HOST:PORT",
        on_resume=OnResume.FREE,
        help="let other machines fetch: those that run 'foragers node', or nodes that Ray starts",
        see="cluster.md",
    )
    workers: int = option(
        0,
        least=0,
        most=1,
        group=POLITE,
        metavar="N",
        on_resume=OnResume.FREE,
        help="1: fetch, read and archive pages in a process beside the crawl, so that a second core"
        " helps",
    )
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
        """The User-Agent header."""
        name = self.user_agent or f"foragers/{__version__}"
        return f"{name} (+{self.contact})" if self.contact else name

    @property
    def stop_rules(self) -> StopRules:
        """When to stop, besides the budget and the time."""
        return StopRules.of(self.until_recall, self.until_yield)

    @property
    def budgets(self) -> dict[str, int]:
        """The limits of single hosts, by name."""
        return dict(map(host_budget, self.host_budgets))

    def check(self) -> None:
        """Raise a UsageError for invalid options, before anything is fetched."""
        if not self.seeds:
            raise UsageError("give at least one URL to start from, or a file of them with --seeds")
        check_ranges(self)
        _ = self.budgets
        if self.chromium and not self.render:
            raise UsageError("--chromium names the browser for --render; give that too")
        for flag, other in (("--render", self.render), ("--cluster", self.cluster)):
            if self.workers and other:
                raise UsageError(f"--workers and {flag} exclude each other; leave one of them out")
        if self.ledger and not is_database(self.ledger):
            raise UsageError(
                f"--ledger {self.ledger}: not the URL of a database;"
                " write postgresql://USER@HOST/DATABASE"
            )
        for flag, given in (("--standby", self.standby), ("--cluster", self.cluster)):
            if given and not self.ledger:
                raise UsageError(f"{flag} needs a ledger in a database; give --ledger too")
        is_known = self.cluster in ("", *CLUSTERS) or self.cluster.startswith("ray://")
        if not is_known:
            known = ", ".join(CLUSTERS)
            raise UsageError(
                f"--cluster {self.cluster}: unknown; use {known} or ray://HOST:PORT",
            )
        if self.stop_rules.recall is not None and self.aim.new_within is not None:
            raise UsageError(
                "--until-recall: new pages never end (--new-within); use --until-yield"
            )
        if not (self.agent.isascii() and self.agent.isprintable()):
            raise UsageError("--user-agent and --contact: write them in plain ASCII, on one line")

    def wanted(self, threshold: float) -> str:
        """Return which pages count as relevant, and so in estimates."""
        aim = self.aim
        by = f" by {aim.similarity}" if aim.topic else ""
        judged = aim.topic or aim.examples or aim.judge
        return f"{aim}{by} at threshold {threshold:g}" if judged else str(aim)

    def keep(
        self,
        folder: Path,
        store: LedgerStore,
        stopped: str = "",
        estimate: Estimate | None = None,
        wanted: str = "",
        judge: Standing | None = None,
    ) -> None:
        """Write the options beside the results of the crawl, and why it stopped, if it has."""
        store.tell(msgspec.json.encode(self.described()).decode())
        file = folder / "crawl.json"
        content = {**self.described(), "stopped": stopped or None}
        content["estimate"] = msgspec.to_builtins(estimate)
        content["wanted"] = wanted or None
        content["judge"] = msgspec.to_builtins(judge)
        write(file, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")

    def described(self) -> dict[str, Any]:
        """Return the options for files: without the password of a database."""
        described: dict[str, Any] = msgspec.to_builtins(self, enc_hook=str)
        place = without_password(self.ledger) if self.ledger else ""
        return {**described, "ledger": place, "foragers": __version__}

    def changes(self, before: CrawlOptions) -> set[str]:
        """Return the fields that differ, except those that may always change."""
        free = {item.field for item in RESUMED if item.said.on_resume is OnResume.FREE}
        names = {field.name for field in fields(self)} - free
        return {name for name in names if getattr(self, name) != getattr(before, name)}

    def check_same(
        self, before: CrawlOptions, folder: Path | str, option: str = "out", scope: bool = True
    ) -> None:
        """Raise a UsageError if an option differs that may not change; the `scope` may."""
        free = {item.field for item in RESUMED if item.said.on_resume is OnResume.SCOPE and scope}
        changed = self.changes(before) - free
        flags = {item.field: item.flag for item in RESUMED}
        for name in (field.name for field in fields(self) if field.name in changed):
            raise UsageError(
                f"--{option} {folder} holds a crawl with another"
                f" {NOT_OPTIONS.get(name) or flags[name]}, which cannot change; give the same to go"
                f" on with it, or choose another {'folder' if option == 'out' else 'database'} for"
                " a new crawl",
                option=option,
                value=folder,
            )


RESUMED = options_in(CrawlOptions)
NOT_OPTIONS = {
    "seeds": "first URLs",
    "aim": "aim (--topic, --examples, --judge, --new-within and what belongs to them)",
}
"""Names of the fields that are no options themselves."""


def check_kind(folder: Path) -> None:
    """Raise a UsageError if a folder holds something else than a crawl."""
    if (folder / "crawl.json").exists():
        return
    for file, what in OTHER_KINDS.items():
        if (folder / file).exists():
            raise UsageError(f"--out {folder} holds {what}; choose another folder")


def options_in_folder(folder: Path) -> CrawlOptions | None:
    """Return the options of the crawl in a folder, None if there is none."""
    file = folder / "crawl.json"
    if not file.exists():
        return None
    try:
        return options_from(read(file))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{file} is damaged ({error}); choose another --out") from error


def options_from(described: bytes | str) -> CrawlOptions:
    """Return options that were written as JSON."""
    return msgspec.json.decode(described, type=CrawlOptions)

"""The options of `foragers watch`, and the sites of a file."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from foragers.core.files import read
from foragers.core.options import OnResume, Target, check_ranges, option, options_of
from foragers.crawling.options import LONGEST, CrawlOptions
from foragers.crawling.settings import (
    CheckpointSettings,
    OwnRequestSettings,
    SessionSettings,
)
from foragers.errors import UsageError
from foragers.fetching.settings import DEFAULT_FETCHING, RetrySettings
from foragers.judges.novelty import parse_duration
from foragers.watching.callbacks import CallbackAddress

SITES, TELLING, KEEPING = "sites", "feeds and messages", "results"
POLITE = "politeness"
COLUMNS = ("site", "topic", "requests", "every")
MOST_SITES = 10_000
ENDLESS = 10**15
"""The budget of a watch: it is limited by the day."""
RATE = re.compile(r"\s*(\d{1,9})\s*(?:/\s*(?:day|d)\s*)?", re.ASCII)
CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """The options of a watch."""

    seeds: tuple[str, ...] = ()
    aim: Target = options_of(Target(), without=("relevant", "new_within", "idf", "vectors"))
    sites: str | None = option(
        None,
        group=SITES,
        metavar="FILE",
        help="CSV file with more sites, in the columns site, topic, requests, every",
    )
    requests: str = option(
        "500/day", group=SITES, metavar="N/day", help="requests to each site, at most"
    )
    every: str = option(
        "60s", group=SITES, metavar="TIME", help="time between two looks at a page, at least"
    )
    changes: bool = option(
        False, group=SITES, help="also report changed pages, with the difference of their texts"
    )
    scope: str = option(
        "site",
        choices=("host", "site"),
        group=SITES,
        help="stay on the hosts of the sites, or on their registered domains",
    )
    exclude: tuple[str, ...] = option(
        (), group=SITES, metavar="RE", help="no URLs that match this pattern; may be repeated"
    )
    duration: str | None = option(
        None, name="for", group=SITES, metavar="TIME", help="stop after this time, such as 7d"
    )
    notify: tuple[str, ...] = option(
        (),
        group=TELLING,
        metavar="URL",
        help="send messages to this apprise URL (mail, Slack, webhook, …); may be repeated",
    )
    command: str | None = option(
        None,
        name="exec",
        group=TELLING,
        metavar="CMD",
        help="run this command for each message, with the events as JSON lines on its input",
    )
    message_every: str = option(
        "1m", group=TELLING, metavar="TIME", help="time between two messages, at least"
    )
    quiet: str | None = option(
        None, group=TELLING, metavar="FROM-TO", help="send no messages then, such as 22:00-07:00"
    )
    digest: str | None = option(
        None, group=TELLING, metavar="HH:MM", help="send one message a day, at this time"
    )
    template: str | None = option(
        None,
        group=TELLING,
        metavar="FILE",
        help="text of an event in a message, with $title, $url, $event, $site, $time and $diff",
    )
    websub: str | None = option(
        None,
        group=TELLING,
        metavar="URL",
        help="URL at which hubs reach this machine, to be told when feeds change",
    )
    websub_listen: str = option(
        "127.0.0.1:8585",
        group=TELLING,
        metavar="HOST:PORT",
        help="where to listen for hubs, with --websub",
    )
    keep: str | None = option(
        None, group=KEEPING, metavar="TIME", help="remove WARC files older than this, such as 90d"
    )
    warc: bool = option(True, group=KEEPING, help="do not store the pages as WARC")
    log_format: str = option(
        "text", choices=("text", "json"), group=KEEPING, help="form of the lines on standard error"
    )
    concurrency: int = option(
        64, least=1, most=10_000, group=POLITE, metavar="C", help="hosts requested at once, at most"
    )
    delay: float = option(
        1.0,
        least=0,
        most=LONGEST,
        group=POLITE,
        metavar="SECONDS",
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
        help="allow requests to this private address or network; may be repeated",
    )

    def check(self) -> None:
        """Raise a UsageError for invalid options, before anything is fetched."""
        check_ranges(self)
        clock_of(self.digest, "--digest")
        hours_of(self.quiet)
        parse_duration(self.message_every, "--message-every")
        if self.websub is not None:
            CallbackAddress.of(self.websub, self.websub_listen)
        for name, value in (("--keep", self.keep), ("--for", self.duration)):
            if value is not None:
                parse_duration(value, name)

    @property
    def seconds(self) -> float | None:
        """The seconds after which the watch stops, if it does."""
        return None if self.duration is None else parse_duration(self.duration, "--for")

    @property
    def kept(self) -> float | None:
        """The seconds for which WARC files are kept; None for ever."""
        return None if self.keep is None else parse_duration(self.keep, "--keep")


@dataclass(frozen=True)
class SiteOptions:
    """What is watched on one site."""

    site: str
    topic: str = ""
    requests: int = 500
    every: float = 60.0


def sites_of(options: WatchOptions) -> list[SiteOptions]:
    """Return the sites of the command line and of the file."""
    requests = requests_of(options.requests, "--requests")
    every = every_of(options.every, "--every")
    sites = [SiteOptions(seed, "", requests, every) for seed in options.seeds]
    if options.sites is not None:
        sites += read_sites(Path(options.sites), requests, every)
    if not sites:
        raise UsageError("name a site to watch, or a file of sites with --sites")
    if len(sites) > MOST_SITES:
        raise UsageError(f"--sites {options.sites}: more than {MOST_SITES:,} sites; split the file")
    return sites


def read_sites(file: Path, requests: int, every: float) -> list[SiteOptions]:
    """Read a file of sites; a first line may name the columns."""
    try:
        text = read(file).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"--sites {file}: {cause_of(error)}; it must be a CSV file") from error
    sites: list[SiteOptions] = []
    names: tuple[str, ...] = COLUMNS
    try:
        rows = list(csv.reader(StringIO(text), strict=True))
    except csv.Error as error:
        raise UsageError(f"--sites {file}: {error}; it must be a CSV file") from error
    for number, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if not sites and cells[0].lower() == "site":
            names = tuple(cell.lower() for cell in cells)
            unknown = sorted(set(names) - set(COLUMNS))
            if unknown:
                raise UsageError(
                    f"--sites {file}, line {number}: unknown column '{unknown[0]}';"
                    f" there are {', '.join(COLUMNS)}"
                )
            continue
        where = f"--sites {file}, line {number}: "
        if len(cells) > len(names):
            raise UsageError(f"{where}more than {len(names)} columns")
        given = {name: cell for name, cell in zip(names, cells, strict=False) if cell}
        if "site" not in given:
            raise UsageError(f"{where}no site")
        sites.append(
            SiteOptions(
                given["site"],
                given.get("topic", ""),
                requests_of(given["requests"], f"{where}requests")
                if "requests" in given
                else requests,
                every_of(given["every"], f"{where}every") if "every" in given else every,
            )
        )
    return sites


def cause_of(error: OSError | ValueError) -> str:
    """Return why a file cannot be read, without its name and the number of the error."""
    return (error.strerror or "" if isinstance(error, OSError) else "") or str(error)


def requests_of(text: str, option: str) -> int:
    """Parse a number of requests a day."""
    match = RATE.fullmatch(text)
    number = int(match[1]) if match else 0
    if number < 1:
        raise UsageError(f"{option} {text}: write requests a day, such as 500/day")
    return number


def every_of(text: str, option: str) -> float:
    """Parse the time between two looks."""
    seconds = parse_duration(text, option)
    if seconds < 1:
        raise UsageError(f"{option} {text}: must be at least 1s")
    return seconds


def clock_of(text: str | None, option: str) -> int | None:
    """Parse a time of day, and return its minute."""
    if text is None:
        return None
    match = CLOCK.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{option} {text}: not a time of day; write for example 07:30")
    return 60 * int(match[1]) + int(match[2])


def hours_of(text: str | None) -> tuple[int, int] | None:
    """Parse quiet hours, and return their first and last minute."""
    if text is None:
        return None
    first, dash, last = text.partition("-")
    if not dash:
        raise UsageError(f"--quiet {text}: write for example 22:00-07:00")
    begin, end = clock_of(first, "--quiet"), clock_of(last, "--quiet")
    return begin or 0, end or 0


def crawl_options(options: WatchOptions, sites: list[SiteOptions]) -> CrawlOptions:
    """Return the crawl that a watch is."""
    first = sites[0]
    apart = " ".join(
        f"{number}={site.every:g}/{site.requests}"
        for number, site in enumerate(sites)
        if (site.every, site.requests) != (first.every, first.requests)
    )
    given = f"every={float(first.every)!r}, requests={first.requests}, changes={options.changes}"
    seconds = options.seconds
    return CrawlOptions(
        seeds=tuple(site.site for site in sites),
        aim=options.aim,
        strategy=f"watch({given}, apart='{apart}')" if apart else f"watch({given})",
        budget=ENDLESS,
        minutes=None if seconds is None else seconds / 60,
        within=options.scope,
        exclude=options.exclude,
        sitemaps=True,
        feeds=True,
        warc=options.warc,
        concurrency=options.concurrency,
        delay=options.delay,
        user_agent=options.user_agent,
        contact=options.contact,
        allow_private=options.allow_private,
    )


def session_settings() -> SessionSettings:
    """Return the settings of a crawl that does not end, and reads lists by its strategy.

    The strategy also decides when a failed page is requested again: a repetition after a few
    seconds would be more often than `--every` allows.  A signal ends a watch without a checkpoint,
    which takes a second on a busy machine, so these are made often enough to be told the rest soon.
    """
    once = RetrySettings(tries=1, tries_after_timeout=1, tries_if_busy=1, deferrals_after_timeout=0)
    return SessionSettings(
        fetching=replace(DEFAULT_FETCHING, retries=once),
        patience=float("inf"),
        warc_daily=True,
        estimates=False,
        own_requests=OwnRequestSettings(max_lists=0),
        checkpoints=CheckpointSettings(share=0.002, at_interrupt=False),
    )

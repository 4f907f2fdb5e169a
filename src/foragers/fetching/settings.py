"""The numbers that tune live crawls, each with its source; times are in seconds.

*Guess* means that nobody has measured another value, *memory* that a value bounds the memory, and
*CPU* that it bounds the work.
"""

from __future__ import annotations

from dataclasses import dataclass

from foragers.http.client import DEFAULT_CLIENT, ClientSettings


@dataclass(frozen=True)
class ThrottleSettings:
    """How long hosts are left alone."""

    slowdown: float = 2.0  # pause = this · response time; guess
    smoothing: float = 0.3  # weight of the last response in the mean response time; guess
    max_adaptive: float = 30.0  # longest such pause; guess
    max_sample: float = 10.0  # a longer response time counts as this long; guess
    max_crawl_delay: float = (
        24 * 3600.0
    )  # longest Crawl-delay obeyed: as long as robots.txt is cached
    max_retry_after: float = (
        24 * 3600.0
    )  # longest Retry-After obeyed (RFC 9110 has no limit); guess

    # After a failure the pause is `backoff`, doubled with each further failure: twice at most for
    # failing pages, four times on an overloaded host, and without limit once an overloaded host
    # has failed `many_failures` times in a row.
    backoff: float = 1.0  # guess
    max_backoff: float = 1200.0  # guess
    short_doublings: int = 2  # guess
    busy_doublings: int = 4  # guess
    many_failures: int = 12  # guess
    max_doublings: int = 16  # more would exceed max_backoff

    # A host that was overloaded gets an extra pause, which shrinks with each success.  So the rate
    # that a host can bear is found.
    extra_pause: float = 0.25  # the first, then doubled; guess
    extra_decay: float = 0.95  # factor after each success; guess
    min_extra: float = 0.05  # shorter extra pauses are ignored; guess
    max_extra: float = 10.0  # guess

    max_down: float = 30.0  # longest pause before an unreachable host is tried again; guess
    max_wait: float = 30.0  # a job that must wait longer is deferred; guess
    max_failures: int = 6  # after more failures in a row, each page is tried once; guess
    check_again: float = 0.05  # before a busy host is checked again; CPU
    max_poll: float = 0.25  # longest wait for responses, so that an interrupt is seen; CPU

    max_hosts: int = 20_000  # beyond that, hosts are forgotten; memory
    recent: float = 300.0  # but only hosts that were free for this long; guess


@dataclass(frozen=True)
class OutageSettings:
    """When hosts are given up, and when the network counts as down; all times are guesses."""

    give_up_known: float = 300.0  # until a host is given up that has responded before
    give_up_new: float = 10.0  # the same for a host that never has
    given_up_for: float = 1800.0
    # The network is down if `several` hosts (or all, if fewer) fall silent that responded within
    # `recent`.
    recent: float = 60.0
    several: int = 3
    probes: int = 3  # requests at a time while the network is down
    max_pause: float = 15.0  # longest between them
    max_doublings: int = 10  # of the pause between them; more would exceed max_pause
    max_hosts: int = 1000  # hosts whose last response is remembered; memory


@dataclass(frozen=True)
class RedirectSettings:
    """How far redirects are followed, and what is sent back on the way."""

    max_hops: int = 10  # guess; browsers follow 20
    max_robots_hops: int = 5  # RFC 9309, section 2.3.1.2
    max_cookies: int = 20  # per download; memory
    max_header_chars: int = 1024  # longer cookies, ETags and dates are not sent back; guess


@dataclass(frozen=True)
class RetrySettings:
    """How often a request that failed is repeated, at once or later."""

    tries: int = 3  # requests for a URL; guess
    tries_after_timeout: int = 2  # guess
    tries_if_busy: int = 5  # status 429 and 503; guess
    deferrals: int = 3  # of a page, before it is given up until the crawl is resumed; guess
    deferrals_after_timeout: int = 1  # guess
    deferrals_after_loss: int = 0  # of the connection; guess
    pause: float = 20.0  # before a page without a response is requested again; guess


@dataclass(frozen=True)
class RobotsSettings:
    """How long robots.txt files are cached, and how many."""

    age: float = 24 * 3600.0  # RFC 9309, section 2.4
    retry: float = 1800.0  # before a file is requested again that could not be fetched; guess
    parsed_bytes: int = 32 << 20  # memory
    packed_bytes: int = 64 << 20  # memory
    # Estimated size of an entry: parsed, `parsed_factor` · file size + `parsed_entry`; packed, the
    # bytes + `packed_entry`.  Measured with tracemalloc.
    parsed_factor: int = 10
    parsed_entry: int = 1500
    packed_entry: int = 250


@dataclass(frozen=True)
class ExtractionSettings:
    """What is taken from a response."""

    max_links: int = 5000  # of one page; guess
    max_url_chars: int = 8192  # servers and WARC readers refuse longer ones (RFC 9110 asks 8,000)
    near_seed: int = 1  # links from a seed, up to which a short page is no duplicate; guess
    short_page: int = 20  # words; shorter pages may be equal by chance; guess
    max_gzip: int = 2  # undeclared gzip layers that are removed; guess
    first_part: int = 10  # of a page too large when unpacked, the first 1/10 of the limit; guess
    clock_tolerance: float = 24 * 3600.0  # a server's clock that is further off is corrected; guess


@dataclass(frozen=True)
class ListSettings:
    """How much of sitemaps and feeds is used."""

    max_sitemaps: int = 100  # of one robots.txt or sitemap index; guess
    max_url_chars: int = 300  # of a URL, whose words stand in for the text of a link; CPU


@dataclass(frozen=True)
class ClusterSettings:
    """How nodes lease hosts, and how they and the crawl exchange work."""

    lease: float = 30.0  # a node that is silent for so long is dead; guess
    renew: float = 10.0  # so that two renewals may fail; guess
    shortest: float = 5.0  # a node starts no request if its lease ends sooner; guess
    abort: float = 1.0  # and drops those in progress if it ends so soon; guess
    tick: float = 0.03  # shortest between two exchanges with the database; CPU
    max_tick: float = 0.1  # how long an answer waits for others that are under way; CPU
    look: float = 1.0  # between two looks at the database if nobody calls; guess
    watch: float = 1.0  # between two looks of the crawl for dead nodes; CPU
    reconnect: float = 1.0  # between two tries to reach a database that is down; guess
    remembered: float = 2.0  # how long a node remembers that another has a lease; guess
    orders: int = 500  # read at once; memory
    partition: int = 20_000  # orders in a partition of the tables; disk
    drop_again: float = 60.0  # between two tries to drop one that somebody reads; guess
    partitions: int = 100_000  # more than one run of a crawl can fill; guess


@dataclass(frozen=True)
class ProcessSettings:
    """How a crawl and the process that fetches for it get along."""

    ends: int = 3  # of the process with one page alone, or before it is ready: then no more; guess
    closing: float = 10.0  # seconds that it may take to close its files; guess
    full: float = 0.001  # seconds until it looks again whether the crawl has read; CPU
    tidy: int = 2000  # orders until it returns free memory; CPU


@dataclass(frozen=True)
class FetchSettings:
    """The settings of all parts of the live web."""

    client: ClientSettings = DEFAULT_CLIENT
    throttle: ThrottleSettings = ThrottleSettings()
    outages: OutageSettings = OutageSettings()
    redirects: RedirectSettings = RedirectSettings()
    retries: RetrySettings = RetrySettings()
    robots: RobotsSettings = RobotsSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    lists: ListSettings = ListSettings()
    cluster: ClusterSettings = ClusterSettings()
    process: ProcessSettings = ProcessSettings()
    turn: float = 0.5  # longest call of `finished`, so that progress is shown; guess
    named_hosts: int = 20  # hosts about which notices are made; guess


DEFAULT_FETCHING = FetchSettings()

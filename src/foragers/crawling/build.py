"""The parts of a crawl, built from its options.

With `--learned`, what the strategy learned is read from a file, and written to it after the crawl.
"""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from foragers.core.files import check_writable
from foragers.core.models import Model, load_model, save_model
from foragers.core.protocols import Strategy
from foragers.core.types import Addresses
from foragers.crawling.checkpoint import Checkpoint
from foragers.crawling.options import CrawlOptions
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.settings import SessionSettings
from foragers.crawling.stopping import RecallMonitor
from foragers.errors import UsageError
from foragers.fetching.downloads import Downloads
from foragers.fetching.extractor import PageExtractor
from foragers.fetching.history import FetchHistory, HostLimits
from foragers.fetching.live import Live
from foragers.fetching.remote.crawl_side import ClusterWorld, OrderedDownloads
from foragers.fetching.remote.local import FetchProcess, LocalDownloads
from foragers.fetching.remote.node_side import LeasedThrottle, Leases, NodeDownloads
from foragers.fetching.remote.tables import CrawlTables, Token
from foragers.fetching.scheduler import DownloadScheduler
from foragers.fetching.sitemaps import XML, ListSources
from foragers.fetching.throttle import Throttle
from foragers.filters.scope import Scope
from foragers.filters.traps import Traps
from foragers.http.address_guard import AddressException, Guard
from foragers.http.client import Client
from foragers.http.messages import Limits
from foragers.judges.build import build_judge, topic_of, within_of
from foragers.parsing.content_type import is_wanted, kind_of
from foragers.parsing.documents import GENERIC, parse_types, type_of
from foragers.rendering.client import Renderer
from foragers.rendering.messages import RenderOptions
from foragers.rendering.queue import RenderQueue
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.storage.ledger.stores import DatabaseStore, LedgerStore
from foragers.storage.warc.writer import Recorder, series_for
from foragers.strategies.registry import STRATEGIES, StrategyInputs, build, info, learned_by, parse
from foragers.urls.parse import is_address, resolve
from foragers.urls.strings import STRINGS_FILE, StringsFile
from foragers.urls.table import UrlTable
from foragers.version import __version__


@dataclass(frozen=True)
class CrawlRules:
    """The seeds, the scope and the guard of a crawl, checked before anything is written."""

    seeds: tuple[str, ...]
    scope: Scope
    guard: Guard

    @classmethod
    def of(cls, options: CrawlOptions) -> CrawlRules:
        """Return the rules of a crawl; a UsageError names an option that is wrong."""
        seeds = seeds_of(options)
        scope = Scope(
            seeds,
            options.within,
            hosts=options.hosts,
            prefixes=options.prefix,
            include=options.include,
            exclude=options.exclude,
            max_depth=options.max_depth,
        )
        exceptions = tuple(AddressException.parse(text) for text in options.allow_private)
        return cls(seeds, scope, Guard(exceptions))


def seeds_of(options: CrawlOptions) -> tuple[str, ...]:
    """Return the seeds as absolute URLs."""
    given = [seed if "://" in seed else f"http://{seed}" for seed in options.seeds]
    seeds = tuple(map(seed_url, given))
    for seed in seeds:
        if not seed.startswith(("http://", "https://")):
            raise UsageError(f"{seed}: only http and https URLs can be crawled")
        if not is_address(seed):
            raise UsageError(f"{seed}: not a valid host name; write https://host/path")
    return seeds


def seed_url(given: str) -> str:
    """Return a seed in its normalised form."""
    try:
        return resolve(given)
    except ValueError as error:
        raise UsageError(f"{given}: not a URL ({error}); write https://host/path") from error


def new_checkpoint(options: CrawlOptions, folder: Path, settings: SessionSettings) -> Checkpoint:
    """Return the state of a crawl before its first visit."""
    judge = build_judge(options.aim)
    random = np.random.default_rng(options.seed)
    learned = recall(options)
    inputs = StrategyInputs(topic_of(judge), random, None, learned, within_of(judge))
    return Checkpoint(
        0,
        build(options.strategy, inputs),
        judge,
        Traps(settings.traps) if options.traps else None,
        UrlTable(StringsFile(folder / STRINGS_FILE)),
        own_requests=OwnRequests(settings.own_requests),
        monitor=RecallMonitor(is_idle=not settings.estimates),
    )


def archive_of(folder: Path) -> Path:
    """Return where the WARC files of a crawl are."""
    return folder / "warc"


def open_recorder(
    options: CrawlOptions, folder: Path, settings: SessionSettings
) -> Recorder | None:
    """Open the WARC files of a crawl or a node, if it writes any."""
    if not options.warc:
        return None
    recorder = Recorder(
        archive_of(folder),
        f"foragers/{__version__}",
        series_for(folder),
        limit=settings.warc_bytes,
        daily=settings.warc_daily,
        user_agent=options.agent,
        patience=settings.warc_patience,
    )
    recorder.open()
    return recorder


def own_recorder(options: CrawlOptions, folder: Path, settings: SessionSettings) -> Recorder | None:
    """Open the WARC files that this process writes; repair those that another one will."""
    recorder = None if options.cluster else open_recorder(options, folder, settings)
    if recorder is None or not options.workers:
        return recorder
    recorder.close()
    return None


@dataclass(frozen=True)
class StrategyNeeds:
    """What a strategy reads beside pages: the words around links, and dates in lists of pages."""

    context: bool
    lists: bool

    @classmethod
    def of(cls, options: CrawlOptions) -> StrategyNeeds:
        """Return the needs of the strategy of a crawl, which is loaded for that."""
        capabilities = info(options.strategy)
        return cls(capabilities.needs_link_context, capabilities.reads_lists)


@dataclass(frozen=True)
class FetcherSetup:
    """What the process that fetches must know before its first order; it loads no strategy."""

    options: CrawlOptions
    needs: StrategyNeeds
    folder: Path
    limits: Limits
    settings: SessionSettings


def build_live(
    options: CrawlOptions,
    rules: CrawlRules,
    checkpoint: Checkpoint,
    ledger: CrawlLedger,
    recorder: Recorder | None,
    renderers: tuple[Renderer, ...],
    limits: Limits,
    settings: SessionSettings,
    store: LedgerStore,
    folder: Path,
) -> Live:
    """Return the live web for a crawl, which it, a process of its own or nodes fetch."""
    throttle = Throttle(options.delay, settings.fetching.throttle)
    needs = StrategyNeeds.of(options)
    parts = (
        *fetching_parts(options, needs, rules, checkpoint.traps, throttle, limits, settings),
        checkpoint.table,
        recorder,
        FetchHistory(HostLimits(options.per_host or 0, options.budgets, checkpoint.table), ledger),
        list_sources(options, needs, settings),
        RenderQueue(renderers, throttle),
        settings.fetching,
    )
    if options.cluster:
        assert isinstance(store, DatabaseStore)
        tables = CrawlTables(store.database, settings.fetching.cluster, own_token())
        tables.prepare()
        return ClusterWorld(rules.seeds, OrderedDownloads(*parts, tables=tables))
    if options.workers:
        setup = FetcherSetup(options, needs, folder, limits, settings)
        process = FetchProcess(FETCHER, pickle.dumps(setup))
        return Live(rules.seeds, LocalDownloads(*parts, process=process), options.concurrency)
    return Live(rules.seeds, Downloads(*parts), options.concurrency)


def own_token() -> Token:
    """Return the secret that the crawl and its nodes share, from the environment."""
    return Token(os.environ.get(TOKEN, ""))


def build_node(
    options: CrawlOptions,
    rules: CrawlRules,
    recorder: Recorder | None,
    renderers: tuple[Renderer, ...],
    leases: Leases,
    limits: Limits,
    settings: SessionSettings,
) -> tuple[Live, NodeDownloads]:
    """Return the live web for a node, and its downloads."""
    throttle = LeasedThrottle(options.delay, settings.fetching.throttle, leases=leases)
    needs = StrategyNeeds.of(options)
    scheduler, agent, extractor = fetching_parts(
        options, needs, rules, None, throttle, limits, settings
    )
    scheduler.client.may_send = leases.may_send
    downloads = NodeDownloads(
        scheduler,
        agent,
        extractor,
        recorder=recorder,
        lists=list_sources(options, needs, settings),
        renderer=RenderQueue(renderers, throttle),
        settings=settings.fetching,
    )
    return Live(rules.seeds, downloads, options.concurrency), downloads


def list_sources(
    options: CrawlOptions, needs: StrategyNeeds, settings: SessionSettings
) -> ListSources:
    """Return where sitemaps and feeds come from."""
    return ListSources(
        options.sitemaps,
        options.feeds,
        options.named_sitemaps,
        dated=needs.lists,
        settings=settings.fetching.lists,
    )


def fetching_parts(
    options: CrawlOptions,
    needs: StrategyNeeds,
    rules: CrawlRules,
    traps: Traps | None,
    throttle: Throttle,
    limits: Limits,
    settings: SessionSettings,
) -> tuple[DownloadScheduler, str, PageExtractor]:
    """Return what sends requests, the User-Agent, and what extracts pages."""
    fetching = settings.fetching
    wants_lists = options.sitemaps or options.feeds or options.named_sitemaps
    documents = parse_types(options.aim.want)
    wanted = WantedTypes(documents, wants_lists)
    client = Client(
        options.agent, rules.guard, limits, wanted, options.concurrency, fetching.client
    )
    # With an archive, the words around links can be extracted later.
    described = needs.context or not options.warc
    extractor = PageExtractor(
        options.agent, rules.scope, traps, limits, described, fetching.extraction, documents
    )
    return DownloadScheduler(client, throttle, fetching.retries), options.agent, extractor


def renderers_of(
    options: CrawlOptions, limits: Limits, settings: SessionSettings
) -> tuple[Renderer, ...]:
    """Return a renderer for every two processors, or none without `--render`."""
    render = RenderOptions(
        options.agent, options.allow_private, limits=limits, chromium=options.chromium
    )
    most = min((os.cpu_count() or 1) // 2, settings.max_browsers)
    return tuple(Renderer(render) for _ in range(max(1, most) if options.render else 0))


@dataclass(frozen=True)
class WantedTypes:
    """Which content types are read to the end: pages, and perhaps documents and lists."""

    documents: frozenset[str] = frozenset()
    lists: bool = False

    def __call__(self, content_type: str) -> bool:
        """Return whether a content type is read to the end."""
        if is_wanted(content_type) or (self.lists and kind_of(content_type) in XML):
            return True
        if not self.documents:
            return False
        # A type that says nothing may be that of a document: its URL tells.
        return kind_of(content_type) in GENERIC or type_of(content_type, "") in self.documents


FETCHER = "foragers.crawling.nodes.fetcher"
"""The module of the process that fetches for a crawl."""
TOKEN = "FORAGERS_TOKEN"
"""The environment variable with the secret that a crawl and its nodes share."""
AIM = "aim"
"""The fact of a model that says for which target it was learned."""


def recall(options: CrawlOptions) -> Model | None:
    """Return what earlier crawls learned, None before the first."""
    if options.learned is None:
        return None
    name, parameters = parse(options.strategy)
    capabilities = info(options.strategy)
    if not capabilities.saves or capabilities.learned_kind is None:
        others = ", ".join(name for name in STRATEGIES if info(name).saves)
        raise UsageError(
            f"--learned: '{name}' saves nothing that it learns; strategies that do: {others}"
        )
    if "model" in parameters and not capabilities.learns_apart:
        raise UsageError("--learned and model=… exclude each other; give one of them")
    file, aim = Path(options.learned), str(options.aim)
    check_writable(file, "--learned")
    if not file.exists():
        return None
    kind, version = capabilities.learned_kind
    model = load_model(file, kind, version, "name another file, or remove it to begin anew")
    if model.facts.get(AIM, aim) != aim:
        raise UsageError(
            f"--learned {file}: was learned for {model.facts[AIM]}, not for {aim};"
            " name another file"
        )
    return model


def retain(options: CrawlOptions, strategy: Strategy, addresses: Addresses) -> None:
    """Write what a strategy has learned, and for which target."""
    model = None if options.learned is None else learned_by(strategy, addresses)
    if model is not None and options.learned is not None:
        facts = {**model.facts, AIM: str(options.aim)}
        save_model(replace(model, facts=facts), Path(options.learned))

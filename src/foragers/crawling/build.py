"""From what a user orders to the parts of a crawl.

What a crawl learned, for the next one with the same aim: read if it is there, written after.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from foragers.core.files import check_writable
from foragers.core.models import Model, load_model, save_model
from foragers.core.protocols import Learns, Strategy
from foragers.core.types import Addresses
from foragers.crawling.options import CrawlOptions
from foragers.errors import UsageError
from foragers.fetching.extractor import PageExtractor
from foragers.fetching.history import FetchHistory
from foragers.fetching.live import Live
from foragers.fetching.outages import DEFAULT_OUTAGES, OutageSettings
from foragers.fetching.scheduler import DownloadScheduler
from foragers.fetching.sitemaps import XML, ListSources
from foragers.fetching.throttle import DEFAULT_THROTTLE, Throttle, ThrottleSettings
from foragers.filters.scope import Scope
from foragers.filters.traps import Traps
from foragers.http.address_guard import AddressException, Guard
from foragers.http.client import Client
from foragers.http.messages import Limits
from foragers.parsing.content_type import is_wanted, kind_of
from foragers.rendering.client import Renderer
from foragers.rendering.messages import RenderOptions
from foragers.rendering.queue import Renderings
from foragers.strategies.registry import STRATEGIES, info, parse
from foragers.urls.parse import is_address, resolve
from foragers.urls.table import UrlTable

MAX_BROWSERS = 4


@dataclass(frozen=True)
class CheckpointSettings:
    """How often a checkpoint is written."""

    visits: int = 500  # fewest visits between two checkpoints; guess
    share: float = 0.1  # and this share of all visits, since a checkpoint's cost grows with them


@dataclass(frozen=True)
class SessionSettings:
    """The numbers that tune a live crawl and that no option sets."""

    throttle: ThrottleSettings = DEFAULT_THROTTLE
    outages: OutageSettings = DEFAULT_OUTAGES
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
    patience: float = 600.0  # seconds: a crawl ends if all hosts pause longer, or are away; guess


DEFAULT_SETTINGS = SessionSettings()


def traps_of(order: CrawlOptions) -> Traps | None:
    """Return a look-out for traps, unless the user wants none."""
    return Traps() if order.traps else None


def world_of(
    order: CrawlOptions,
    traps: Traps | None,
    table: UrlTable,
    limits: Limits,
    renderers: tuple[Renderer, ...] = (),
    settings: SessionSettings = DEFAULT_SETTINGS,
) -> Live:
    """Return the live web as an order wants it treated."""
    try:
        seeds = tuple(resolve(seed if "://" in seed else f"http://{seed}") for seed in order.seeds)
    except ValueError as error:
        raise UsageError(f"a seed is not a URL ({error}); write https://host/path") from error
    for seed in seeds:
        if not seed.startswith(("http://", "https://")):
            raise UsageError(f"{seed}: only http and https URLs can be crawled")
        if not is_address(seed):
            raise UsageError(f"{seed}: not a valid host name; write https://host/path")
    scope = Scope(
        seeds,
        order.within,
        hosts=order.hosts,
        prefixes=order.prefix,
        include=order.include,
        exclude=order.exclude,
        max_depth=order.max_depth,
    )
    guard = Guard(tuple(AddressException.parse(text) for text in order.allow_private))
    lists = ListSources(order.sitemaps, order.feeds)
    wanted = is_wanted_or_list if order.sitemaps or order.feeds else is_wanted
    client = Client(order.agent, guard, limits, wanted, order.concurrency)
    # With the archive it can be made up for later.
    described = info(order.strategy).needs_link_context or not order.warc
    harvester = PageExtractor(order.agent, scope, traps, limits, described)
    dispatch = DownloadScheduler(client, Throttle(order.delay, settings=settings.throttle))
    client.admit = dispatch.admits
    return Live(
        seeds,
        dispatch,
        order.agent,
        harvester,
        connections=order.concurrency,
        table=table,
        visited=FetchHistory(order.per_host or 0),
        lists=lists,
        outages=settings.outages,
        renderings=Renderings(renderers, dispatch.courtesy),
    )


def renderers_of(order: CrawlOptions, limits: Limits) -> tuple[Renderer, ...]:
    """Return who renders pages, if the user wants that: a browser for every two processors."""
    terms = RenderOptions(order.agent, order.allow_private, limits=limits, chromium=order.chromium)
    count = max(1, min((os.cpu_count() or 1) // 2, MAX_BROWSERS)) if order.render else 0
    return tuple(Renderer(terms) for _ in range(count))


def is_wanted_or_list(content_type: str) -> bool:
    """Say whether a content type is worth reading to the end, feeds and sitemaps included."""
    return is_wanted(content_type) or kind_of(content_type) in XML


AIM = "aim"
"""The fact of a model that says what was wanted when it was learned."""


def recall(order: CrawlOptions) -> Model | None:
    """Return what earlier crawls learned, None before the first."""
    if order.learned is None:
        return None
    name, given = parse(order.strategy)
    can = info(order.strategy)
    if not can.saves or can.learned_kind is None:
        some = ", ".join(name for name in STRATEGIES if info(name).saves)
        raise UsageError(
            f"--learned: '{name}' saves nothing that it learns; strategies that do: {some}"
        )
    if "model" in given and not can.learns_apart:
        raise UsageError("--learned and model=… exclude each other; give one of them")
    file, aim = Path(order.learned), str(order.aim)
    check_writable(file, "--learned")
    if not file.exists():
        return None
    wanted, version = can.learned_kind
    model = load_model(file, wanted, version, "name another file, or remove it to begin anew")
    if model.facts.get(AIM, aim) != aim:
        raise UsageError(
            f"--learned {file}: was learned for {model.facts[AIM]}, not for {aim};"
            " name another file"
        )
    return model


def retain(order: CrawlOptions, strategy: Strategy, addresses: Addresses) -> None:
    """Write down what a strategy has learned, and for what."""
    if order.learned is not None and isinstance(strategy, Learns):
        model = strategy.learned(addresses)
        facts = {**model.facts, AIM: str(order.aim)}
        save_model(replace(model, facts=facts), Path(order.learned))

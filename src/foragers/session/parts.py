"""From what a user orders to the parts of a crawl."""

from __future__ import annotations

import os

from foragers.errors import UsageError
from foragers.fetch.client import Client
from foragers.fetch.guard import Allowed, Guard
from foragers.fetch.reply import Limits
from foragers.pages.kinds import is_wanted, kind_of
from foragers.protocols import Judge
from foragers.rendering.job import Terms
from foragers.rendering.renderer import Renderer
from foragers.rendering.renderings import Renderings
from foragers.scope import Scope
from foragers.session.order import Order
from foragers.strategies.registry import needs_context
from foragers.topics.options import judge_from
from foragers.traps import Traps
from foragers.urls import UrlTable, resolve
from foragers.worlds.courtesy import Courtesy
from foragers.worlds.dispatch import Dispatch
from foragers.worlds.errand import is_address
from foragers.worlds.harvesting import Harvester
from foragers.worlds.lists import XML, Lists
from foragers.worlds.live import Live
from foragers.worlds.visited import Visited

MAX_BROWSERS = 4


def judge_of(order: Order) -> Judge:
    """Return who judges the pages of an order."""
    aim = order.aim
    return judge_from(
        topic=aim.topic,
        similarity=aim.similarity,
        threshold=aim.threshold,
        examples=aim.examples,
        new_within=aim.new_within,
        judge=aim.judge,
        idf=aim.idf,
    )


def traps_of(order: Order) -> Traps | None:
    """Return a look-out for traps, unless the user wants none."""
    return Traps() if order.traps else None


def world_of(order: Order, traps: Traps | None, table: UrlTable, limits: Limits) -> Live:
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
    guard = Guard(tuple(Allowed.parse(text) for text in order.allow_private))
    lists = Lists(order.sitemaps, order.feeds)
    wanted = is_wanted_or_list if order.sitemaps or order.feeds else is_wanted
    client = Client(order.agent, guard, limits, wanted, order.concurrency)
    # With the archive it can be made up for later.
    described = needs_context(order.strategy) or not order.warc
    harvester = Harvester(order.agent, scope, traps, limits, described)
    dispatch = Dispatch(client, Courtesy(order.delay))
    client.admit = dispatch.admits
    return Live(
        seeds,
        dispatch,
        order.agent,
        harvester,
        connections=order.concurrency,
        table=table,
        visited=Visited(order.per_host or 0),
        lists=lists,
        renderings=Renderings(renderers_of(order, limits), dispatch.courtesy),
    )


def renderers_of(order: Order, limits: Limits) -> tuple[Renderer, ...]:
    """Return who renders pages, if the user wants that: a browser for every two processors."""
    terms = Terms(order.agent, order.allow_private, limits=limits, chromium=order.chromium)
    count = max(1, min((os.cpu_count() or 1) // 2, MAX_BROWSERS)) if order.render else 0
    return tuple(Renderer(terms) for _ in range(count))


def is_wanted_or_list(content_type: str) -> bool:
    """Say whether a content type is worth reading to the end, feeds and sitemaps included."""
    return is_wanted(content_type) or kind_of(content_type) in XML

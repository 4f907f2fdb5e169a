"""From what a user orders to the parts of a crawl."""

from __future__ import annotations

from foragers.errors import UsageError
from foragers.fetch.client import Client
from foragers.fetch.guard import Allowed, Guard
from foragers.fetch.reply import Limits
from foragers.protocols import Judge
from foragers.scope import Scope
from foragers.session.order import Order
from foragers.topics.options import judge_from
from foragers.traps import Traps
from foragers.urls import UrlTable, resolve
from foragers.worlds.courtesy import Courtesy
from foragers.worlds.dispatch import Dispatch
from foragers.worlds.errand import is_address
from foragers.worlds.harvesting import Harvester, is_wanted
from foragers.worlds.live import Live


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
    )


def traps_of(order: Order) -> Traps | None:
    """Return a look-out for traps, unless the user wants none."""
    return Traps() if order.traps else None


def world_of(order: Order, traps: Traps | None, table: UrlTable, limits: Limits) -> Live:
    """Return the live web as an order wants it treated."""
    try:
        seeds = tuple(resolve(seed if "://" in seed else f"http://{seed}") for seed in order.seeds)
    except ValueError as error:
        raise UsageError(f"a seed is no address ({error}); write https://host/path") from error
    for seed in seeds:
        if not seed.startswith(("http://", "https://")):
            raise UsageError(f"{seed}: only http and https addresses can be crawled")
        if not is_address(seed):
            raise UsageError(f"{seed}: no such host can be; write https://host/path")
    scope = Scope(
        seeds,
        order.within,
        include=order.include,
        exclude=order.exclude,
        max_depth=order.max_depth,
    )
    guard = Guard(tuple(Allowed.parse(text) for text in order.allow_private))
    client = Client(order.agent, guard, limits, is_wanted, order.concurrency)
    harvester = Harvester(order.agent, scope, traps, limits)
    dispatch = Dispatch(client, Courtesy(order.delay))
    client.admit = dispatch.admits
    return Live(
        seeds,
        dispatch,
        order.agent,
        harvester,
        connections=order.concurrency,
        obey_robots=order.robots,
        table=table,
    )

"""Nodes that Ray starts: one on each of its machines, restarted wherever there is room.

Ray keeps nothing of a crawl: it is in the database.  If the cluster is lost, the same command on
another goes on with it.  Each node archives in `DIR/nodes/` on its machine, DIR being the folder of
the crawl.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from foragers.crawling.build import own_token
from foragers.crawling.options import NODES, CrawlOptions
from foragers.crawling.settings import SessionSettings
from foragers.fetching.remote.tables import Token

GRACE = 10.0
"""Seconds that nodes have to leave."""
LOCAL_NODES = 2
"""Nodes on a Ray of our own."""


class RayNode:
    """A node as an actor, which has two threads: one fetches, the other can stop it."""

    def __init__(self, url: str, folder: str, settings: SessionSettings, token: Token) -> None:
        from foragers.crawling.nodes.node import Node  # imported where a node runs

        name = f"{socket.gethostname()}-{os.getpid()}"
        place = Path(folder) / "nodes" / name
        self.node = Node(url, place, name=name, settings=settings, token=token)

    def run(self) -> None:
        """Fetch until it is stopped."""
        self.node.run()

    def stop(self) -> None:
        """Leave the crawl."""
        self.node.stop()


@contextmanager
def ray_of(options: CrawlOptions) -> Iterator[None]:
    """Be connected to the Ray cluster that the options name, if they name one."""
    if options.cluster in ("", NODES):
        yield
        return
    # Imported here, since it takes time and few crawls need it.
    from foragers.evaluation.comparison.ray_cluster import check, connected

    check(options.cluster, "--cluster")
    with connected(options.cluster, LOCAL_NODES, "--cluster"):
        yield


@contextmanager
def nodes_on_ray(options: CrawlOptions, folder: Path, settings: SessionSettings) -> Iterator[None]:
    """Run nodes on the Ray cluster that this process is connected to, if it is to one."""
    if options.cluster in ("", NODES):
        yield
        return
    import ray

    from foragers.evaluation.comparison.ray_cluster import LOCAL

    machines = sum(bool(node["Alive"]) for node in ray.nodes())
    many = LOCAL_NODES if options.cluster == LOCAL else machines
    kind = ray.remote(
        max_restarts=-1,
        max_task_retries=-1,
        max_concurrency=2,
        num_cpus=1,
        scheduling_strategy="SPREAD",
    )(RayNode)
    place = str(folder.absolute())
    actors = [kind.remote(options.ledger, place, settings, own_token()) for _ in range(many)]
    running = [actor.run.remote() for actor in actors]
    try:
        yield
    finally:
        for actor in actors:
            actor.stop.remote()
        ray.wait(running, num_returns=len(running), timeout=GRACE)
        for actor in actors:
            ray.kill(actor)

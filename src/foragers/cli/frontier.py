"""`foragers frontier`: a frontier for other crawlers, with the interface of URLFrontier."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

from rich.console import Console

from foragers.cli.serve import address_in
from foragers.core.options import Target
from foragers.core.plugins.loading import needed
from foragers.crawling.learner import CrawlLearner


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.add_argument(
        "--listen",
        default="127.0.0.1:7071",
        metavar="HOST:PORT",
        help="where crawlers reach it (default: %(default)s)",
    )
    verb.add_argument("--topic", metavar="WORDS", help="what is relevant, in words")
    verb.add_argument(
        "--strategy", default="auto", metavar="NAME(…)", help="order of URLs (default: %(default)s)"
    )
    verb.add_argument(
        "--out", type=Path, metavar="DIR", help="folder that keeps the frontier (default: none)"
    )
    verb.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed (default: %(default)s)"
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Serve until the user stops it."""
    needed("grpc", "foragers frontier", "grpcio")
    from foragers.urlfrontier.service import FrontierService, serve

    def make() -> CrawlLearner:
        return CrawlLearner.of(options.strategy, Target(options.topic), options.seed)

    address_in(options.listen, least=0)
    make()  # what is wrong with the options is said now
    service = FrontierService(make, options.out)
    server, port = serve(service, options.listen)
    host = options.listen.rpartition(":")[0]
    console.print(f"URLFrontier at {host}:{port}; stop it with Ctrl-C", highlight=False)
    try:
        threading.Event().wait()
    finally:
        server.stop(1).wait()
        service.close()

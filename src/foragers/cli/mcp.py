"""`foragers mcp`: a server of the Model Context Protocol, so that agents can crawl."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from foragers.core.plugins.loading import needed
from foragers.errors import UsageError
from foragers.http.address_guard import AddressException
from foragers.mcp.crawls import CrawlDesk, DeskLimits


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder for the crawls of agents"
    )
    verb.add_argument(
        "--http",
        metavar="PORT",
        type=int,
        help="serve over HTTP at this port of this machine (default: standard input and output)",
    )
    verb.add_argument(
        "--max-budget",
        type=int,
        default=DeskLimits.budget,
        metavar="N",
        help="most downloads of one crawl (default: %(default)s)",
    )
    verb.add_argument(
        "--allow-private",
        action="append",
        default=[],
        metavar="NETWORK",
        help="let agents crawl these private addresses, such as 127.0.0.0/8 (default: none)",
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, _console: Console) -> None:
    """Serve until the client goes, or the user stops it."""
    needed("mcp", "foragers mcp")
    if options.max_budget < 1:
        raise UsageError("--max-budget must be at least 1")
    if options.http is not None and not 0 < options.http < 65536:
        raise UsageError(f"--http {options.http} is not a port; give 1 to 65535")
    if options.out.exists() and not options.out.is_dir():
        raise UsageError(f"--out {options.out} is a file; name a folder")
    for network in options.allow_private:
        AddressException.parse(network)
    from foragers.mcp.server import server_of

    private = [f"--allow-private={network}" for network in options.allow_private]
    desk = CrawlDesk(options.out, DeskLimits(options.max_budget), private)
    server = server_of(desk)
    if options.http is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=options.http)

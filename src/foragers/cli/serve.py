"""`foragers serve`: a crawl as web pages, while it runs and afterwards."""

from __future__ import annotations

import argparse
import ipaddress
import secrets
import socket
from contextlib import suppress

from rich.console import Console

from foragers.core.plugins.loading import needed
from foragers.errors import UsageError
from foragers.http.address_guard import AddressException
from foragers.storage.ledger.postgres import is_database, without_password

PORTS = range(8000, 8020)
"""The ports that are tried if none is given."""


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.add_argument(
        "folder",
        metavar="DIR|postgresql://…",
        help="folder of a crawl, a watch, a comparison or reproduced papers; a folder of such"
        " folders, in which crawls can be started; or the database of a crawl",
    )
    verb.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="address to serve at; others than this machine need a password, which is printed"
        " (default: 127.0.0.1:8000, or the next port that is free)",
    )
    verb.add_argument(
        "--allow-private",
        action="append",
        default=[],
        metavar="NETWORK",
        help="let crawls started from the pages reach these private addresses, such as 127.0.0.0/8"
        " (default: none)",
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Serve until the user stops it."""
    for package in ("starlette", "jinja2", "uvicorn"):
        needed(package, "foragers serve", "foragers[serve]")
    host, port = address_in(options.listen) if options.listen else free_address()
    import uvicorn

    from foragers.serve.app import site_of

    for network in options.allow_private:
        AddressException.parse(network)
    password = "" if is_local(host) else secrets.token_urlsafe(18)
    site = site_of(options.folder, password, options.allow_private)
    # Pages that are open in browsers keep a connection; the server does not wait for them.
    config = uvicorn.Config(
        site.app(), host=host, port=port, log_level="error", timeout_graceful_shutdown=1
    )
    shown = f"[{host}]" if ":" in host else host
    named = without_password(options.folder) if is_database(options.folder) else options.folder
    console.print(
        f"{named} at http://{shown}:{port}/; stop it with Ctrl-C",
        highlight=False,
        soft_wrap=True,
        markup=False,
    )
    if password:
        console.print(f"password: {password}", highlight=False)
    try:
        uvicorn.Server(config).run()
    except SystemExit as error:  # the port is taken, or not ours
        raise UsageError(f"--listen {shown}:{port}: cannot serve there; choose another") from error


def free_address() -> tuple[str, int]:
    """Return an address of this machine at which nothing listens."""
    for port in PORTS:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return "127.0.0.1", port
    return "127.0.0.1", PORTS[0]


def address_in(text: str, least: int = 1) -> tuple[str, int]:
    """Return host and port; port 0, if it is allowed, means any free one."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not least <= int(port) < 65536:
        raise UsageError(f"--listen {text} is not HOST:PORT, such as 127.0.0.1:8000")
    return host.strip("[]"), int(port)


def is_local(host: str) -> bool:
    """Return whether an address is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""Sockets for all hosts of a world: loopback only, and as many as the system allows."""

from __future__ import annotations

import errno
from contextlib import ExitStack
from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

import numpy as np

from foragers.core.types import HostId
from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.serving.loopback import ip

SPARE_FILES = 512
"""The number of files reserved for connections and everything else."""

ATTEMPTS = 20
"""The number of free ports that are tried until one is free at every address."""

ONE_ADDRESS = (
    "this system answers on 127.0.0.1 only, so a browser or crawler sees only the host {host};"
    " the others answer to requests that name them in their Host header, or as to a proxy"
)
FEW_FILES = (
    "only {bound:,} of {hosts:,} hosts have an address, since the system allows {limit:,} open"
    " files; raise 'ulimit -n' to reach the others"
)


def listen(archive: Archive, port: int) -> tuple[list[socket], str]:
    """Return a bound socket for each host, and a notice if some have none."""
    if not 0 <= port <= 65535:
        raise UsageError(f"--port {port}: a port is a number from 0 (any that is free) to 65535")
    hosts = by_need(archive)
    limit = allowed_files(len(hosts) + SPARE_FILES)
    bound = hosts[: max(limit - SPARE_FILES, 1)]
    for attempt in range(ATTEMPTS):
        try:
            sockets = bind_all(bound, port)
            break
        except OSError as error:
            if port or error.errno != errno.EADDRINUSE or attempt == ATTEMPTS - 1:
                raise UsageError(remedy(port, error)) from error
    if len(sockets) < len(bound):
        return sockets, ONE_ADDRESS.format(host=archive.book.host_name(0))
    if len(bound) < len(hosts):
        return sockets, FEW_FILES.format(bound=len(bound), hosts=len(hosts), limit=limit)
    return sockets, ""


def by_need(archive: Archive) -> list[HostId]:
    """Return all hosts: the first one, then those with pages, then those without."""
    there = np.diff(archive.version_starts) > 0
    pages = np.bincount(archive.book.host_ids[there], minlength=len(archive.book.host_names))
    order = np.argsort(pages == 0, kind="stable").tolist()
    return sorted(order, key=lambda host: host != 0)


def allowed_files(wanted: int) -> int:
    """Return the number of files that may be open, after asking for as many as wanted."""
    try:
        import resource  # not on every system
    except ImportError:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    granted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (granted, hard))
    except (OSError, ValueError):
        return soft
    return granted


def bind_all(hosts: list[HostId], port: int) -> list[socket]:
    """Bind one port at the addresses of all hosts, or only at the first if there are no others."""
    with ExitStack() as opened:
        sockets: list[socket] = []
        for host in hosts:
            listener = opened.enter_context(socket(AF_INET, SOCK_STREAM))
            listener.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            try:
                listener.bind((ip(host), port))
            except OSError as error:
                if host and error.errno == errno.EADDRNOTAVAIL:
                    for other in sockets[1:]:
                        other.close()
                    listener.close()
                    sockets = sockets[:1]
                    break
                raise
            listener.setblocking(False)
            sockets.append(listener)
            port = listener.getsockname()[1]
        opened.pop_all()
    return sockets


def remedy(port: int, error: OSError) -> str:
    """Return why a port cannot be used, and what to do."""
    if error.errno == errno.EADDRINUSE:
        return f"--port {port} is in use; give another, or stop the program that listens there"
    if error.errno == errno.EACCES:
        return f"--port {port} is reserved for the system; give one above 1023"
    return f"--port {port} cannot be listened on ({error.strerror}); give another"

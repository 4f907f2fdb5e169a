"""Machines on one machine: networks that can be cut, and disks that can be full.

A machine is a network namespace.  It has two cables to the `hub`, where the servers are: one to the
database, one to the web.  Its disk is a small file system in memory.  All this needs root on Linux.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path

CLONE_NEWNET = 0x40000000
CABLES = ("db", "web")
WEB = "10.93.0"
"""The network of the sites."""


@cache
def can_isolate() -> bool:
    """Return whether namespaces and file systems can be made here."""
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"fg{os.getpid()}x"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode == 0
    return made and subprocess.run(["ip", "netns", "del", name]).returncode == 0


def enter(name: str) -> None:
    """Let this thread use the network of a machine from now on."""
    with Path("/run/netns", name).open("rb") as file:
        _enter(file.fileno())


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Use the network of a machine for a while; sockets made there stay there."""
    with Path("/proc/thread-self/ns/net").open("rb") as before:
        enter(name)
        try:
            yield
        finally:
            _enter(before.fileno())


class Disk:
    """A small file system, which can be filled."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        given = ("-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "foragers", str(folder))
        subprocess.run(["mount", *given], check=True)

    def fill(self) -> None:
        """Leave no room."""
        with suppress(OSError), (self.folder / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(bytes(1 << 16)):
                pass

    def empty(self) -> None:
        """Make room again."""
        (self.folder / "ballast").unlink(missing_ok=True)

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True)


class Machines:
    """A hub with some machines around it."""

    _numbers = count()

    def __init__(self, many: int, sites: int) -> None:
        self.name = f"fg{os.getpid()}n{next(self._numbers)}"
        self.many = many
        self._make(self.hub)
        for site in range(sites):
            self._ip(self.hub, "addr", "add", f"{self.site(site)}/32", "dev", "lo")
        for number in range(many):
            machine = self.machine(number)
            self._make(machine)
            for net, cable in enumerate(CABLES):
                here = f"{cable}{number}"
                self._ip(
                    self.hub, "link", "add", here, "type", "veth", "peer", cable, "netns", machine
                )
                for place, device, last in ((self.hub, here, 1), (machine, cable, 2)):
                    address = f"10.{91 + net}.{number}.{last}/24"
                    self._ip(place, "addr", "add", address, "dev", device)
                    self._ip(place, "link", "set", device, "up")
            self._ip(machine, "route", "add", f"{WEB}.0/24", "via", f"10.92.{number}.1")

    @property
    def hub(self) -> str:
        return f"{self.name}hub"

    def machine(self, number: int) -> str:
        return f"{self.name}m{number}"

    def database(self, number: int) -> str:
        """Return the address of the database as a machine sees it."""
        return f"10.91.{number}.1"

    def site(self, number: int) -> str:
        return f"{WEB}.{number + 1}"

    def cut(self, number: int, cable: str, off: bool = True) -> None:
        """Cut a machine off from the database or from the web, or undo that."""
        self._ip(self.hub, "link", "set", f"{cable}{number}", "down" if off else "up")

    def close(self) -> None:
        for name in (self.hub, *map(self.machine, range(self.many))):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def _make(self, name: str) -> None:
        subprocess.run(["ip", "netns", "add", name], check=True)
        self._ip(name, "link", "set", "lo", "up")

    def _ip(self, place: str, *arguments: str) -> None:
        subprocess.run(["ip", "-n", place, *arguments], check=True)

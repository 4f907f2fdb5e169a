"""A real PostgreSQL in a temporary folder, run by a user without rights."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import count
from pathlib import Path

import pytest

Network = Callable[[], AbstractContextManager[None]]
"""Where sockets are made: here, or in a network of their own."""
FAST = ("fsync=off", "max_connections=60", "shared_buffers=32MB", "max_wal_size=64MB")
"""A process that is killed loses nothing without fsync; only a machine would."""


def programs() -> Path | None:
    """Return the folder with the programs of PostgreSQL, the newest first."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    here = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    return here[-1] if here else None


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def needs_postgres() -> Path:
    """Return where PostgreSQL is; skip the test with the reason if it cannot run here."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    return found


class PostgresServer:
    """A server in a folder, which can be stopped, killed and started again."""

    def __init__(self, programs: Path, folder: Path, network: Network = nullcontext) -> None:
        self.programs, self.folder, self.port = programs, folder, free_port()
        self.network = network
        self.user = servant() if os.geteuid() == 0 else None
        self._names = count()
        if self.user is not None:
            os.chown(folder, self.user, -1)
        self.run("initdb", "-D", folder / "data", "-U", "crawler", "-A", "trust", "--no-sync")
        with (folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write("host all crawler 10.0.0.0/8 trust\n")

    def run(self, program: str, *arguments: object) -> None:
        command = [str(self.programs / program), *map(str, arguments)]
        with self.network():
            ended = subprocess.run(
                command, user=self.user, capture_output=True, text=True, cwd=self.folder, timeout=60
            )
        assert ended.returncode == 0, ended.stdout + ended.stderr

    def start(self) -> None:
        everywhere = "127.0.0.1" if self.network is nullcontext else "0.0.0.0"
        settings = [f"port={self.port}", f"listen_addresses={everywhere}", *FAST]
        settings.append(f"unix_socket_directories={self.folder}")
        options = " ".join(f"-c {setting}" for setting in settings)
        data, log = self.folder / "data", self.folder / "log"
        self.run("pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start")

    @property
    def process(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def signal(self, number: int) -> None:
        """Send a signal to the server, and to the processes of its connections."""
        with suppress(FileNotFoundError, ProcessLookupError):  # it has died
            own = self.process
            children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
            for process in (own, *map(int, children)):
                with suppress(ProcessLookupError):
                    os.kill(process, number)

    def kill_rest(self) -> None:
        """Kill a process that a server started just before it was killed itself."""
        for entry in Path("/proc").glob("[0-9]*/cwd"):
            with suppress(OSError):
                if entry.readlink() == self.folder / "data":
                    os.kill(int(entry.parent.name), signal.SIGKILL)

    @property
    def runs(self) -> bool:
        command = [str(self.programs / "pg_ctl"), "-D", str(self.folder / "data"), "status"]
        return subprocess.run(command, user=self.user, capture_output=True).returncode == 0

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop")

    def new_schema(self) -> str:
        """Create a schema, and return the URL of the database in which nothing else is seen.

        A database of its own would take a second, and hundreds of files.
        """
        import psycopg

        name = f"crawl_{next(self._names)}"
        with psycopg.connect(self.socket, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}?options=-csearch_path%3D{name}"

    def url(self, name: str, host: str = "127.0.0.1") -> str:
        return f"postgresql://crawler@{host}:{self.port}/{name}"

    @property
    def socket(self) -> str:
        """The URL of the server over a file, which needs no network."""
        return f"postgresql://crawler@/postgres?host={self.folder}&port={self.port}"


def servant() -> int:
    """Return a user without rights: PostgreSQL refuses to be run by root."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    pytest.skip("PostgreSQL refuses to be run by root, and there is no other user")


@contextmanager
def running_postgres(
    folder: Path | None = None, network: Network = nullcontext
) -> Iterator[PostgresServer]:
    """Run a server, and leave nothing behind."""
    where = needs_postgres()
    with tempfile.TemporaryDirectory(prefix="pg-", dir=folder) as own:
        server = PostgresServer(where, Path(own), network)
        server.start()
        try:
            yield server
        finally:
            server.signal(signal.SIGCONT)
            if server.runs:
                server.stop("immediate")

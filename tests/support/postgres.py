"""A real PostgreSQL in a temporary folder, run by a user without rights."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

FAST = ("fsync=off", "max_connections=60", "shared_buffers=32MB", "max_wal_size=256MB")
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

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder, self.port = programs, folder, free_port()
        self.user = servant() if os.geteuid() == 0 else None
        self._names = count()
        if self.user is not None:
            os.chown(folder, self.user, -1)
        self.run("initdb", "-D", folder / "data", "-U", "crawler", "-A", "trust", "--no-sync")

    def run(self, program: str, *arguments: object) -> None:
        command = [str(self.programs / program), *map(str, arguments)]
        ended = subprocess.run(
            command, user=self.user, capture_output=True, text=True, cwd=self.folder, timeout=60
        )
        assert ended.returncode == 0, ended.stderr

    def start(self) -> None:
        settings = [f"port={self.port}", "listen_addresses=127.0.0.1", *FAST]
        settings.append(f"unix_socket_directories={self.folder}")
        options = " ".join(f"-c {setting}" for setting in settings)
        data, log = self.folder / "data", self.folder / "log"
        self.run("pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start")

    @property
    def process(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def signal(self, number: int) -> None:
        """Send a signal to the server, and to the processes of its connections."""
        own = self.process
        children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        for process in (own, *map(int, children)):
            os.kill(process, number)

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop")

    def new_database(self) -> str:
        """Create a database, and return its URL."""
        import psycopg

        name = f"crawl_{next(self._names)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, name: str) -> str:
        return f"postgresql://crawler@127.0.0.1:{self.port}/{name}"


def servant() -> int:
    """Return a user without rights: PostgreSQL refuses to be run by root."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    pytest.skip("PostgreSQL refuses to be run by root, and there is no other user")


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Run a server, and leave nothing behind."""
    where = needs_postgres()
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        server = PostgresServer(where, Path(folder))
        server.start()
        try:
            yield server
        finally:
            if (server.folder / "data" / "postmaster.pid").exists():
                server.signal(signal.SIGCONT)
                server.stop("immediate")

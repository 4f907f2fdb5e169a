"""Commands on a page of the documentation, run as a reader would run them.

A page is a session in an empty folder.  Blocks marked ``console`` hold commands after ``$ `` and
their output; blocks of code with a ``title`` are files that the reader saves.  In the output, ``…``
stands for any text in a line, and alone for any lines.  After ``<!-- numbers vary -->`` only the
words of an output must be the same, in any order.  A command that ends in ``&`` goes on until the
page ends.

``python -m support.console PAGE`` writes the output anew, where it has no ``…``.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.postgres import free_port, running_postgres

BLOCK = re.compile(
    r"(?P<varies><!-- numbers vary -->\n+)?"
    r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```',
    re.MULTILINE | re.DOTALL,
)
NUMBER = re.compile(r"(?:(?<![\w.])[+-])?\d+(?:[.,:–]\d+)*")
LONGEST = 300.0
DATABASE = "postgresql://crawler@127.0.0.1/web"
PROGRESS = re.compile(r"^(?:\w+: )?[\d,]+ of [\d,]+.*\n", re.MULTILINE)
"""A line of progress, of which a slow machine prints more."""


@dataclass
class Step:
    """A command with the output that the page shows, or a file to save."""

    command: str = ""
    shown: str = ""
    varies: bool = False
    file: str = ""


def steps(page: str) -> Iterator[Step]:
    """Give what a reader of the page does, in order."""
    for block in BLOCK.finditer(page):
        if block["title"]:
            yield Step(file=block["title"], shown=block["text"])
        elif block["kind"] == "console":
            for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
                command, shown = command_of(part)
                yield Step(command, shown, bool(block["varies"]))


def command_of(part: str) -> tuple[str, str]:
    """Cut a command, which may go on after a backslash, from its output."""
    lines = part.split("\n")
    end = next(at for at, line in enumerate(lines) if not line.endswith("\\"))
    return "\n".join(lines[: end + 1]), "\n".join(lines[end + 1 :])


def tidy(text: str) -> list[str]:
    """Return the lines of an output without blanks at their ends, and without empty ones."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def same(shown: str, came: str, varies: bool = False) -> bool:
    """Say whether an output is what the page shows."""
    if varies:
        shown, came = (" ".join(NUMBER.sub("#", text).split()) for text in (shown, came))
        if "…" not in shown:  # rows are ordered by their numbers, and lines end where they must
            return Counter(shown.split()) == Counter(came.split())
        parts = [re.escape(part.strip()) for part in shown.split("…")]
        return re.fullmatch(r"\s*" + ".*".join(parts) + r"\s*", came) is not None
    pattern = ""
    for line in tidy(shown):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, line.split("…"))) + r"[ ]*\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in tidy(came))) is not None


@dataclass
class Session:
    """A shell in a folder, with the ports of the page replaced by free ones."""

    folder: Path
    replaced: Mapping[str, str] = field(default_factory=dict)
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def do(self, step: Step) -> str:
        """Do one step, and return the output in the words of the page."""
        if step.file:
            (self.folder / step.file).write_text(self.here(step.shown), encoding="utf-8")
            return ""
        if step.command.endswith("&"):
            return self.there(self.start(step))
        ended = subprocess.run(
            ["bash", "-c", self.here(step.command)],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        # Progress goes to the error output, and so do errors, after which there is nothing else.
        return PROGRESS.sub("", self.there(ended.stdout or ended.stderr))

    def start(self, step: Step) -> str:
        """Start a command that goes on, and return what it said by the time it said enough."""
        log = self.folder / f".log-{len(self.running)}"
        command = f"exec {self.here(step.command).rstrip('& ')}"
        with log.open("w", encoding="utf-8") as file:
            self.running.append(
                subprocess.Popen(
                    ["bash", "-c", command],
                    cwd=self.folder,
                    env=self.environment(),
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        until = time.monotonic() + LONGEST / 5
        while time.monotonic() < until and self.running[-1].poll() is None:
            said = log.read_text(encoding="utf-8")
            if (
                self.listens()
                if not step.shown
                else same(step.shown, self.there(said), step.varies)
            ):
                return said if step.shown else ""
            time.sleep(0.1)
        return log.read_text(encoding="utf-8")

    def listens(self) -> bool:
        """Say whether a program listens on the port that stands for that of the page."""
        port = int(self.replaced[":8000"].removeprefix(":"))
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", port)) == 0

    def environment(self) -> dict[str, str]:
        """Return the environment of a reader who has installed Foragers."""
        programs = Path(sys.executable).parent
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "COLUMNS": "80", "PYTHONWARNINGS": "ignore"}

    def here(self, text: str) -> str:
        """Return a text of the page with the ports that are free here."""
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        return text

    def there(self, text: str) -> str:
        """Return a text from here with the ports of the page."""
        for old, new in self.replaced.items():
            text = text.replace(new, old)
        return text


@contextmanager
def session(folder: Path, replaced: Mapping[str, str]) -> Iterator[Session]:
    """Open a session, and end the programs that it started."""
    opened = Session(folder, replaced)
    try:
        yield opened
    finally:
        for program in reversed(opened.running):
            program.send_signal(signal.SIGINT)
        for program in opened.running:
            program.wait(timeout=60)


def replaced_ports() -> dict[str, str]:
    """Return the ports of the pages with free ones for this run."""
    port = free_port()
    return {f"{before}8000": f"{before}{port}" for before in (":", "--port ", "http.server ")}


def rewritten(page: str) -> str:
    """Return a page with the output of its commands as it is now."""
    with ExitStack() as stack:
        replaced = replaced_ports()
        if DATABASE in page:
            replaced[DATABASE] = stack.enter_context(running_postgres()).new_schema()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        opened = stack.enter_context(session(folder, replaced))
        for step in steps(page):
            came = opened.do(step)
            if step.command and "…" not in step.shown and not same(step.shown, came, step.varies):
                new = "".join(f"{line.rstrip()}\n" for line in came.strip("\n").splitlines())
                page = page.replace(f"{step.command}\n{step.shown}", f"{step.command}\n{new}", 1)
    return page


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = Path(name)
        file.write_text(rewritten(file.read_text(encoding="utf-8")), encoding="utf-8")

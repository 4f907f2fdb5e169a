"""Messages about events: when they are sent, what they say, and to whom.

Messages are sent by a thread of their own, so that a slow mail server delays no look at a site.
"""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib.util import find_spec
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from string import Template
from threading import Thread
from typing import Protocol

import msgspec

from foragers.core.display import iso, plain
from foragers.core.files import read
from foragers.errors import UsageError
from foragers.judges.novelty import parse_duration
from foragers.watching.events import Event, EventKind
from foragers.watching.watch_options import WatchOptions, clock_of, hours_of

MOST_TOLD = 50
"""Events in one message; the rest is counted."""
LONGEST_COMMAND = 300.0
"""Seconds after which a command is stopped."""
USUAL = "$title\n$url"
FIELDS = ("title", "url", "event", "site", "time", "summary", "diff")


class Channel(Protocol):
    """Delivers a message; an error says why it could not."""

    def __call__(self, title: str, body: str, events: Sequence[Event]) -> str | None:
        """Deliver, and return what went wrong."""
        ...


@dataclass
class Schedule:
    """When messages may be sent: every so often, not in quiet hours, or once a day."""

    every: float = 60.0
    quiet: tuple[int, int] | None = None
    digest: int | None = None

    @classmethod
    def of(cls, options: WatchOptions) -> Schedule:
        """Return the schedule of a watch."""
        every = parse_duration(options.message_every, "--message-every")
        return cls(every, hours_of(options.quiet), clock_of(options.digest, "--digest"))

    def next(self, last: float, now: float) -> float:
        """Return when the next message may be sent, by the clock on the wall."""
        if self.digest is not None:
            moment = at_minute(last if last > 0 else now, self.digest)
            return moment if moment > last else at_minute(moment + 86_400.0, self.digest)
        moment = max(now, last + self.every)
        return self._after_quiet(moment)

    def _after_quiet(self, moment: float) -> float:
        if self.quiet is None:
            return moment
        first, last = self.quiet
        local = datetime.fromtimestamp(moment)
        minute = 60 * local.hour + local.minute
        inside = first <= minute < last if first <= last else minute >= first or minute < last
        if not inside:
            return moment
        end = at_minute(moment, last)
        return end if end > moment else at_minute(moment + 86_400.0, last)


def at_minute(moment: float, minute: int) -> float:
    """Return the time of a minute on the day of a moment, local time."""
    day = datetime.fromtimestamp(moment).replace(hour=0, minute=0, second=0, microsecond=0)
    return (day + timedelta(minutes=minute)).timestamp()


@dataclass
class Outbox:
    """Events that wait to be told, and the thread that tells them."""

    channels: Sequence[Channel]
    schedule: Schedule
    template: Template
    told: int = 0
    last: float = 0.0
    waiting: list[Event] = field(default_factory=list)
    problems: SimpleQueue[str] = field(default_factory=SimpleQueue)
    _thread: Thread | None = None

    def add(self, events: Sequence[Event]) -> None:
        """Let events wait."""
        if self.channels:
            self.waiting += events
        else:
            self.told += len(events)

    def send(self, now: float) -> None:
        """Send what waits, if it is time."""
        busy = self._thread is not None and self._thread.is_alive()
        if not self.waiting or busy or now < self.schedule.next(self.last, now):
            return
        events, self.waiting = self.waiting, []
        title, body = message(events, self.template)
        self._thread = Thread(target=self._deliver, args=(title, body, events), daemon=True)
        self.last = now
        self.told += len(events)
        self._thread.start()

    def _deliver(self, title: str, body: str, events: Sequence[Event]) -> None:
        for channel in self.channels:
            try:
                problem = channel(title, body, events)
            except Exception as error:  # of a library, or of a command: the watch goes on
                problem = f"{type(error).__name__}: {error}"
            if problem:
                self.problems.put(problem)

    def take_problems(self) -> list[str]:
        """Return what went wrong since the last call."""
        found = []
        while True:
            try:
                found.append(self.problems.get_nowait())
            except Empty:
                return found

    def close(self, seconds: float = 0.5) -> None:
        """Wait a little for the message that is being sent."""
        if self._thread is not None:
            self._thread.join(seconds)

    @property
    def next(self) -> float:
        """When the next message is sent; infinity if none waits."""
        return self.schedule.next(self.last, time.time()) if self.waiting else inf


def message(events: Sequence[Event], template: Template) -> tuple[str, str]:
    """Return the title and the text of a message."""
    kinds = {kind: sum(one.event is kind for one in events) for kind in EventKind}
    title = ", ".join(f"{count} {kind.value}" for kind, count in kinds.items() if count)
    sites = sorted({one.site for one in events})
    more = f" and {len(sites) - 1} more" if len(sites) > 1 else ""
    parts = [told(one, template) for one in events[:MOST_TOLD]]
    if len(events) > MOST_TOLD:
        parts.append(f"and {len(events) - MOST_TOLD} more")
    return f"{title}: {sites[0]}{more}", "\n\n".join(parts)


def told(one: Event, template: Template) -> str:
    """Return the text of one event."""
    values = {
        "title": plain(one.title or one.url),
        "url": one.url,
        "event": one.event.value,
        "site": one.site,
        "time": iso(one.found) or "",
        "summary": one.summary,
        "diff": one.diff,
    }
    return template.safe_substitute(values).rstrip()


def template_of(file: str | None) -> Template:
    """Read the template of an event; a UsageError names a field that there is not."""
    if file is None:
        return Template(USUAL)
    try:
        template = Template(read(Path(file)).decode())
    except (OSError, ValueError) as error:
        raise UsageError(f"--template {file}: {error}; it must be a text file") from error
    if not template.is_valid():
        raise UsageError(f"--template {file}: a $ without a name; write $$ for a dollar sign")
    for name in template.get_identifiers():
        if name not in FIELDS:
            known = ", ".join(f"${one}" for one in FIELDS)
            raise UsageError(f"--template {file}: ${name} is unknown; there are {known}")
    return template


def channels_of(options: WatchOptions) -> list[Channel]:
    """Return the channels of a watch; a UsageError says what is missing or wrong."""
    channels: list[Channel] = []
    if options.notify:
        channels.append(apprise_channel(options.notify))
    if options.command is not None:
        channels.append(command_channel(options.command))
    return channels


def apprise_channel(urls: Sequence[str]) -> Channel:
    """Return a channel through apprise, which knows mail, Slack, webhooks and many others."""
    if find_spec("apprise") is None:
        raise UsageError("--notify needs apprise: pip install 'foragers[notify]'")
    from apprise import Apprise

    sender = Apprise()
    for url in urls:
        if not sender.add(url):
            scheme = plain(url.partition("://")[0])
            raise UsageError(f"--notify {scheme}://…: not a URL that apprise understands")

    def deliver(title: str, body: str, events: Sequence[Event]) -> str | None:
        del events
        return None if sender.notify(body=body, title=title) else "--notify: not delivered"

    return deliver


def command_channel(command: str) -> Channel:
    """Return a channel that runs a command, with the events on its input."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--exec {command}: {error}") from error
    if not words:
        raise UsageError("--exec is empty: name a command")
    run: Callable[..., subprocess.CompletedProcess[bytes]] = subprocess.run

    def deliver(title: str, body: str, events: Sequence[Event]) -> str | None:
        del title, body
        lines = b"".join(msgspec.json.encode(one) + b"\n" for one in events)
        try:
            done = run(words, input=lines, timeout=LONGEST_COMMAND, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"--exec {words[0]}: {error}"
        return f"--exec {words[0]}: exit code {done.returncode}" if done.returncode else None

    return deliver

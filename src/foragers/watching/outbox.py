"""Messages about events: when they are sent, what they say, and who gets them.

Each channel has a thread of its own, so that a slow mail server delays no look at a site and no
other message.  What could not be delivered is sent again later.
"""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib.util import find_spec
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from shutil import which
from string import Template
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from foragers.core.display import iso, plain
from foragers.core.files import read
from foragers.errors import UsageError
from foragers.judges.novelty import parse_duration
from foragers.watching.events import Event, EventKind
from foragers.watching.feeds import NOT_FETCHED, digest
from foragers.watching.watch_options import WatchOptions, cause_of, clock_of, hours_of

if TYPE_CHECKING:
    from apprise import Apprise

MOST_TOLD = 50
"""Events in one message; the rest is counted."""
LONGEST_COMMAND = 300.0
"""Seconds after which a command is stopped."""
FIRST_RETRY, LONGEST_RETRY, MOST_DOUBLINGS = 60.0, 3600.0, 6
"""Seconds until a message that was not delivered is sent again, at first and at most."""
QUIET = (EventKind.FETCHED, EventKind.WITHDRAWN)
"""Events of which no message is made: their pages were reported by their links."""
USUAL = "$title\n$url"
FIELDS = ("title", "url", "event", "site", "time", "summary", "diff")


class Failure(NamedTuple):
    """Why a message was not delivered, and whether to try again."""

    told: str
    again: bool = False


class Channel(Protocol):
    """Delivers a message."""

    @property
    def name(self) -> str:
        """How it is called in lines for people, and in the state of a watch."""
        ...

    def __call__(self, title: str, body: str, events: Sequence[Event]) -> Failure | None:
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


class Sent(msgspec.Struct, frozen=True):
    """How many events a channel was told, and when it got its last message."""

    told: int = 0
    last: float = 0.0


@dataclass
class Lane:
    """The events that wait for one channel, and the thread that tells them."""

    channel: Channel
    schedule: Schedule
    template: Template
    problems: SimpleQueue[str]
    last: float = 0.0
    waiting: list[Event] = field(default_factory=list)
    retry_at: float = -inf
    tries: int = 0
    _thread: Thread | None = None
    _returned: SimpleQueue[list[Event]] = field(default_factory=SimpleQueue)

    def send(self, now: float) -> None:
        """Send what waits, if it is time."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._take_back(now)
        self.last = min(self.last, now)  # the clock may have been put back
        self.retry_at = min(self.retry_at, now + LONGEST_RETRY)
        if not self.waiting or now < self.retry_at or now < self.schedule.next(self.last, now):
            return
        events, self.waiting = self.waiting, []
        self.last = now
        self._thread = Thread(target=self._deliver, args=(events,), daemon=True)
        self._thread.start()

    def _take_back(self, now: float) -> None:
        """Let a message that was not delivered wait, longer each time."""
        try:
            events = self._returned.get_nowait()
        except Empty:
            self.tries = 0 if self._thread is not None else self.tries
        else:
            self.retry_at = now + min(FIRST_RETRY * 2**self.tries, LONGEST_RETRY)
            self.tries = min(self.tries + 1, MOST_DOUBLINGS)
            self.waiting = events + self.waiting
        self._thread = None

    def _deliver(self, events: list[Event]) -> None:
        try:
            title, body = message(events, self.template)
            failure = self.channel(title, body, events)
        except Exception as error:  # of a library, or of a command: the watch goes on
            failure = Failure(f"{self.channel.name}: {type(error).__name__}: {error}", True)
        if failure is None:
            return
        later = "; it is tried again" if failure.again else ""
        self.problems.put(f"{failure.told}{later}")
        if failure.again:
            self._returned.put(events)

    def close(self, seconds: float) -> None:
        """Wait a little for the message that is being sent."""
        if self._thread is not None:
            self._thread.join(seconds)
            if not self._thread.is_alive():
                self._take_back(0.0)


@dataclass
class Outbox:
    """The channels of a watch, each with its own messages: none waits for another."""

    channels: Sequence[Channel]
    schedule: Schedule
    template: Template
    problems: SimpleQueue[str] = field(default_factory=SimpleQueue)
    lanes: list[Lane] = field(init=False)

    def __post_init__(self) -> None:
        self.lanes = [
            Lane(channel, self.schedule, self.template, self.problems) for channel in self.channels
        ]

    def restore(self, known: Sequence[Event], sent: Mapping[str, Sent], now: float) -> None:
        """Take up what each channel was told; a new channel is told what comes from now on."""
        for lane in self.lanes:
            before = sent.get(lane.channel.name)
            if before is not None:
                lane.last = before.last
                lane.waiting += known[min(before.told, len(known)) :]
            elif lane.schedule.digest is not None:
                lane.last = now

    def sent(self, count: int) -> dict[str, Sent]:
        """Return what each channel was told of so many events; a message on its way counts."""
        return {
            lane.channel.name: Sent(count - len(lane.waiting), lane.last) for lane in self.lanes
        }

    def add(self, events: Sequence[Event]) -> None:
        """Let events wait."""
        for lane in self.lanes:
            lane.waiting += events

    def send(self, now: float) -> None:
        """Send what waits, if it is time."""
        for lane in self.lanes:
            lane.send(now)

    @property
    def untold(self) -> int:
        """The most events that wait for a channel."""
        return max((len(lane.waiting) for lane in self.lanes), default=0)

    def take_problems(self) -> list[str]:
        """Return what went wrong since the last call."""
        found = []
        while True:
            try:
                found.append(self.problems.get_nowait())
            except Empty:
                return found

    def close(self, seconds: float = 0.5) -> None:
        """Wait a little for the messages that are being sent."""
        end = time.monotonic() + seconds
        for lane in self.lanes:
            lane.close(max(0.0, end - time.monotonic()))


def message(events: Sequence[Event], template: Template) -> tuple[str, str]:
    """Return the title and the text of a message."""
    events = [one for one in events if one.event not in QUIET]
    if not events:
        return "", ""
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
        "summary": one.summary or ("" if one.fetched else NOT_FETCHED),
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
        raise UsageError(f"--template {file}: {cause_of(error)}; it must be a text file") from error
    if not template.is_valid():
        raise UsageError(f"--template {file}: a $ without a name; write $$ for a dollar sign")
    for name in template.get_identifiers():
        if name not in FIELDS:
            known = ", ".join(f"${one}" for one in FIELDS)
            raise UsageError(f"--template {file}: ${name} is unknown; there are {known}")
    return template


def channels_of(options: WatchOptions) -> list[Channel]:
    """Return the channels of a watch; a UsageError says what is missing or wrong."""
    channels: list[Channel] = [AppriseChannel.of(url) for url in dict.fromkeys(options.notify)]
    if options.command is not None:
        channels.append(CommandChannel.of(options.command))
    return channels


@dataclass(frozen=True)
class AppriseChannel:
    """Sends through apprise, which knows mail, Slack, webhooks and many others."""

    sender: Apprise
    name: str

    @classmethod
    def of(cls, url: str) -> AppriseChannel:
        """Return the channel of a URL; its name does not tell the password in it."""
        if find_spec("apprise") is None:
            raise UsageError("--notify needs apprise: pip install 'foragers[notify]'")
        from apprise import Apprise

        scheme = plain(url.partition("://")[0])
        sender = Apprise()
        if not sender.add(url):
            raise UsageError(f"--notify {scheme}://…: not a URL that apprise understands")
        return cls(sender, f"--notify {scheme}:{digest(url)[:8]}")

    def __call__(self, title: str, body: str, events: Sequence[Event]) -> Failure | None:
        """Deliver a message."""
        del events
        if not body or self.sender.notify(body=body, title=title):
            return None
        return Failure(f"{self.name}: not delivered", again=True)


SHELL = frozenset(("|", "||", "&", "&&", ";", "<", ">", ">>"))
"""Words that a shell would read, and a command gets as they are."""


@dataclass(frozen=True)
class CommandChannel:
    """Runs a command, with the events on its input; nothing of them is on its command line."""

    words: tuple[str, ...]
    name: str = "--exec"

    @classmethod
    def of(cls, command: str) -> CommandChannel:
        """Return the channel of a command."""
        try:
            words = tuple(shlex.split(command))
        except ValueError as error:
            raise UsageError(f"--exec {command}: {error}") from error
        if not words:
            raise UsageError("--exec is empty: name a command")
        if sign := next((word for word in words if word in SHELL), ""):
            raise UsageError(f"--exec {command}: '{sign}' needs a shell; write sh -c '…' around it")
        if which(words[0]) is None:
            raise UsageError(f"--exec {command}: there is no command '{words[0]}'; check its path")
        return cls(words)

    def __call__(self, title: str, body: str, events: Sequence[Event]) -> Failure | None:
        """Run the command; one that failed may have done its work, so it is not run again."""
        del title, body
        lines = b"".join(msgspec.json.encode(one) + b"\n" for one in events)
        try:
            done = subprocess.run(
                self.words,
                input=lines,
                timeout=LONGEST_COMMAND,
                stdout=subprocess.DEVNULL,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            return Failure(f"--exec {self.words[0]}: {error}")
        except OSError as error:
            return Failure(f"--exec {self.words[0]}: {cause_of(error)}", again=True)
        code = done.returncode
        return Failure(f"--exec {self.words[0]}: exit code {code}") if code else None

"""Who is rendered now, and who waits for it.

While a page is rendered, and waits to be, its host is occupied: what the scripts ask for is
part of the visit, and the pause begins when all of it is over.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

from msgspec.structs import replace

from foragers.core.clock import steady
from foragers.fetching.job import FetchJob, ResponseRecorder
from foragers.fetching.throttle import Throttle
from foragers.http.messages import Response, payload
from foragers.parsing.content_type import HTML, kind_of
from foragers.parsing.encoding import to_utf8
from foragers.parsing.html.parse import parse
from foragers.parsing.html.sanitise import limited
from foragers.parsing.robots_meta import Directives
from foragers.rendering.client import Renderer
from foragers.rendering.detection import is_shell
from foragers.rendering.messages import Rendered, RenderJob
from foragers.urls.parse import host_of

GLANCE = 0.05
"""Seconds after which to look again at what is being rendered."""
OF_THE_SHELL = ("content-type", "content-encoding", "transfer-encoding", "etag", "last-modified")
"""What a server says of what it sent, and not of what that becomes."""
MAX_SHELL_BYTES = 4 << 20


@dataclass
class RenderTask:
    """An errand whose page is to be rendered; `record` is where the reply was archived."""

    errand: FetchJob
    reply: Response
    record: str
    job: RenderJob
    keys: tuple[str, ...] = ()
    rendered: Rendered = field(default_factory=Rendered)

    @property
    def host(self) -> str:
        """The host of the page."""
        return host_of(self.job.url)

    @property
    def outcome(self) -> Response:
        """The reply of a server that had rendered the page; the one we have, if we could not."""
        html = self.rendered.html
        if not html:
            return self.reply
        kept = [pair for pair in self.reply.headers if pair[0].lower() not in OF_THE_SHELL]
        headers = (*kept, ("Content-Type", "text/html; charset=utf-8"))
        return replace(self.reply, body=html, headers=headers)

    @property
    def note(self) -> str:
        """What the ledger tells about it."""
        return "rendered" if self.rendered.html else f"not rendered: {self.rendered.reason}"


@dataclass
class Renderings:
    """Gives pages to renderers, each as soon as one is free and the page's host is."""

    renderers: tuple[Renderer, ...] = ()
    courtesy: Throttle = field(default_factory=Throttle)
    _waiting: deque[RenderTask] = field(default_factory=deque)
    _running: dict[int, RenderTask] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._waiting) + len(self._running)

    def open(self) -> None:
        """Have one browser ready, and find out now if there is none; others come when needed."""
        for renderer in self.renderers[:1]:
            renderer.open()

    def takes(self, errand: FetchJob, reply: Response, record: str) -> bool:
        """Have a page rendered, if there is someone to do it and the page needs it."""
        if not self.renderers or errand.enough or reply.cut:
            return False
        try:
            job = job_of(reply, errand.url, self.renderers[0].terms.agent)
        except Exception:  # a page that we cannot cope with is read, or not, without this
            job = None
        if job is None:
            return False
        task = RenderTask(errand, reply, record, job)
        self._hold(task)
        self._waiting.append(task)
        self._send()
        return True

    def until(self, latest: float) -> float:
        """Return how long to wait for other things at most: not long while pages are rendered."""
        return min(latest, steady() + GLANCE) if len(self) else latest

    def finished(self, archivist: ResponseRecorder | None) -> list[RenderTask]:
        """Return what has been rendered since, and have it kept."""
        done = []
        for number, renderer in enumerate(self.renderers):
            rendered = renderer.finished()
            if rendered is not None:
                task = self._running.pop(number)
                task.rendered = rendered
                # What was not recorded may not be kept, whatever scripts make of it.
                if archivist and task.record and rendered.html:
                    archivist.convert(task.reply, rendered.html, int(1000 * time.time()))
                self._release(task)
                done.append(task)
        self._send()
        return done

    def close(self) -> None:
        """End all browsers; what was not rendered is not."""
        for renderer in self.renderers:
            renderer.close()

    def _send(self) -> None:
        """Give waiting pages to free renderers."""
        for number, renderer in enumerate(self.renderers):
            if number not in self._running and (task := self._next()):
                self._running[number] = task
                renderer.start(task.job)

    def _next(self) -> RenderTask | None:
        """Return the first page in the queue whose host is held for it."""
        for task in self._waiting:
            if self._hold(task):
                self._waiting.remove(task)
                return task
        return None

    def _hold(self, task: RenderTask) -> bool:
        """Occupy the host of a page, unless another request is under way there."""
        if not task.keys and self.courtesy.wait(task.host, steady()) is not None:
            task.keys = self.courtesy.start(task.host)
        return bool(task.keys)

    def _release(self, task: RenderTask) -> None:
        """Leave the hosts alone that were asked, for as long as each wants."""
        now = steady()
        self.courtesy.finish(task.host, task.keys, now, seconds=task.reply.seconds, failed=False)
        for host in task.rendered.hosts:
            seconds = self.courtesy.state(host).seconds
            if self.courtesy.wait(host, now) is not None:
                self.courtesy.finish(host, (), now, seconds=seconds, failed=False)


def job_of(reply: Response, url: str, agent: str) -> RenderJob | None:
    """Return a page as it goes to a browser, or None if it is no shell or asks not to be kept."""
    kind = reply.header("Content-Type")
    body = payload(reply, MAX_SHELL_BYTES + 1)
    if kind_of(kind) not in HTML or len(body) > MAX_SHELL_BYTES:
        return None
    harmless, _, _ = limited(body, kind, MAX_SHELL_BYTES)
    if not is_shell(harmless):
        return None
    robots = parse(body, url, kind).robots
    if Directives.parse([robots, *reply.all("X-Robots-Tag")], agent).noindex:
        return None
    return RenderJob(url, f"{kind_of(kind)}; charset=utf-8", to_utf8(body, kind))

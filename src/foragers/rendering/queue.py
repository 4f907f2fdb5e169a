"""The queue of pages to render.

While a page is rendered or waits for it, its host is occupied: the requests of its scripts are
part of the visit, and the pause begins when all of them are done.
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
from foragers.rendering.messages import Rendered, RenderJob, RenderOptions
from foragers.urls.parse import host_of

POLL = 0.05
"""Seconds between two looks for rendered pages; CPU."""
OF_THE_SHELL = ("content-type", "content-encoding", "transfer-encoding", "etag", "last-modified")
"""Headers that describe the page as sent, and not the rendered one."""


@dataclass
class RenderTask:
    """A job whose page is to be rendered; `record` is where its response was archived."""

    job: FetchJob
    response: Response
    record: str
    page: RenderJob
    keys: tuple[str, ...] = ()
    rendered: Rendered = field(default_factory=Rendered)

    @property
    def host(self) -> str:
        """The host of the page."""
        return host_of(self.page.url)

    @property
    def outcome(self) -> Response:
        """The response with the rendered page; the original one, if it was not rendered."""
        html = self.rendered.html
        if not html:
            return self.response
        kept = [pair for pair in self.response.headers if pair[0].lower() not in OF_THE_SHELL]
        headers = (*kept, ("Content-Type", "text/html; charset=utf-8"))
        return replace(self.response, body=html, headers=headers)

    @property
    def note(self) -> str:
        """The note for the ledger."""
        return "rendered" if self.rendered.html else f"not rendered: {self.rendered.reason}"


@dataclass
class RenderQueue:
    """Passes pages to renderers, each when a renderer and the page's host are free."""

    renderers: tuple[Renderer, ...] = ()
    throttle: Throttle = field(default_factory=Throttle)
    _waiting: deque[RenderTask] = field(default_factory=deque)
    _running: dict[int, RenderTask] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._waiting) + len(self._running)

    def takes(self, job: FetchJob, response: Response, record: str) -> bool:
        """Queue a page if it needs rendering; return whether it was queued."""
        if not self.renderers or job.max_bytes or response.cut:
            return False
        try:
            page = page_to_render(response, job.url, self.renderers[0].options)
        except Exception:  # a fault of our own code must not end the crawl
            page = None
        if page is None:
            return False
        task = RenderTask(job, response, record, page)
        self._hold(task)
        self._waiting.append(task)
        self._send()
        return True

    def until(self, latest: float) -> float:
        """Return the time to look again for rendered pages, at the latest `latest`."""
        return min(latest, steady() + POLL) if len(self) else latest

    def finished(self, recorder: ResponseRecorder | None) -> list[RenderTask]:
        """Return the pages rendered since the last call, and archive them."""
        done = []
        for number, renderer in enumerate(self.renderers):
            rendered = renderer.finished()
            if rendered is not None:
                task = self._running.pop(number)
                task.rendered = rendered
                # A page that was not archived may not be archived after rendering either.
                if recorder and task.record and rendered.html:
                    recorder.convert(task.response, rendered.html, int(1000 * time.time()))
                self._release(task)
                done.append(task)
        self._send()
        return done

    def close(self) -> None:
        """Stop all browsers; waiting pages are not rendered."""
        for renderer in self.renderers:
            renderer.close()

    def _send(self) -> None:
        """Pass waiting pages to free renderers."""
        for number, renderer in enumerate(self.renderers):
            if number not in self._running and (task := self._next()):
                self._running[number] = task
                renderer.start(task.page)

    def _next(self) -> RenderTask | None:
        """Return the first waiting page whose host is occupied for it."""
        for task in self._waiting:
            if self._hold(task):
                self._waiting.remove(task)
                return task
        return None

    def _hold(self, task: RenderTask) -> bool:
        """Occupy the host of a page, unless another request is in progress there."""
        if not task.keys and self.throttle.wait(task.host, steady()) is not None:
            task.keys = self.throttle.start(task.host)
        return bool(task.keys)

    def _release(self, task: RenderTask) -> None:
        """Free the hosts of a page and of its resources, after their pauses."""
        now = steady()
        self.throttle.finish(task.host, task.keys, now, seconds=task.response.seconds, failed=False)
        for host in task.rendered.hosts:
            seconds = self.throttle.state(host).seconds
            if self.throttle.wait(host, now) is not None:
                self.throttle.finish(host, (), now, seconds=seconds, failed=False)


def page_to_render(response: Response, url: str, options: RenderOptions) -> RenderJob | None:
    """Return a page for the browser, or None if it is no shell or has `noindex`."""
    kind, most = response.header("Content-Type"), options.shell_bytes
    body = payload(response, most + 1)
    if kind_of(kind) not in HTML or len(body) > most:
        return None
    harmless, _, _ = limited(body, kind, most)
    if not is_shell(harmless):
        return None
    robots = parse(body, url, kind).robots
    if Directives.parse([robots, *response.all("X-Robots-Tag")], options.agent).noindex:
        return None
    return RenderJob(url, f"{kind_of(kind)}; charset=utf-8", to_utf8(body, kind))

"""A page in a browser: loaded from the response, its requests answered, read when it is idle."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserContext, Error, Page, Route

from foragers.rendering.messages import Rendered, RenderJob
from foragers.rendering.resources import ResourceLoader
from foragers.urls.parse import host_of, origin_of

FETCHED = ("script", "xhr", "fetch")
MILLISECONDS = 1000.0
READ = """
(() => {
  const blank = document.implementation.createHTMLDocument('');
  const copy = (node, depth) => {
    const made = blank.importNode(node, false);
    if (depth < 400) {
      const inside = node.shadowRoot ? [...node.shadowRoot.childNodes] : [];
      for (const child of [...inside, ...node.childNodes]) made.append(copy(child, depth + 1));
    }
    return made;
  };
  const root = document.documentElement;
  if (!root) return '';
  const shadowed = [...document.querySelectorAll('*')].some(node => node.shadowRoot);
  const html = (shadowed ? copy(root, 0) : root).outerHTML;
  return html.length > %d ? null : html;
})()
"""
"""Returns the document with the shadow trees of its components, or null if it is too long."""


@dataclass
class Tab:
    """A page that is being rendered, in a browser context of its own."""

    job: RenderJob
    loader: ResourceLoader
    most: int
    deadline: float = 0.0
    _loaded: bool = False
    _context: BrowserContext | None = None
    _page: Page | None = None

    def open(self, browser: Browser) -> None:
        """Open an empty page."""
        context = self._context = browser.new_context(
            user_agent=self.loader.options.agent,
            service_workers="block",
            accept_downloads=False,
            viewport={"width": 1280, "height": 2000},
        )
        context.route("**/*", self._serve)
        context.route_web_socket("**/*", lambda socket: socket.close())
        self._page = context.new_page()

    def close(self) -> None:
        """Close the page and its context."""
        with suppress(Error):
            if self._context is not None:
                self._context.close()

    def render(self, deadline: float) -> Rendered:
        """Run the scripts of the page, and return the rendered page."""
        context, page = self._context, self._page
        assert context is not None
        assert page is not None
        self.deadline = deadline
        page.goto(self.job.url, wait_until="commit", timeout=self._left)
        # A page that is never idle is read when its time is over.
        with suppress(Error):
            page.wait_for_load_state("networkidle", timeout=self._left)
        html = self._read(context, page)
        hosts = tuple(sorted(self.loader.hosts - {host_of(self.job.url)}))
        if html is None:
            return Rendered(reason=f"more than {self.most:,} characters", hosts=hosts)
        return Rendered(html.encode("utf-8", "replace"), hosts=hosts)

    @property
    def _left(self) -> float:
        """The milliseconds left until the deadline."""
        return max(1.0, MILLISECONDS * (self.deadline - time.monotonic()))

    def _read(self, context: BrowserContext, page: Page) -> str | None:
        """Return the document, read in an isolated world that scripts of the page cannot change."""
        session = context.new_cdp_session(page)
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": frame})
        answer = session.send(
            "Runtime.evaluate",
            {
                "expression": READ % self.most,
                "contextId": world["executionContextId"],
                "returnByValue": True,
            },
        )
        value = answer["result"].get("value")
        return f"<!DOCTYPE html>{value}" if isinstance(value, str) else None

    def _serve(self, route: Route) -> None:
        """Answer a request of the browser, so that it never reaches the network."""
        # A page that is closing no longer accepts answers.
        with suppress(Error):
            self._answer(route)

    def _answer(self, route: Route) -> None:
        request = route.request
        kind = request.resource_type
        if kind == "document":
            self._answer_document(route)
        elif kind == "stylesheet":
            # Some applications wait for their style sheet before they go on; an empty one will do.
            route.fulfill(status=200, content_type="text/css", body="")
        elif kind in FETCHED and request.method == "GET":
            headers = dict(request.headers)
            if kind != "script" and origin_of(request.url) != origin_of(self.job.url):
                headers["origin"] = origin_of(self.job.url)
            resource = self.loader.get(request.url.partition("#")[0], headers, kind == "script")
            if resource is None:
                route.abort()
            else:
                route.fulfill(status=resource.code, headers=resource.headers, body=resource.body)
        else:
            route.abort()

    def _answer_document(self, route: Route) -> None:
        """Answer the first navigation with the page itself, and refuse all others."""
        page = self._page
        request = route.request
        own = (
            page is not None
            and request.is_navigation_request()
            and request.frame == page.main_frame
        )
        if own and not self._loaded:
            self._loaded = True
            kind = self.job.content_type or "text/html"
            route.fulfill(status=200, headers={"content-type": kind}, body=self.job.body)
        elif own:
            # If refused, the browser would show an error page instead of the current one.
            route.fulfill(status=204)
        else:
            route.abort()

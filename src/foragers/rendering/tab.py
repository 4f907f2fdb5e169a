"""One page in a browser: loaded from what we have, served by us, and read when it is quiet."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserContext, Error, Page, Route

from foragers.rendering.messages import Rendered, RenderJob
from foragers.rendering.resources import Supply
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
"""What stands in the page, with what its components hide in trees of their own."""


@dataclass
class Tab:
    """A page that is being rendered, with nothing kept of any other."""

    job: RenderJob
    supply: Supply
    most: int
    deadline: float = 0.0
    _loaded: bool = False
    _context: BrowserContext | None = None
    _page: Page | None = None

    def open(self, browser: Browser) -> None:
        """Make room for the page, with nothing in it."""
        context = self._context = browser.new_context(
            user_agent=self.supply.terms.agent,
            service_workers="block",
            accept_downloads=False,
            viewport={"width": 1280, "height": 2000},
        )
        context.route("**/*", self._serve)
        context.route_web_socket("**/*", lambda socket: socket.close())
        self._page = context.new_page()

    def close(self) -> None:
        """Let go of everything that the page has."""
        with suppress(Error):
            if self._context is not None:
                self._context.close()

    def render(self, deadline: float) -> Rendered:
        """Let the scripts of the page run, and return what has come of it."""
        context, page = self._context, self._page
        assert context is not None
        assert page is not None
        self.deadline = deadline
        page.goto(self.job.url, wait_until="commit", timeout=self._left)
        # A page that never falls silent is taken as it is when its time is over.
        with suppress(Error):
            page.wait_for_load_state("networkidle", timeout=self._left)
        html = self._read(context, page)
        hosts = tuple(sorted(self.supply.hosts - {host_of(self.job.url)}))
        if html is None:
            return Rendered(reason=f"more than {self.most:,} letters", hosts=hosts)
        return Rendered(html.encode("utf-8", "replace"), hosts=hosts)

    @property
    def _left(self) -> float:
        """How many milliseconds there are, with some at the end for reading."""
        return max(1.0, MILLISECONDS * (self.deadline - time.monotonic()))

    def _read(self, context: BrowserContext, page: Page) -> str | None:
        """Return the document, read where the scripts of the page cannot meddle."""
        session = context.new_cdp_session(page)
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        apart = session.send("Page.createIsolatedWorld", {"frameId": frame})
        found = session.send(
            "Runtime.evaluate",
            {
                "expression": READ % self.most,
                "contextId": apart["executionContextId"],
                "returnByValue": True,
            },
        )
        value = found["result"].get("value")
        return f"<!DOCTYPE html>{value}" if isinstance(value, str) else None

    def _serve(self, route: Route) -> None:
        """Answer a request of the browser, so that none of them ever leaves it."""
        # A page that is going away no longer wants its answers.
        with suppress(Error):
            self._answer(route)

    def _answer(self, route: Route) -> None:
        request = route.request
        kind = request.resource_type
        if kind == "document":
            self._answer_document(route)
        elif kind == "stylesheet":
            # Some applications wait for their style before they go on; how it looks is no matter.
            route.fulfill(status=200, content_type="text/css", body="")
        elif kind in FETCHED and request.method == "GET":
            headers = dict(request.headers)
            if kind != "script" and origin_of(request.url) != origin_of(self.job.url):
                headers["origin"] = origin_of(self.job.url)
            goods = self.supply.get(request.url.partition("#")[0], headers, kind == "script")
            if goods is None:
                route.abort()
            else:
                route.fulfill(status=goods.code, headers=goods.headers, body=goods.body)
        else:
            route.abort()

    def _answer_document(self, route: Route) -> None:
        """Give the page itself once; where it wants to go then, it does not get."""
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
            # Without an answer it would show an error page instead of what is there.
            route.fulfill(status=204)
        else:
            route.abort()

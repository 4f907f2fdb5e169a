"""What all pages share: templates, headers that keep a browser safe, the password, the token.

Everything that came from the web is escaped by the templates.  A GET changes nothing; a POST needs
the token of the page it comes from.  Without a password the server answers only requests that
name this machine as their host, so that other sites cannot reach it through a browser.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from math import ceil
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.responses import RedirectResponse as Redirect
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from foragers.core.display import counted, duration, is_web, sentence, utc
from foragers.errors import UsageError
from foragers.http.reasons import reason_said
from foragers.serve.login import LoginTries
from foragers.version import __version__

Handler = Callable[[Request], Awaitable[Response]]
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
LOCAL = ("127.0.0.1", "localhost", "[::1]")
COOKIE = "foragers"
STATIC = StaticFiles(directory=Path(__file__).with_name("static"))
MOST_FORM = 1 << 20
"""The largest form, in bytes."""


@dataclass
class SiteFrame:
    """The look of the pages, and who may see them."""

    password: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    tries: LoginTries = field(default_factory=LoginTries)
    templates: Environment = field(init=False)

    def __post_init__(self) -> None:
        self.templates = Environment(
            loader=PackageLoader("foragers.serve"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.filters |= {
            "count": "{:,}".format,
            "day": day,
            "counted": counted,
            "sentence": sentence,
            "duration": lasting,
            "reason": reason_said,
            "percent": lambda value: "–" if value is None else f"{value:.0%}",
            "picture": Markup,  # of our own SVG, whose texts are escaped
        }
        self.templates.tests["web"] = is_web

    def shown(self, request: Request, template: str, code: int = 200, **values: Any) -> Response:
        """Return a page."""
        html = self.templates.get_template(template).render(
            version=__version__,
            token=self.token,
            base=request.scope.get("root_path", ""),
            top=request.scope.get("foragers_top", ""),
            kind=request.scope.get("foragers_kind", ()),
            **values,
        )
        return HTMLResponse(html, code)

    def guarded(self, handler: Handler) -> Handler:
        """Let a handler answer wrong wishes in one line."""

        async def guarded(request: Request) -> Response:
            try:
                return await handler(request)
            except UsageError as error:
                code = {StaleFormError: 403, BusyError: 503}.get(type(error), 400)
                if "/api/" in request.url.path:
                    return JSONResponse({"error": str(error)}, code)
                return self.shown(request, "error.html", code, message=str(error))

        return guarded

    async def form(self, request: Request) -> FormData:
        """Return the form of a POST that has the token of its page."""
        form = await form_of(request)
        given = str(form.get("token", ""))
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise StaleFormError("The page was too old; go back, reload it and try again.")
        return form

    def protected(self, app: ASGIApp) -> ASGIApp:
        """Return the whole application, for those who may see it."""
        return Protected(app, self)

    async def login(self, request: Request) -> Response:
        """Ask for the password, and remember it in a cookie."""
        if request.method == "GET":
            return self.shown(request, "login.html", wrong=False)
        client = request.client.host if request.client else ""
        if wait := self.tries.wait(client):
            return too_many(wait)
        given = str((await form_of(request)).get("password", ""))
        if not self.is_password(given, client):
            return self.shown(request, "login.html", 403, wrong=True)
        answer = Redirect("/", 303)
        answer.set_cookie(COOKIE, self.session, httponly=True, samesite="strict")
        return answer

    def is_password(self, given: str, client: str) -> bool:
        """Return whether a client has said the password, and count it if it has not."""
        if hmac.compare_digest(given.encode("utf-8", "replace"), self.password.encode()):
            self.tries.note_right(client)
            return True
        self.tries.note_wrong(client)
        return False


def too_many(wait: float) -> Response:
    """Return the answer to a client that has sent too many wrong passwords."""
    seconds = str(ceil(wait))
    text = f"Too many wrong passwords; try again in {lasting(ceil(wait))}."
    return PlainTextResponse(text, 429, {"retry-after": seconds})


class StaleFormError(UsageError):
    """A POST without the token of its page."""


class BusyError(UsageError):
    """The server has more to do than it takes on at once."""


async def form_of(request: Request) -> FormData:
    """Return the form of a POST, which must not be large."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > MOST_FORM:
        raise UsageError("the form is too large, or of unknown length")
    return await request.form(max_files=0, max_fields=50)


@dataclass
class Protected:
    """Refuses those who may not see the pages, and adds headers that keep a browser safe."""

    app: ASGIApp
    site: SiteFrame

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                more = [header for header in HEADERS if header[0] not in given]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        answer = self._refused(scope, headers)
        await (answer or self.app)(scope, receive, send_with_headers)

    def _refused(self, scope: Scope, headers: dict[bytes, str]) -> Response | None:
        """Return the answer to those who may not see the page, None to others."""
        given = headers.get(b"host", "")
        host = given.rsplit(":", 1)[0] if not given.endswith("]") else given
        if not self.site.password:
            if host.lower() in LOCAL:
                return None
            return PlainTextResponse("This server is for this machine only.", 421)
        if scope["path"] == "/login" or scope["path"].startswith("/static/"):
            return None
        if self._has_cookie(headers):
            return None
        said = headers.get(b"authorization", "")
        if not said.startswith("Bearer "):
            return Redirect("/login", 303)
        client = (scope.get("client") or ("",))[0]
        if wait := self.site.tries.wait(client):
            return too_many(wait)
        if self.site.is_password(said.removeprefix("Bearer "), client):
            return None
        return PlainTextResponse("That is not the password.", 401, {"www-authenticate": "Bearer"})

    def _has_cookie(self, headers: dict[bytes, str]) -> bool:
        """Return whether a browser has logged in; its cookie is not the password."""
        jar = SimpleCookie()
        try:
            jar.load(headers.get(b"cookie", ""))
        except CookieError:
            return False
        cookie = jar[COOKIE].value if COOKIE in jar else ""
        return hmac.compare_digest(cookie.encode("utf-8", "replace"), self.site.session.encode())


def day(moment: float | None) -> str:
    """Return a time as a date."""
    when = utc(moment)
    return f"{when:%Y-%m-%d %H:%M}" if when else "–"


def lasting(seconds: float | None) -> str:
    """Return a length of time, if it is known."""
    return "–" if seconds is None else duration(max(0.0, seconds))

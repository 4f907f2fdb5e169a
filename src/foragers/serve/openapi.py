"""The description of the JSON interface (OpenAPI 3.1), and what its page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foragers.serve.site import SiteFrame
from foragers.version import __version__

JSON = "application/json"
REF = "#/components/schemas/{name}"


class Parameter(NamedTuple):
    """A parameter of a path."""

    name: str
    told: str
    kind: str = "string"
    required: bool = False


class ApiPath(NamedTuple):
    """A path of the interface; `gives` is the type of its answer, if it is JSON."""

    path: str
    told: str
    parameters: Sequence[Parameter] = ()
    example: str = ""
    gives: Any = None
    media: str = JSON


PAGE = Parameter("page", "page of the list, from 1", "integer")
URL = Parameter("url", "URL of a page", required=True)
FILTERS = (
    Parameter("q", "words that a page has"),
    Parameter("host", "host of the page"),
    Parameter("language", "language that the page declares"),
    Parameter("least", "least relevance, from 0 to 1", "number"),
    Parameter("since", "fetched since: a date (2026-01-31), or seconds since 1970"),
    Parameter("until", "fetched until: a date, or seconds since 1970"),
    Parameter("every", "1: pages that are not relevant too"),
    Parameter("order", "relevance (default) or time"),
    PAGE,
)


@dataclass(frozen=True)
class ApiPages:
    """The description of an interface, for people and for programs."""

    site: SiteFrame
    title: str
    paths: Sequence[ApiPath]

    def routes(self) -> list[Route]:
        """Return the addresses of the description."""
        return [
            Route("/api", self.site.guarded(self.api)),
            Route("/api/openapi.json", self.site.guarded(self.openapi)),
        ]

    async def api(self, request: Request) -> Response:
        """Show the description; to programs, as OpenAPI."""
        if "text/html" not in request.headers.get("accept", ""):
            return await self.openapi(request)
        return self.site.shown(request, "api.html", paths=self.paths)

    async def openapi(self, request: Request) -> Response:
        """Return the description as OpenAPI."""
        base = request.scope.get("root_path", "")
        return JSONResponse(described(self.title, self.paths, base))


def described(title: str, paths: Sequence[ApiPath], base: str) -> dict[str, Any]:
    """Return the description of an interface."""
    typed = [one.gives for one in paths if one.gives is not None]
    found, components = msgspec.json.schema_components(typed, ref_template=REF)
    schemas = iter(found)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": __version__},
        "servers": [{"url": base or "/"}],
        "paths": {
            one.path: {"get": operation(one, next(schemas) if one.gives is not None else {})}
            for one in paths
        },
        "components": {"schemas": components},
    }


def operation(one: ApiPath, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a path."""
    given = {"type": "string"} if one.media != JSON else schema or {"type": "object"}
    wrong = {"description": "What is wrong with the request, in one line, as `error`"}
    return {
        "summary": one.told,
        "parameters": [
            {
                "name": parameter.name,
                "in": "query",
                "description": parameter.told,
                "required": parameter.required,
                "schema": {"type": parameter.kind},
            }
            for parameter in one.parameters
        ],
        "responses": {
            "200": {"description": one.told, "content": {one.media: {"schema": given}}},
            **({"400": wrong} if one.parameters else {}),
        },
    }

"""The description of the JSON interface (OpenAPI 3.1), and what its page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from foragers.version import __version__


class Parameter(NamedTuple):
    """A parameter of a path."""

    name: str
    told: str
    kind: str = "string"
    required: bool = False


class ApiPath(NamedTuple):
    """A path of the interface."""

    path: str
    told: str
    parameters: Sequence[Parameter] = ()
    example: str = ""


FILTERS = (
    Parameter("q", "words that a page has"),
    Parameter("host", "host of the page"),
    Parameter("language", "language that the page declares"),
    Parameter("least", "least relevance, from 0 to 1", "number"),
    Parameter("since", "fetched since: a date (2026-01-31), or seconds since 1970"),
    Parameter("until", "fetched until: a date, or seconds since 1970"),
    Parameter("every", "1: pages that are not relevant too"),
    Parameter("order", "relevance (default) or time"),
    Parameter("page", "page of the list, from 1", "integer"),
)
CRAWL_PATHS = (
    ApiPath("/api/status", "The crawl in numbers, and what it is doing now"),
    ApiPath("/api/pages", "Pages, the most relevant first", FILTERS, "?q=price&every=1"),
    ApiPath(
        "/api/explain",
        "Why a page was fetched, or not; the crawl is replayed for it",
        (Parameter("url", "URL of a page", required=True),),
    ),
)


def described(title: str, paths: Sequence[ApiPath], base: str) -> dict[str, Any]:
    """Return the description of an interface."""
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": __version__},
        "servers": [{"url": base or "/"}],
        "paths": {
            one.path: {
                "get": {
                    "summary": one.told,
                    "parameters": [
                        {
                            "name": given.name,
                            "in": "query",
                            "description": given.told,
                            "required": given.required,
                            "schema": {"type": given.kind},
                        }
                        for given in one.parameters
                    ],
                    "responses": {
                        "200": {
                            "description": one.told,
                            "content": {"application/json": {"schema": {"type": "object"}}},
                        },
                        "400": {"description": "What is wrong, as `error`"},
                    },
                }
            }
            for one in paths
        },
    }

"""What the query of a URL asks for; what cannot be read is refused in one line."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from starlette.requests import Request

from foragers.core.display import plain
from foragers.errors import UsageError
from foragers.serve.openapi import Parameter
from foragers.serve.page_index import ORDERS, Wishes

DAY = 86_400
LATEST = 1e12
"""The largest time, in seconds since 1970."""
LAST_PAGE = 10**9


def check_known(request: Request, parameters: Collection[Parameter]) -> None:
    """Refuse parameters that an address does not have: a slip would change nothing unseen."""
    known = [one.name for one in parameters]
    for name in request.query_params:
        if name not in known:
            has = f"has {', '.join(known)}" if known else "has none"
            raise UsageError(f"{plain(name, 60)} is no parameter here; this address {has}")


def wishes_in(request: Request) -> Wishes:
    """Return what a list of pages is to show."""
    query = request.query_params
    return Wishes(
        words=query.get("q", "")[:500],
        host=query.get("host", "")[:500],
        language=query.get("language", "")[:50],
        least=share_in(request, "least"),
        since=time_in(request, "since"),
        until=time_in(request, "until", DAY),
        every=choice_in(request, "every", ("", "0", "1")) == "1",
        order=choice_in(request, "order", tuple(ORDERS)),
        page=page_in(request),
    )


def refused(request: Request, name: str, wanted: str) -> UsageError:
    """Return the error of a parameter that cannot be read."""
    return UsageError(f"{name}={plain(request.query_params[name], 60)} is not {wanted}")


def share_in(request: Request, name: str) -> float:
    """Return a number from 0 to 1; 0 if none is given."""
    wanted = "a number from 0 to 1"
    try:
        value = float(request.query_params.get(name) or 0)
    except ValueError:
        raise refused(request, name, wanted) from None
    if not 0 <= value <= 1:
        raise refused(request, name, wanted)
    return value


def choice_in(request: Request, name: str, known: tuple[str, ...]) -> str:
    """Return one of several words; the first if none is given."""
    given = request.query_params.get(name) or known[0]
    if given not in known:
        raise refused(request, name, " or ".join(filter(None, known)))
    return given


def time_in(request: Request, name: str, day: float = 0.0) -> float:
    """Return seconds since 1970, or 0; to a date without a time, `day` seconds are added."""
    wanted = "a date such as 2026-01-31, or seconds since 1970"
    text = request.query_params.get(name) or "0"
    try:
        if "-" in text:
            moment = datetime.fromisoformat(text)
            zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            value = zoned.timestamp() + (day if len(text) <= len("2026-01-31") else 0)
        else:
            value = float(text)
    except ValueError:
        raise refused(request, name, wanted) from None
    if not 0 <= value < LATEST:
        raise refused(request, name, wanted)
    return value


def page_in(request: Request) -> int:
    """Return the page of a list, from 1."""
    text = request.query_params.get("page") or "1"
    is_number = text.isascii() and text.isdecimal() and len(text) < 20
    if not is_number or not 1 <= int(text) <= LAST_PAGE:
        raise refused(request, "page", f"a whole number from 1 to {LAST_PAGE:,}")
    return int(text)

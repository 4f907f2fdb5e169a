"""Why pages were not fetched, grouped by cause, for summaries and estimates.

A visit has a status and a reason in words.  The reason begins with its *cause*, and continues with
details of the page (a URL, a message of a library).  This module separates the two.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from foragers.core.types import Status

TRAP, SCOPE = "trap: ", "scope: "
"""Prefixes of the reasons of pages that were skipped by a trap rule, or by the scope."""
ROBOTS = "robots.txt"
NO_ROBOTS = f"{ROBOTS} could not be fetched"
PRIVATE = "private address"
PER_HOST = "more than --per-host"
KNOWN_BEFORE = "redirects to a page fetched before"
LATER = "; to be asked again"
"""Suffix of the reason of a deferred page, for people; `Page.retry_at` is for code."""
VARYING = (
    (re.compile(r"(nothing new) since .*"), r"\1"),
    (re.compile(r"(hardly anything new) at .*"), r"\1"),
    (re.compile(r"(a known page) but for .*"), r"\1 but for a parameter"),
    (re.compile(r"copy of .*"), "copy of another page"),
    (re.compile(r"\S+ (asks for a pause) .*"), r"host \1"),
    (re.compile(r"(more than --per-host) .*"), r"\1 pages"),
    (re.compile(r"no connection: ([^\d:]+)"), r"\1"),
)
"""Reasons with details of the page in the middle, and their causes."""
TLS_CAUSES = (
    ("expired", "certificate expired"),
    ("not yet valid", "certificate not yet valid"),
    ("self-signed", "self-signed certificate"),
    ("self signed", "self-signed certificate"),
    ("subject name", "certificate of another host"),
    ("does not match", "certificate of another host"),
    ("issuer", "certificate of an unknown issuer"),
    ("", "TLS"),
)
"""Words in the error messages of TLS libraries, and their causes."""


class LeftOut(StrEnum):
    """Why a known page was not fetched."""

    TRAPS = "trap rules"
    FAILURES = "failures"
    LIMITS = "limits"


@lru_cache(maxsize=1024)
def cause_of(reason: str) -> str:
    """Return the cause of a reason, without the details of the page."""
    text = reason.removesuffix(LATER)
    for prefix in (TRAP, SCOPE, f"{NO_ROBOTS}: "):
        if text.startswith(prefix):
            return prefix + cause_of(text.removeprefix(prefix))
    for pattern, plain in VARYING:
        if pattern.fullmatch(text):
            return pattern.sub(plain, text)
    return text.partition(": ")[0]


_FAILURES = (Status.FAILED.value, Status.REFUSED.value)
_SKIPPED = Status.SKIPPED.value


def left_out(status: str, reason: str, deferred: bool = False) -> LeftOut | None:
    """Return why a page that probably exists was left out, or None if it was not."""
    if deferred or status in _FAILURES:
        return LeftOut.FAILURES
    if status != _SKIPPED:
        return None
    if reason.startswith(TRAP):
        # A page that was fetched under another URL is not left out.
        return None if reason.startswith(f"{TRAP}a known page") else LeftOut.TRAPS
    return LeftOut.FAILURES if reason.startswith(NO_ROBOTS) else LeftOut.LIMITS


def tls_cause(detail: str) -> str:
    """Return the cause of a TLS error, from the message of the library."""
    lower = detail.lower()
    return next(cause for words, cause in TLS_CAUSES if words in lower)

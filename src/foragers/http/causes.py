"""Why pages were not had, sorted into a few causes: what summaries count and estimates rest on.

A visit has a status and a reason in words.  The reason names its *cause* first and then what
belongs to this one page (an address, a message of a library).  Here the cause is told apart
from the rest, in one place.
"""

from __future__ import annotations

import re
from enum import StrEnum

from foragers.core.types import Status

TRAP, SCOPE = "trap: ", "scope: "
"""How the reason of a page begins that a trap rule, or the scope of the crawl, has left out."""
ROBOTS = "robots.txt"
NO_ROBOTS = f"{ROBOTS} could not be fetched"
PRIVATE = "private address"
PER_HOST = "more than --per-host"
LATER = "; to be asked again"
"""How the reason of a page that is deferred ends, for people; `Page.retry_at` says it for code."""
VARYING = (
    (re.compile(r"(nothing new) since .*"), r"\1"),
    (re.compile(r"(hardly anything new) at .*"), r"\1"),
    (re.compile(r"(a known page) but for .*"), r"\1 but for a parameter"),
    (re.compile(r"copy of .*"), "copy of another page"),
    (re.compile(r"\S+ (asks for a pause) .*"), r"host \1"),
    (re.compile(r"(more than --per-host) .*"), r"\1 pages"),
    (re.compile(r"no connection: ([^\d:]+)"), r"\1"),
)
"""Reasons that have the page in the middle."""
TLS_SAID = (
    ("expired", "certificate expired"),
    ("not yet valid", "certificate not yet valid"),
    ("self-signed", "self-signed certificate"),
    ("self signed", "self-signed certificate"),
    ("subject name", "certificate of another host"),
    ("does not match", "certificate of another host"),
    ("issuer", "certificate of an unknown issuer"),
    ("", "TLS"),
)
"""What libraries say of a certificate, and what we say."""


class LeftOut(StrEnum):
    """Why a known page was not had: by our own rules of traps, by failure, or by a limit set."""

    TRAPS = "trap rules"
    FAILURES = "failures"
    LIMITS = "limits"


def cause_of(reason: str) -> str:
    """Return the cause in a reason, which is the same for all pages that it befell."""
    text = reason.removesuffix(LATER)
    for prefix in (TRAP, SCOPE, f"{NO_ROBOTS}: "):
        if text.startswith(prefix):
            return prefix + cause_of(text.removeprefix(prefix))
    for pattern, plain in VARYING:
        if pattern.fullmatch(text):
            return pattern.sub(plain, text)
    return text.partition(": ")[0]


def left_out(status: str, reason: str, deferred: bool = False) -> LeftOut | None:
    """Return why a page that is there, as far as is known, was left out; None if it was not."""
    if deferred or status in (Status.FAILED.value, Status.REFUSED.value):
        return LeftOut.FAILURES
    if status != Status.SKIPPED.value:
        return None
    if reason.startswith(TRAP):
        # The address of a page that was fetched under another one is no page left out.
        return None if reason.startswith(f"{TRAP}a known page") else LeftOut.TRAPS
    return LeftOut.FAILURES if reason.startswith(NO_ROBOTS) else LeftOut.LIMITS


def tls_said(detail: str) -> str:
    """Say in plain words what is wrong with a certificate, by what a library says of it."""
    lower = detail.lower()
    return next(plain for words, plain in TLS_SAID if words in lower)

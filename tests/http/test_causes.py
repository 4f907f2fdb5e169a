"""Reasons of visits sorted into causes."""

from __future__ import annotations

import pytest

from foragers.http.causes import LATER, LeftOut, cause_of, left_out, tls_cause


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("404", "404"),
        ("robots.txt", "robots.txt"),
        (
            "robots.txt could not be fetched: unknown host: a.test",
            "robots.txt could not be fetched: unknown host",
        ),
        ("unknown host: Could not resolve host: a.test", "unknown host"),
        ("no connection: connection refused", "connection refused"),
        ("no connection: Failed to connect to 10.0.0.1 port 80", "no connection"),
        ("timeout: nothing more for 15 s", "timeout"),
        ("certificate expired: SSL certificate problem: expired", "certificate expired"),
        ("private address: a.test is 10.0.0.1", "private address"),
        ("trap: nothing new since http://a.test/x: y", "trap: nothing new"),
        ("trap: a path that repeats itself", "trap: a path that repeats itself"),
        ("scope: another host (--scope host)", "scope: another host (--scope host)"),
        ("copy of http://a.test/x", "copy of another page"),
        (f"a.test asks for a pause of 90 s{LATER}", "host asks for a pause"),
        ("more than --per-host 5 pages", "more than --per-host pages"),
        ("", ""),
    ],
)
def test_a_cause_is_the_same_for_all_pages_it_befell(reason: str, cause: str) -> None:
    assert cause_of(reason) == cause


@pytest.mark.parametrize(
    ("status", "reason", "why"),
    [
        ("ok", "", None),
        ("missing", "404", None),
        ("unwanted", "noindex", None),
        ("failed", "timeout", LeftOut.FAILURES),
        ("refused", "403", LeftOut.FAILURES),
        ("skipped", "robots.txt could not be fetched: timeout", LeftOut.FAILURES),
        ("skipped", "robots.txt", LeftOut.LIMITS),
        ("skipped", "scope: matches --exclude", LeftOut.LIMITS),
        ("skipped", "trap: hardly anything new at /a", LeftOut.TRAPS),
        ("skipped", "trap: a known page with a session id or tracking parameter", None),
    ],
)
def test_a_page_is_left_out_by_traps_failures_or_limits(
    status: str, reason: str, why: LeftOut | None
) -> None:
    assert left_out(status, reason) is why


def test_a_page_that_is_deferred_is_left_out_by_failure_whatever_its_reason_says() -> None:
    for reason in ("a.test asks for a pause of 90 s", "robots.txt", "trap: nothing new"):
        assert left_out("skipped", reason, deferred=True) is LeftOut.FAILURES
    assert left_out("skipped", f"robots.txt{LATER}") is LeftOut.LIMITS


@pytest.mark.parametrize(
    ("detail", "plain"),
    [
        ("SSL certificate problem: certificate has expired", "certificate expired"),
        ("SSL certificate problem: self-signed certificate", "self-signed certificate"),
        ("SSL certificate problem: self signed certificate in chain", "self-signed certificate"),
        ("SSL: no alternative certificate subject name matches", "certificate of another host"),
        ("unable to get local issuer certificate", "certificate of an unknown issuer"),
        ("wrong version number", "TLS"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_said_plainly(detail: str, plain: str) -> None:
    assert tls_cause(detail) == plain

"""Reasons of errors, as people read them."""

from __future__ import annotations

from http import HTTPStatus


def reason_said(reason: str) -> str:
    """Return the reason of an error for display; a status code of HTTP also in words."""
    if len(reason) != 3 or not reason.isdecimal():
        return reason
    try:
        return f"{reason} {HTTPStatus(int(reason)).phrase.lower()}"
    except ValueError:
        return reason

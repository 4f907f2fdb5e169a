"""Reasons of errors, as people read them."""

from __future__ import annotations

from foragers.http.reasons import reason_said


def test_a_status_code_has_words() -> None:
    assert reason_said("404") == "404 not found"
    assert reason_said("799") == "799"
    assert reason_said("timeout") == "timeout"

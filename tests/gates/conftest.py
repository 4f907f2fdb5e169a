"""Gates print what they measured: the mean over webs, its interval, and the floor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gates.floors import Gate, Mean

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            # The first gate of a file waits for many crawls.
            item.add_marker(pytest.mark.timeout(3600))


@pytest.fixture
def gate(record_property: Callable[[str, object], None]) -> Gate:
    """Return what holds the mean of some webs against a floor."""

    def hold(name: str, mean: Mean, floor: float) -> None:
        record_property("gate", f"{name}: {mean}, floor {floor:g}")
        mean.hold(name, floor)

    return hold


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [one for some in terminalreporter.stats.values() for one in some]
    lines = [
        f"{'held  ' if report.passed else 'BROKEN'}  {said}"
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, said in report.user_properties
        if name == "gate"
    ]
    if lines:
        terminalreporter.section("gates: mean over webs, with an interval of 95 %")
        for line in sorted(lines, key=lambda line: line[8:]):
            terminalreporter.write_line(line)

"""Messages: when they are sent, what they say, and what a command gets."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from string import Template

import msgspec
import pytest

from foragers.errors import UsageError
from foragers.watching.events import Event, EventKind
from foragers.watching.outbox import (
    USUAL,
    Outbox,
    Schedule,
    channels_of,
    command_channel,
    message,
    template_of,
)
from foragers.watching.watch_options import WatchOptions


def event(number: int) -> Event:
    return Event(
        event=EventKind.NEW, url=f"http://a.test/{number}", site="a.test", found=1e9,
        visit=number, title=f"Title {number}",
    )  # fmt: skip


def at(hour: int, minute: int = 0, day: int = 10) -> float:
    return datetime(2024, 6, day, hour, minute).timestamp()


def test_a_message_waits_for_its_time() -> None:
    schedule = Schedule(every=600)
    assert schedule.next(0.0, at(12)) == at(12)
    assert schedule.next(at(12), at(12, 3)) == at(12, 10)
    assert schedule.next(at(12), at(14)) == at(14)


def test_no_message_is_sent_in_quiet_hours() -> None:
    night = Schedule(every=60, quiet=(22 * 60, 7 * 60))
    assert night.next(0.0, at(23)) == at(7, day=11)
    assert night.next(0.0, at(3)) == at(7)
    assert night.next(0.0, at(12)) == at(12)
    noon = Schedule(every=60, quiet=(12 * 60, 13 * 60))
    assert noon.next(0.0, at(12, 30)) == at(13)


def test_a_digest_is_sent_once_a_day() -> None:
    daily = Schedule(digest=8 * 60)
    assert daily.next(at(8), at(9)) == at(8, day=11)
    assert daily.next(at(7), at(9)) == at(8)


def test_a_message_tells_every_event_by_the_template() -> None:
    title, body = message([event(1), event(2)], Template(USUAL))
    assert title == "2 new: a.test"
    assert body == "Title 1\nhttp://a.test/1\n\nTitle 2\nhttp://a.test/2"
    _, long = message([event(n) for n in range(60)], Template("$event"))
    assert long.endswith("and 10 more")


def test_a_template_with_an_unknown_field_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_text("$title by $author")
    with pytest.raises(UsageError, match=r"\$author is unknown"):
        template_of(str(file))
    file.write_text("costs $ 5")
    with pytest.raises(UsageError, match="write \\$\\$"):
        template_of(str(file))
    with pytest.raises(UsageError, match="--template"):
        template_of(str(tmp_path / "none"))


def test_a_command_gets_the_events_as_json_lines(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = f"import sys; open({str(out)!r}, 'w').write(sys.stdin.read())"
    deliver = command_channel(f'{sys.executable} -c "{code}"')
    assert deliver("t", "b", [event(1), event(2)]) is None
    lines = [msgspec.json.decode(line, type=Event) for line in out.read_text().splitlines()]
    assert lines == [event(1), event(2)]


def test_a_command_that_fails_is_reported() -> None:
    assert "exit code 3" in str(command_channel("sh -c 'exit 3'")("t", "b", [event(1)]))
    assert "none-such" in str(command_channel("/none-such")("t", "b", [event(1)]))
    with pytest.raises(UsageError, match="--exec"):
        command_channel("'")


def test_events_are_told_once_and_errors_do_not_stop_the_watch() -> None:
    told: list[int] = []

    def deliver(title: str, body: str, events: Sequence[Event]) -> str | None:
        told.extend(one.visit for one in events)
        raise OSError("no mail server")

    outbox = Outbox([deliver], Schedule(every=0.001), Template(USUAL))
    outbox.add([event(1), event(2)])
    outbox.send(time.time())
    outbox.close(10)
    outbox.send(time.time() + 1)
    assert told == [1, 2]
    assert outbox.take_problems() == ["OSError: no mail server"]
    assert outbox.told == 2


def test_a_url_that_apprise_does_not_know_is_refused() -> None:
    pytest.importorskip("apprise")
    with pytest.raises(UsageError, match="nonsense"):
        channels_of(WatchOptions(notify=("nonsense://x",)))
    assert len(channels_of(WatchOptions(notify=("json://127.0.0.1:9/",)))) == 1

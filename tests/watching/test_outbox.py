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
    FIRST_RETRY,
    USUAL,
    CommandChannel,
    Failure,
    Outbox,
    Schedule,
    channels_of,
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
    deliver = CommandChannel.of(f'{sys.executable} -c "{code}"')
    assert deliver("t", "b", [event(1), event(2)]) is None
    lines = [msgspec.json.decode(line, type=Event) for line in out.read_text().splitlines()]
    assert lines == [event(1), event(2)]


def test_a_command_that_fails_is_reported() -> None:
    assert "exit code 3" in str(CommandChannel.of("sh -c 'exit 3'")("t", "b", [event(1)]))
    gone = CommandChannel(("/none-such",))("t", "b", [event(1)])  # it was there at the start
    assert gone == Failure("--exec /none-such: No such file or directory", again=True)
    with pytest.raises(UsageError, match="there is no command '/none-such'"):
        CommandChannel.of("/none-such")
    with pytest.raises(UsageError, match="--exec"):
        CommandChannel.of("'")


def test_a_command_that_needs_a_shell_is_refused_unless_it_names_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="'>>' needs a shell; write sh -c"):
        CommandChannel.of(f"cat >> {out}")
    assert CommandChannel.of(f"sh -c 'cat >> {out}'")("t", "b", [event(1)]) is None
    assert msgspec.json.decode(out.read_bytes(), type=Event) == event(1)


class Mail:
    """A channel that fails some times."""

    def __init__(self, name: str, failures: int = 0) -> None:
        self.name, self.failures = name, failures
        self.told: list[int] = []

    def __call__(self, title: str, body: str, events: Sequence[Event]) -> Failure | None:
        if self.failures:
            self.failures -= 1
            raise OSError("no mail server")
        self.told.extend(one.visit for one in events)
        return None


def test_a_clock_that_is_put_back_holds_no_message_up() -> None:
    channel = Mail("sound")
    outbox = Outbox([channel], Schedule(every=60.0), Template(USUAL))
    for now, number in ((1e6, 1), (1e6 - 7200.0, 2), (1e6 - 7140.0, 3)):
        outbox.add([event(number)])
        outbox.send(now)
        outbox.close(30.0)
    assert channel.told == [1, 2, 3]


def test_what_was_not_delivered_is_sent_again_and_delays_no_other_channel() -> None:
    broken, sound = Mail("broken", 1), Mail("sound")
    outbox = Outbox([broken, sound], Schedule(every=0.001), Template(USUAL))
    outbox.add([event(1), event(2)])
    now = time.time()
    outbox.send(now)
    outbox.close(10)
    assert (broken.told, sound.told) == ([], [1, 2])
    assert outbox.take_problems() == ["broken: OSError: no mail server; it is tried again"]
    assert outbox.untold == 2
    outbox.add([event(3)])
    outbox.send(now + 2 * FIRST_RETRY)
    outbox.close(10)
    assert (broken.told, sound.told) == ([1, 2, 3], [1, 2, 3])
    assert outbox.untold == 0


def test_a_message_that_fails_waits_longer_each_time() -> None:
    broken = Mail("broken", 2)
    outbox = Outbox([broken], Schedule(every=0.001), Template(USUAL))
    outbox.add([event(1)])
    for moment, failures in ((0.0, 1), (1.0, 1), (60.0, 1), (62.0, 0), (63.0, 0), (180.0, 0)):
        outbox.send(1e9 + moment)
        for lane in outbox.lanes:
            if lane._thread is not None:
                lane._thread.join(10)
        assert (broken.told, broken.failures) == ([], failures), moment
    outbox.send(1e9 + 190.0)
    outbox.close(10)
    assert broken.told == [1]


def test_a_resumed_watch_tells_each_channel_what_it_was_not_told() -> None:
    known = [event(n) for n in range(5)]
    late, fresh = Mail("late"), Mail("fresh")
    outbox = Outbox([late, fresh], Schedule(every=0.001), Template(USUAL))
    before = Outbox([Mail("late")], Schedule(every=0.001), Template(USUAL))
    before.add(known[3:])
    outbox.restore(known, before.sent(5), time.time())
    outbox.send(time.time())
    outbox.close(10)
    assert (late.told, fresh.told) == ([3, 4], [])


def test_the_first_digest_waits_for_its_time() -> None:
    mail = Mail("mail")
    outbox = Outbox([mail], Schedule(digest=8 * 60), Template(USUAL))
    outbox.restore([], {}, at(9))
    outbox.add([event(1)])
    for moment, told in ((at(9, 5), []), (at(7, day=11), []), (at(8, 1, day=11), [1])):
        outbox.send(moment)
        outbox.close(10)
        assert mail.told == told


def test_a_url_that_apprise_does_not_know_is_refused() -> None:
    pytest.importorskip("apprise")
    with pytest.raises(UsageError, match="nonsense"):
        channels_of(WatchOptions(notify=("nonsense://x",)))
    assert len(channels_of(WatchOptions(notify=("json://127.0.0.1:9/",)))) == 1


def test_what_was_reported_by_its_link_makes_one_message() -> None:
    told = msgspec.structs.replace(event(1), fetched=False)
    fetched = msgspec.structs.replace(event(1), event=EventKind.FETCHED)
    title, body = message([told, fetched], Template("$title: $summary"))
    assert (title, body) == ("1 new: a.test", "Title 1: not fetched yet: known by a link")
    assert message([fetched], Template(USUAL)) == ("", "")

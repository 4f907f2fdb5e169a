"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, TypeAlias

from foragers.core.options import OptionField, Target, make, options_in
from foragers.errors import UsageError
from foragers.worlds.archive import Archive

if TYPE_CHECKING:
    Verbs: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


def add_options(verb: argparse.ArgumentParser, kind: type, repeated: Sequence[str] = ()) -> None:
    """Add the options of a class, in the groups that they name; some may be given repeatedly."""
    groups = {group.title: group for group in verb._action_groups}
    for item in options_in(kind):
        title = item.said.group
        if title and title not in groups:
            groups[title] = verb.add_argument_group(title)
        if item.name in repeated:
            told = f"{item.said.help}; may be repeated"
            item = replace(item, many=True, said=replace(item.said, help=told))
        add_option(groups[title] if title else verb, item)


def add_option(place: argparse._ActionsContainer, item: OptionField) -> None:
    """Add one option; argparse reads a percent sign in its help as a format."""
    said = item.said
    told = said.help + (f" (default: {item.shown_default})" if item.shown_default else "")
    told = told.replace("%", "%%")
    if item.type is bool:
        action = "store_false" if item.default else "store_true"
        place.add_argument(item.flag, dest=item.name, action=action, help=told)
        return
    settings: dict[str, Any] = {"dest": item.name, "default": item.default, "help": told}
    if said.metavar:
        settings["metavar"] = said.metavar
    if item.many:
        settings |= {"action": "append", "default": []}
    if said.alone:
        settings |= {"nargs": "?", "const": said.alone}
    if said.choices:
        settings["choices"] = said.choices
    if item.type is not str:
        settings["type"] = item.type
    place.add_argument(item.flag, **settings)


def add_aim(verb: argparse.ArgumentParser, repeated: Sequence[str] = ()) -> None:
    """Add the options of the target."""
    add_options(verb, Target, repeated)


def aim_of(options: argparse.Namespace) -> Target:
    """Return the target."""
    return make(Target, vars(options))


def aims_of(options: argparse.Namespace) -> list[Target]:
    """Return each target, where topics and labels may be given more than once.

    The first topic belongs to the first label, the second topic to the second label.
    """
    topics, labels = options.topic, options.relevant
    if topics and labels and len(topics) != len(labels):
        raise UsageError(
            f"--topic is given {len(topics)} times and --relevant {len(labels)} times;"
            " give one label for each topic, or only one of the two options"
        )
    count = max(len(topics), len(labels), 1)
    pairs = zip(topics or [None] * count, labels or [None] * count, strict=True)
    targets = [make(Target, {**vars(options), "topic": t, "relevant": r}) for t, r in pairs]
    if len(set(targets)) < len(targets):
        raise UsageError("--topic or --relevant names a target twice; give each once")
    return targets


def moment(text: str, option: str) -> float:
    """Return a point in time given as an ISO date or as seconds since 1970."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = nan
    if isfinite(seconds):
        return seconds
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{option} {text}: not a time; write 2024-05-31 or 2024-05-31T12:00:00"
        ) from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def since_of(text: str, archive: Archive) -> float | None:
    """Return the time at which a replay starts; None stands for the end, where time is over."""
    if text in ("start", "end"):
        return archive.start if text == "start" else None
    since = moment(text, "--since")
    if since > archive.end:
        last = datetime.fromtimestamp(archive.end, UTC).isoformat()
        raise UsageError(f"--since {text}: is after the end of this world, {last}")
    return since

"""Options that several verbs share."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from math import isfinite, nan
from typing import TYPE_CHECKING, TypeAlias

from foragers.core.options import Target
from foragers.errors import UsageError
from foragers.worlds.archive import Archive

if TYPE_CHECKING:
    Verbs: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


def add_aim(verb: argparse.ArgumentParser, labels: bool = True) -> None:
    """Add the options that say what is wanted; live pages have no labels."""
    aim = verb.add_argument_group("what is relevant (without these options, every page)")
    aim.add_argument(
        "--topic", metavar="WORDS", help="words that relevant pages contain, in quotes"
    )
    aim.add_argument(
        "--similarity",
        choices=("keywords", "tfidf"),
        default="keywords",
        help="how pages are compared with the topic (default: keywords)",
    )
    aim.add_argument("--idf", metavar="FILE", help="texts to count word frequencies in, for tfidf")
    aim.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="relevance from which a page counts as relevant, for example 0.5",
    )
    aim.add_argument(
        "--examples", metavar="FILE", help="example pages to learn from, relevant and not"
    )
    aim.add_argument(
        "--new-within", metavar="TIME", help="pages that appeared within this time, for example 24h"
    )
    told = "pages with this label" if labels else argparse.SUPPRESS
    aim.add_argument("--relevant", metavar="LABEL", help=told)
    aim.add_argument(
        "--judge", metavar="MODULE:FUNCTION", help="your own Python function that rates a page"
    )


def aim_of(options: argparse.Namespace) -> Target:
    """Return what is wanted."""
    return Target(
        topic=options.topic,
        similarity=options.similarity,
        threshold=options.threshold,
        examples=options.examples,
        relevant=options.relevant,
        new_within=options.new_within,
        judge=options.judge,
        idf=options.idf,
    )


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

"""Seeds and labels from files, matched with the URLs of a world."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np

from foragers.core.types import UrlId
from foragers.errors import UsageError
from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Labels


class LabelLine(msgspec.Struct, frozen=True):
    """One line of a labels file."""

    url: str
    labels: tuple[str, ...]


def numbered_lines(file: Path, option: str) -> list[tuple[int, str]]:
    """Return the non-empty lines of a text file, with their numbers."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{option} {file}: cannot be read ({error})") from error
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    return [(number, line) for number, line in lines if line and not line.startswith("#")]


def read_lines(file: Path, option: str) -> list[str]:
    """Return the non-empty lines of a text file."""
    return [line for _, line in numbered_lines(file, option)]


def read_labels(file: Path, book: AddressBook) -> Labels:
    """Read a labels file: one JSON object with `url` and `labels` per line."""
    decode = msgspec.json.Decoder(LabelLine).decode
    urls: dict[str, list[UrlId]] = {}
    unknown: list[str] = []
    lines = numbered_lines(file, "--labels")
    if not lines:
        raise UsageError(f"--labels {file}: is empty; write one JSON object a line")
    for number, text in lines:
        try:
            line = decode(text)
        except msgspec.MsgspecError as error:
            raise UsageError(
                f'--labels {file}, line {number}: {error}; a line is {{"url": …, "labels": […]}}'
            ) from error
        url = find(book, line.url)
        if url is None:
            unknown.append(line.url)
            continue
        for label in line.labels:
            urls.setdefault(label, []).append(url)
    if unknown:
        raise UsageError(
            f"--labels {file}: {len(unknown)} of the URLs are not in this world, the first is"
            f" {unknown[0]}; remove these lines, or label another world"
        )
    return Labels({name: np.unique(np.array(numbers, np.int32)) for name, numbers in urls.items()})


def read_seeds(hrefs: Iterable[str], book: AddressBook, option: str) -> tuple[UrlId, ...]:
    """Return the numbers of seeds, each once."""
    seeds: dict[UrlId, None] = {}
    for href in hrefs:
        url = find(book, href)
        if url is None:
            raise UsageError(
                f"{option}: {href} is not in this world; 'foragers world info' shows its seeds"
            )
        seeds[url] = None
    if not seeds:
        raise UsageError(f"{option} contains no URL; write one per line")
    return tuple(seeds)


def find(book: AddressBook, href: str) -> UrlId | None:
    """Return the number of a URL, or None if it is unknown or invalid."""
    try:
        return book.find(href)
    except ValueError:
        return None

"""A world on disk: a folder of numpy columns that are mapped, not read.

`world.json` describes the folder; docs/world-format.md describes every file.  A world is written
under another name and renamed when it is complete, so a world that can be opened is always
complete.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np

from foragers.core.files import read
from foragers.core.types import UrlId
from foragers.errors import DamagedError, UsageError
from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Archive, Labels, Texts
from foragers.worlds.generated.text.texts import GeneratedTexts
from foragers.worlds.mapping import LATEST, NUMBERS, check_range, check_starts, check_world, mapped
from foragers.worlds.rewired import RewiredTexts
from foragers.worlds.texts import StoredTexts

FORMAT = "foragers-world"
VERSION = 1
COLUMNS = ("version_starts", "times", "codes", "redirects", "same_as", "link_starts", "targets")
BOOK = ("letters", "starts", "host_ids", "sorted_keys", "sorted_ids")
TEXTS: dict[str, Callable[[Path], Texts]] = {
    StoredTexts.kind: StoredTexts,
    GeneratedTexts.kind: GeneratedTexts.open,
    RewiredTexts.kind: lambda folder: open_rewired(folder),
}


class Manifest(msgspec.Struct, frozen=True):
    """The content of `world.json`."""

    format: str
    version: int
    texts: str
    hosts: tuple[str, ...]
    labels: tuple[str, ...]
    seeds: tuple[UrlId, ...]
    evolving: bool
    start: float
    end: float
    origin: dict[str, str | int | float]


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to write a world in, and rename it when it is complete."""
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name or delete it first")
    partial = path.with_name(f".{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        yield partial
        partial.rename(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def write_columns(archive: Archive, folder: Path) -> None:
    """Write a world without its texts."""
    for name in COLUMNS:
        np.save(folder / f"{name}.npy", getattr(archive, name))
    for name in BOOK:
        np.save(folder / f"url_{name}.npy", getattr(archive.book, name))
    labels = archive.labels.urls
    starts = np.cumsum([0, *(len(urls) for urls in labels.values())], dtype=np.int64)
    np.save(folder / "label_starts.npy", starts)
    np.save(folder / "label_urls.npy", np.concatenate([np.empty(0, np.int32), *labels.values()]))
    manifest = Manifest(
        FORMAT,
        VERSION,
        archive.texts.kind,
        archive.book.host_names,
        tuple(labels),
        archive.seeds,
        archive.evolving,
        archive.start,
        archive.end,
        archive.origin,
    )
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    (folder / "world.json").write_bytes(text + b"\n")


def save(archive: Archive, path: Path) -> None:
    """Write a world and its texts."""
    with new_folder(path) as folder:
        if isinstance(archive.texts, RewiredTexts):
            save(archive.texts.base, folder / "base")
        archive.texts.save(folder)
        write_columns(archive, folder)


def open_world(path: Path) -> Archive:
    """Open a world that was imported, generated or rewired."""
    manifest = read_manifest(path)
    try:
        kinds = {"times": "f"}
        columns = {name: mapped(path / f"{name}.npy", kinds.get(name, NUMBERS)) for name in COLUMNS}
        book = {name: mapped(path / f"url_{name}.npy", NUMBERS) for name in BOOK}
        check_world(columns, book, len(manifest.hosts))
        starts = mapped(path / "label_starts.npy", NUMBERS)
        urls = mapped(path / "label_urls.npy", NUMBERS)
        check_starts("label_starts", starts, len(manifest.labels), len(urls))
        check_range("label_urls", urls, 0, len(book["host_ids"]))
        spans = zip(manifest.labels, starts[:-1], starts[1:], strict=True)
        if not all(0 <= seed < len(book["host_ids"]) for seed in manifest.seeds):
            raise ValueError("a seed is not among its addresses")
        if not max(abs(manifest.start), abs(manifest.end)) < LATEST:
            raise ValueError("its start or end is no time")
        return Archive(
            book=AddressBook(host_names=manifest.hosts, **book),
            **columns,
            texts=TEXTS[manifest.texts](path),
            seeds=manifest.seeds,
            labels=Labels({name: urls[first:last] for name, first, last in spans}),
            evolving=manifest.evolving,
            start=manifest.start,
            end=manifest.end,
            path=path,
            origin=manifest.origin,
        )
    except (OSError, ValueError, KeyError, EOFError, RecursionError) as error:
        raise UsageError(f"{path} is damaged ({error}); import or generate it again") from error


def open_rewired(folder: Path) -> RewiredTexts:
    """Open the texts of a rewired world and of the original one."""
    if (folder / "base").is_symlink():  # perhaps to itself
        raise DamagedError("its base is a link")
    base = open_world(folder / "base")
    sources = mapped(folder / "link_sources.npy", NUMBERS)
    if len(sources) != len(base.targets):
        raise DamagedError("link_sources is not as long as it should be")
    check_range("link_sources", sources, 0, len(base.targets))
    return RewiredTexts(base, sources)


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of a folder, or raise a UsageError that says why it is no world."""
    file = path / "world.json"
    if not file.is_file():
        what = "is not a world" if path.exists() else "does not exist"
        raise UsageError(
            f"{path} {what}; make one with 'foragers world import' or 'foragers world generate'"
        )
    try:
        head = msgspec.json.decode(read(file))
        if head["format"] != FORMAT:
            raise UsageError(f"{file} is not the manifest of a world")
        if head["version"] > VERSION:
            raise UsageError(
                f"{path} has world format {head['version']}, this version of foragers reads up to"
                f" {VERSION}; upgrade foragers or import the world again"
            )
        return msgspec.convert(head, Manifest)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{file} is damaged ({error}); import the world again") from error

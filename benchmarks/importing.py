"""Importing against the bare time of reading the WARC and parsing its HTML.

Bare: fastwarc reads every record, selectolax parses every HTML body.  Beside it stands
the same with every link's attributes and the text taken out, which no importer can do
without.  Ours adds normalised addresses, words around links, tag paths, main text,
dates, languages, compression, and the columns of the world.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

from benchmarks.recordings import recordings
from benchmarks.timing import best_of, verdict
from foragers.worlds.importing.importer import ImportOptions, import_world

AIM = 3.0


def imported(file: Path, scratch: Path, numbers: Iterator[int]) -> None:
    """Import a WARC file into a new world."""
    folder = scratch / f"{file.stem}-{next(numbers)}"
    import_world(folder, [file], ImportOptions(processes=1))


def bare(file: Path, extract: bool) -> int:
    """Read and parse, and take out links and text if asked to."""
    pages = 0
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            body = record.reader.read()
            if "html" in (record.http_content_type or ""):
                tree = LexborHTMLParser(body)
                pages += 1
                if extract:
                    [node.attributes.get("href") for node in tree.css("a[href]")]
                    tree.root.text(separator=" ") if tree.root else ""
    return pages


def run() -> bool:
    """Measure every recording, and judge the sum."""
    total = dict.fromkeys(("bare", "links and text", "ours"), 0.0)
    wall = 0.0
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        for file in recordings(scratch):
            pages = bare(file, False)
            worlds = iter(range(1000))
            best = best_of(
                {
                    "bare": partial(bare, file, False),
                    "links and text": partial(bare, file, True),
                    "ours": partial(imported, file, scratch, worlds),
                },
                rounds=2,
            )
            for name, seconds in best.items():
                total[name] += seconds
            started = time.perf_counter()
            import_world(scratch / f"{file.stem}-wall", [file])
            wall += time.perf_counter() - started
            costs = ", ".join(f"{name} {1000 * cpu / pages:.2f}" for name, cpu in best.items())
            print(f"   {file.name}: {pages:,} pages, ms a page: {costs}")
    print(
        f"   against links and text taken out too: {total['ours'] / total['links and text']:.2f} x"
    )
    print(f"   wall time on {os.cpu_count()} cores against bare CPU: {wall / total['bare']:.2f} x")
    return verdict("importing against bare reading and parsing", total["ours"] / total["bare"], AIM)

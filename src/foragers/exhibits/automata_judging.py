"""All pages of a web judged for all topics in one reading: making up a page takes longest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from foragers.comparison.study import prepare
from foragers.content import Kept
from foragers.exhibits.automata_webs import Ground, keep
from foragers.run import Run
from foragers.types import Choice
from foragers.worlds.recorded import Recorded


def by_web(grounds: Sequence[Ground]) -> list[tuple[Ground, ...]]:
    """Return what is yet to be judged, the topics of one web together."""
    webs: dict[Path, dict[str, Ground]] = {}
    for ground in grounds:
        for one in (ground, *ground.lessons):
            if not one.verdicts.exists():
                webs.setdefault(one.path, {})[one.key] = one
    return [tuple(found.values()) for found in webs.values()]


def judge_together(grounds: Sequence[Ground]) -> None:
    """Judge all pages of one web for several topics, and keep the verdicts."""
    studies = [prepare(Run(str(ground.path), "", ground.aim)) for ground in grounds]
    archive = studies[0].archive
    columns = [np.full(archive.versions, np.nan) for _ in studies]
    world = Recorded(archive, studies[0].since)
    for url in studies[0].pages().tolist():
        page = world.answer(Choice(url, archive.book.host(url)))
        at_hand = msgspec.structs.replace(page, content=Kept(page.document))
        for study, column in zip(studies, columns, strict=True):
            column[page.version] = study.judge.relevance(at_hand)
    for ground, column in zip(grounds, columns, strict=True):
        keep(ground.verdicts, column)

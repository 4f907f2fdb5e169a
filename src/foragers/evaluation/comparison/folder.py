"""The folder of a comparison: finished runs are kept, so the same command resumes it."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from foragers.core.files import check_own, write
from foragers.core.models import Model
from foragers.core.options import ReplayOptions
from foragers.errors import UsageError
from foragers.evaluation.comparison.result import RunResult
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.comparison.workers import ComparisonJob
from foragers.worlds.store import COLUMNS


class FinishedRun(RunResult, frozen=True, kw_only=True):
    """A finished run, with the digest of the model that its strategy named."""

    model: str = ""


class Folder:
    """Finished runs, one file each, of comparisons that differ only in strategies and seeds."""

    def __init__(self, path: Path, base: ReplayOptions, study: Study) -> None:
        check_own(path)
        self._runs = path / "runs"
        same = identity(base, study)
        file = path / "comparison.json"
        if file.exists():
            if file.read_bytes() != same:
                raise UsageError(
                    f"--out {path} holds another comparison; choose another folder or delete it"
                )
        elif path.exists() and any(path.iterdir()):
            raise UsageError(f"--out {path} is not empty; choose another folder")
        for folder in (self._runs, path / "ledgers"):
            folder.mkdir(parents=True, exist_ok=True)
        write(file, same)

    def result(self, job: ComparisonJob) -> RunResult | None:
        """Return the result of a finished job, if its file is valid and of the same model."""
        try:
            data = self._file(job).read_bytes()
            if msgspec.json.decode(data, type=FinishedRun).model != digest(job.model):
                return None
            return msgspec.json.decode(data, type=RunResult)
        except (OSError, msgspec.MsgspecError):
            return None

    def keep(self, job: ComparisonJob, result: RunResult) -> None:
        """Write the result of a job."""
        kept = FinishedRun(**msgspec.structs.asdict(result), model=digest(job.model))
        write(self._file(job), msgspec.json.encode(kept))

    def _file(self, job: ComparisonJob) -> Path:
        assert job.ledger is not None
        return self._runs / f"{job.ledger.stem}.json"


def identity(base: ReplayOptions, study: Study) -> bytes:
    """Return the identity of a comparison: its options and the world itself."""
    inputs = {
        **msgspec.to_builtins(base, enc_hook=str),
        "strategy": "",
        "seed": 0,
        "fingerprint": fingerprint(study),
    }
    return msgspec.json.format(msgspec.json.encode(inputs), indent=1)


def fingerprint(study: Study) -> str:
    """Return a digest of a world and of its relevant pages."""
    archive, world = study.archive, blake2b(digest_size=16)
    columns = [getattr(archive, name) for name in COLUMNS] + [archive.book.letters]
    # Scores represent judge, examples and texts, the truth represents labels.
    columns += [np.array(archive.seeds), np.array(sorted(study.truth or ()))]
    columns += [] if study.scores is None else [study.scores]
    for column in columns:
        world.update(f"{column.shape}".encode() + column.tobytes())
    return world.hexdigest()


def digest(model: Model | None) -> str:
    """Return a digest of a model, "" for none."""
    if model is None:
        return ""
    hashed = blake2b(msgspec.json.encode(dict(model.facts), order="sorted"), digest_size=16)
    for name, array in sorted(model.arrays.items()):
        hashed.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return hashed.hexdigest()

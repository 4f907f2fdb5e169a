"""Runs on Ray, on a cluster or on this machine.

The inputs of a run are sent with it: the judge, the target, the model that its strategy names, and
the code of strategies and judges in files of the user's.  Only the world is opened on the node.  A
ledger is written there too, and sent back complete, so nodes need to share nothing but the folder
of the world.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import secrets
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from foragers.core.files import write
from foragers.core.models import Model
from foragers.core.options import ReplayOptions
from foragers.core.plugins.loading import Given, is_place, with_code
from foragers.core.protocols import Judge
from foragers.errors import UsageError
from foragers.evaluation.comparison.folder import fingerprint
from foragers.evaluation.comparison.result import RunResult
from foragers.evaluation.comparison.run import perform
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.comparison.workers import OPEN, ComparisonJob
from foragers.judges.function import FunctionJudge
from foragers.judges.novelty import Novelty
from foragers.strategies.registry import with_class
from foragers.version import __version__

LOCAL = "local"
"""The value of `--ray` for a Ray of our own on this machine."""
RUNNING = "auto"
"""The value of `--ray` for a cluster that this machine is part of."""
MANY = 1000
"""The default number of runs that wait at a cluster at once."""
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_IGNORE_UNHANDLED_ERRORS": "1"}
PATIENCE, GRACE = 5.0, 1.0


@dataclass(frozen=True)
class Luggage:
    """The inputs that all runs share, packed, with the version of foragers and the world."""

    study: bytes
    world: str
    version: str


def check(address: str, option: str = "--ray") -> None:
    """Raise a UsageError now, before long work, if there is no Ray, or none at an address."""
    if find_spec("ray") is None:
        raise UsageError(f"{option} needs Ray; pip install 'foragers[ray]'")
    if address in (LOCAL, RUNNING):
        return
    remedy = (
        f"give HOST:PORT of a cluster's head, {RUNNING!r} for one that runs on this machine,"
        " or nothing to start one"
    )
    match = re.fullmatch(r"(?:ray://)?([^\s/@]+):(\d{1,5})", address)
    if not match:
        raise UsageError(f"{option} {address}: no address of a cluster; {remedy}")
    try:
        socket.create_connection((match[1].strip("[]"), int(match[2])), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"{option} {address}: nothing answers there ({error}); {remedy}"
        ) from error


def perform_on_ray(
    jobs: Sequence[ComparisonJob], studies: Sequence[Study], address: str, at_once: int
) -> Iterator[tuple[ComparisonJob, RunResult]]:
    """Yield each job with its result as they finish, with at most some at once."""
    if not jobs:
        return
    check(address)
    runs = [replace(job.run, strategy=with_class(job.run.strategy)) for job in jobs]
    jobs = [replace(job, run=run) for job, run in zip(jobs, runs, strict=True)]
    studies = [replace(study, judge=with_function(study.judge)) for study in studies]
    with with_code(code_in(jobs, studies)), connected(address, at_once):
        import ray
        from ray.exceptions import RayError, RayTaskError

        task, packed = ray.remote(carry_out), [ray.put(luggage_of(study)) for study in studies]
        once = {id(job.model): job.model for job in jobs}
        models = {key: ray.put(model) for key, model in once.items()}
        waiting = list(reversed(jobs))
        running: dict[object, ComparisonJob] = {}
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    job = waiting.pop()
                    keep = job.ledger is not None
                    arguments = job.run, packed[job.task], models[id(job.model)], keep
                    running[task.remote(*arguments)] = job
                ready, _ = ray.wait(list(running))
                for done in ready:
                    result, ledger = ray.get(done)
                    job = running.pop(done)
                    if job.ledger is not None:
                        write(job.ledger, ledger)
                    yield job, result
        except RayTaskError as error:
            raise error.cause from error
        except RayError as error:
            reason = str(error).partition("\n")[0]
            raise UsageError(f"Ray gave up ({reason}); the same command resumes it") from error
        finally:
            call_off(list(running))


def with_function(judge: Judge) -> Judge:
    """Return a judge that carries along a function which is named by module or file."""
    if isinstance(judge, Novelty) and judge.topic is not None:
        return replace(judge, topic=with_function(judge.topic))
    if not isinstance(judge, FunctionJudge) or not is_place(judge.name):
        return judge
    return replace(judge, function=Given(judge.name, judge.resolved))


def code_in(jobs: Sequence[ComparisonJob], studies: Sequence[Study]) -> list[object]:
    """Return the classes, objects and functions of the user's that are sent along."""
    judges = [study.judge for study in studies]
    topics = [judge.topic if isinstance(judge, Novelty) else judge for judge in judges]
    functions = [topic.function for topic in topics if isinstance(topic, FunctionJudge)]
    named = (*(job.run.strategy for job in jobs), *functions)
    return [given.thing for given in named if isinstance(given, Given)]


def luggage_of(study: Study) -> Luggage:
    """Pack the inputs that all runs of a task share."""
    return Luggage(pickle.dumps(study), fingerprint(study), __version__)


def call_off(running: list[object]) -> None:
    """Stop the runs on all nodes, and let them clean up."""
    import ray

    if not running:
        return
    # Ray ends the whole program if a task ends at the moment it is cancelled: short ones end first.
    _, left = ray.wait(running, num_returns=len(running), timeout=GRACE)
    for task in left:
        ray.cancel(task)
    if left:
        ray.wait(left, num_returns=len(left), timeout=PATIENCE)


def carry_out(
    run: ReplayOptions, luggage: Luggage, model: Model | None, keep: bool
) -> tuple[RunResult, bytes]:
    """Do one run on a node; return its result and, if wanted, its ledger."""
    study = unpacked(luggage)
    with TemporaryDirectory(prefix="foragers-") as folder:
        file = Path(folder) / "ledger.sqlite"
        result = perform(run, study, file if keep else ":memory:", model)
        return result, file.read_bytes() if keep else b""


@lru_cache(maxsize=OPEN)
def unpacked(luggage: Luggage) -> Study:
    """Open on a node the inputs that all runs share, if its world is the same."""
    node = f"Ray node {socket.gethostname()}"
    if luggage.version != __version__:
        raise UsageError(
            f"{node} has foragers {__version__}, not {luggage.version}; install the same everywhere"
        )
    shared = "the world's folder must be on a path that all nodes share"
    try:
        study: Study = pickle.loads(luggage.study)
    except UsageError as error:
        raise UsageError(f"{node}: {error}; {shared}") from error
    if fingerprint(study) != luggage.world:
        raise UsageError(f"{node}: {study.archive.path} is another world there; {shared}")
    return study


@cache
def secret() -> str:
    """Return the token of our own Ray: one per process, since Ray reads it once per process."""
    return secrets.token_hex(32)


@contextmanager
def connected(address: str, at_once: int, option: str = "--ray") -> Iterator[None]:
    """Connect to Ray; one of our own is stopped at the end, and leaves nothing behind."""
    os.environ.update(QUIET)
    if address == LOCAL:
        # Its ports are open to the network: without a secret anyone could run code here.
        os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secret()})
    import ray

    if ray.is_initialized():
        yield
        return
    # Ray replaces our handler of the signal to end.
    ending = signal.getsignal(signal.SIGTERM)
    with TemporaryDirectory(prefix="foragers-ray-", ignore_cleanup_errors=True) as folder:
        try:
            connect(address, at_once, folder, option)
            signal.signal(signal.SIGTERM, ending)
            yield
        finally:
            ray.shutdown()
            signal.signal(signal.SIGTERM, ending)


def connect(address: str, at_once: int, folder: str, option: str) -> None:
    """Start a Ray that keeps its files in a folder, or connect to a running one."""
    import ray

    own = {"num_cpus": at_once, "include_dashboard": False, "_temp_dir": folder}
    given = own if address == LOCAL else {}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **given)
    except Exception as error:  # any error of Ray at its start, which is not ours to fix
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(f"{option} {address}: {reason or type(error).__name__}") from error
    except SystemExit as error:
        # The error of Ray when something else than a cluster answers.
        raise UsageError(f"{option} {address}: no Ray cluster answers there") from error

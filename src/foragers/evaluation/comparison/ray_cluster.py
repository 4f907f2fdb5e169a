"""Runs side by side on Ray, on a cluster or on this machine.

What a run needs goes with it: the judge, what is wanted, and the model that its strategy
names, which is read where the command is given.  Only the world is opened where
the run is done.  A ledger is written there too, and sent back whole, so nodes need to share
nothing but the folder of the world.
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
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from foragers.core.files import write
from foragers.core.models import Model
from foragers.core.options import ReplayOptions
from foragers.errors import UsageError
from foragers.evaluation.comparison.folder import fingerprint
from foragers.evaluation.comparison.result import RunResult
from foragers.evaluation.comparison.run import perform
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.comparison.workers import OPEN, ComparisonJob
from foragers.version import __version__

LOCAL = "local"
"""The address that stands for a Ray of our own on this machine."""
RUNNING = "auto"
"""The address that stands for a cluster that this machine is part of."""
MANY = 1000
"""So many runs wait at a cluster at once, if the user does not say otherwise."""
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_IGNORE_UNHANDLED_ERRORS": "1"}
PATIENCE, GRACE = 5.0, 1.0


@dataclass(frozen=True)
class Luggage:
    """What all runs share, packed; with which foragers, and what the world is like here."""

    study: bytes
    world: str
    version: str


def check(address: str) -> None:
    """Say now, before long work, if there is no Ray, or none at an address."""
    if find_spec("ray") is None:
        raise UsageError("--ray needs Ray; pip install 'foragers[ray]'")
    if address in (LOCAL, RUNNING):
        return
    remedy = (
        f"give HOST:PORT of a cluster's head, {RUNNING!r} for one that runs on this machine,"
        " or nothing to start one"
    )
    place = re.fullmatch(r"(?:ray://)?([^\s/@]+):(\d{1,5})", address)
    if not place:
        raise UsageError(f"--ray {address}: no address of a cluster; {remedy}")
    try:
        socket.create_connection((place[1].strip("[]"), int(place[2])), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise UsageError(f"--ray {address}: nothing answers there ({error}); {remedy}") from error


def perform_on_ray(
    jobs: Sequence[ComparisonJob], studies: Sequence[Study], address: str, at_once: int
) -> Iterator[tuple[ComparisonJob, RunResult]]:
    """Give each job with its result, as they are done; at most so many at once."""
    if not jobs:
        return
    check(address)
    luggage = [Luggage(pickle.dumps(study), fingerprint(study), __version__) for study in studies]
    with connected(address, at_once):
        import ray
        from ray.exceptions import RayError, RayTaskError

        task, packed = ray.remote(carry_out), [ray.put(study) for study in luggage]
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


def call_off(running: list[object]) -> None:
    """Let nodes stop what they are doing, and tidy up behind themselves."""
    import ray

    if not running:
        return
    # Ray ends the whole program if a task is done in the moment it is cancelled: short ones end.
    _, left = ray.wait(running, num_returns=len(running), timeout=GRACE)
    for task in left:
        ray.cancel(task)
    if left:
        ray.wait(left, num_returns=len(left), timeout=PATIENCE)


def carry_out(
    run: ReplayOptions, luggage: Luggage, model: Model | None, keep: bool
) -> tuple[RunResult, bytes]:
    """Do one run on a node; return what came of it and, if wanted, its ledger."""
    study = unpacked(luggage)
    with TemporaryDirectory(prefix="foragers-") as folder:
        file = Path(folder) / "ledger.sqlite"
        result = perform(run, study, file if keep else ":memory:", model)
        return result, file.read_bytes() if keep else b""


@lru_cache(maxsize=OPEN)
def unpacked(luggage: Luggage) -> Study:
    """Open on a node what all runs share, if it is there and the same."""
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


@contextmanager
def connected(address: str, at_once: int) -> Iterator[None]:
    """Be connected to Ray; one of our own is ended, and leaves nothing behind."""
    os.environ.update(QUIET)
    if address == LOCAL:
        # Its ports are open to the network: without a secret anyone could run anything here.
        os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)})
    import ray

    if ray.is_initialized():
        yield
        return
    # Ray puts its own answer to being told to end in the place of ours.
    ending = signal.getsignal(signal.SIGTERM)
    with TemporaryDirectory(prefix="foragers-ray-", ignore_cleanup_errors=True) as folder:
        try:
            connect(address, at_once, folder)
            signal.signal(signal.SIGTERM, ending)
            yield
        finally:
            ray.shutdown()
            signal.signal(signal.SIGTERM, ending)


def connect(address: str, at_once: int, folder: str) -> None:
    """Start a Ray that keeps what it needs in a folder, or connect to one that runs."""
    import ray

    own = {"num_cpus": at_once, "include_dashboard": False, "_temp_dir": folder}
    given = own if address == LOCAL else {}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **given)
    except Exception as error:  # whatever keeps Ray from starting, which is not ours to mend
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(f"--ray {address}: {reason or type(error).__name__}") from error
    except SystemExit as error:
        # What Ray does when somebody answers who is no cluster.
        raise UsageError(f"--ray {address}: no Ray cluster answers there") from error

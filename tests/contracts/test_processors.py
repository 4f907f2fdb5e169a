"""The same seed, world and strategy give the same ledger, byte for byte, on any processor.

Other processors are played by this one: numpy, BLAS and the C library are told to do without some
of its instructions, and the last one does without our compiled modules.  `every_decision` runs
under each setting, in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from foragers.compiled import PURE
from foragers.worlds.archive import Archive
from foragers.worlds.export import export_warc
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import import_world
from foragers.worlds.labels import read_labels

SHARED = Path(os.environ.get("FORAGERS_SHARED", Path(__file__).resolve().parents[3] / "shared"))
DECISIONS = Path(__file__).with_name("every_decision.py")
OLD_LIBM = ",".join(f"-{name}" for name in ("AVX2", "FMA", "FMA4", "AVX512F", "AVX2_Usable"))
Told = dict[str, Any]


def dispatched() -> list[str]:
    """Return the instructions that numpy would use here, and can do without."""
    inner = import_module("numpy._core._multiarray_umath")
    return [name for name in inner.__cpu_dispatch__ if inner.__cpu_features__[name]]


def settings() -> dict[str, dict[str, str]]:
    """Return processors by name, as variables of the environment."""
    wide = [name for name in dispatched() if "512" in name or "V4" in name]
    return {
        "as it is": {"PYTHONHASHSEED": "1"},
        "without AVX-512": {
            "NPY_DISABLE_CPU_FEATURES": " ".join(wide),
            "OPENBLAS_CORETYPE": "Haswell",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONHASHSEED": "2",
        },
        "without AVX2 and FMA": {
            "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched()),
            "OPENBLAS_CORETYPE": "Nehalem",
            "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={OLD_LIBM}",
            "PYTHONHASHSEED": "3",
        },
        "without compiled modules": {PURE: "1", "PYTHONHASHSEED": "4"},
    }


def recorded_world(folder: Path) -> Path:
    """Import a recording: of a real web where there is one, else of a generated one."""
    warc, labels = SHARED / "worlds/washington.warc.gz", SHARED / "worlds/washington.labels.jsonl"
    if not warc.exists():
        warc, labels = folder / "web.warc.gz", folder / "web.labels.jsonl"
        export_warc(generate("departments", seed=1, pages=400), warc)

    def labelled(archive: Archive) -> Archive:
        archive.labels = read_labels(labels, archive.book)
        return archive

    import_world(folder / "recorded", [warc], finish=labelled)
    return folder / "recorded"


def run(world: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Decide everything under a setting."""
    known = {key: value for key, value in os.environ.items() if not key.startswith("NPY_")}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", str(DECISIONS), str(world)],
        env={**known, **{key: value for key, value in environment.items() if value}},
        stdout=subprocess.PIPE,
        text=True,
    )


def not_told_apart(name: str, setting: dict[str, str], told: Told, usual: Told) -> list[str]:
    """Return what a setting should have changed, and could not on this machine."""
    if "NPY_DISABLE_CPU_FEATURES" not in setting:
        return []
    disabled = set(setting["NPY_DISABLE_CPU_FEATURES"].split())
    assert not disabled & set(told["features"]), f"{name}: numpy did not do as it was told"
    same = {"numpy": told["numpy"] == usual["numpy"], "BLAS": told["products"] == usual["products"]}
    if "GLIBC_TUNABLES" in setting:
        same["the C library"] = told["libm"] == usual["libm"]
    return [f"{part} {name}" for part, is_same in same.items() if is_same]


@pytest.mark.timeout(1200)  # four processes of ten seconds, on a machine that may be busy
def test_every_decision_is_the_same_on_every_processor(tmp_path: Path) -> None:
    world = recorded_world(tmp_path)
    running = {name: run(world, setting) for name, setting in settings().items()}
    said = {name: one.communicate()[0] for name, one in running.items()}
    assert not any(one.returncode for one in running.values())
    told: dict[str, Told] = {name: json.loads(text) for name, text in said.items()}
    usual = told.pop("as it is")
    assert len(usual["decisions"]) > 200
    differing = {
        f"{what} ({name})"
        for name, other in told.items()
        for what, found in usual["decisions"].items()
        if other["decisions"].get(what) != found
    }
    assert not differing
    alike = [
        part
        for name, other in told.items()
        for part in not_told_apart(name, settings()[name], other["processor"], usual["processor"])
    ]
    if alike:
        pytest.skip(f"nothing differed, but this machine computes alike: {', '.join(alike)}")

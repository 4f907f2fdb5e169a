"""Scrapy's own tests of schedulers, priority queues and add-ons, with our scheduler in place.

    python -m benchmarks.scrapy_suite [FOLDER]

FOLDER holds the unpacked source package of the installed Scrapy; without it, pip downloads the
package to a temporary folder.  The tests need pytest-asyncio, pytest-twisted, testfixtures,
pexpect and pyftpdlib.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

SUITES = ("scheduler", "scheduler_base", "pqueues", "addons")
IN_PLACE = """
import sys
import pytest
import scrapy.core.scheduler
from foragers.scrapy import Scheduler
scrapy.core.scheduler.Scheduler = Scheduler
sys.exit(pytest.main(sys.argv[1:]))
"""


def fetched(folder: Path) -> Path:
    """Download and unpack the source package of the installed Scrapy."""
    release = f"scrapy=={version('scrapy')}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-binary", ":all:", release, "--dest", str(folder)], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def run(source: Path) -> int:
    """Run the tests of a source package; return the exit code of pytest."""
    options = ["-q", "-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function"]
    suites = [f"tests/test_{name}.py" for name in SUITES]
    command = [sys.executable, "-c", IN_PLACE, *options, *suites]
    return subprocess.run(command, cwd=source, check=False).returncode


def main() -> int:
    """Run the tests of a folder, or of a download."""
    if len(sys.argv) > 1:
        return run(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        return run(fetched(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())

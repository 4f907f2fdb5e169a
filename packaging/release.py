"""A release, tried but not published: `make release`.

Builds wheel and source distribution, installs each into an empty virtual environment of every
Python that we claim and that is installed here, runs the demo there, and says what is missing for a
release.  Nothing is tagged or sent anywhere; the commands for that are printed at the end.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
VERSION = re.search(
    r'__version__ = "(.+)"', (ROOT / "src/foragers/version.py").read_text(encoding="utf-8")
)


def main() -> int:
    """Try a release, and return 1 if something is missing for one."""
    assert VERSION is not None
    version = VERSION[1]
    with tempfile.TemporaryDirectory(prefix="foragers-release-") as folder:
        files = built(Path(folder) / "dist")
        here = {python: program for python in PYTHONS if (program := found(python))}
        for number, (python, program) in enumerate(here.items()):
            # The source distribution becomes the same wheel everywhere, so it is tried once.
            for file in files if number == 0 else [one for one in files if one.suffix == ".whl"]:
                tried(file, program, Path(folder) / f"{python}{file.suffix}", version)
        for python in sorted(set(PYTHONS) - set(here)):
            print(f"release: no Python {python} here; not tried")
        shutil.copytree(Path(folder) / "dist", ROOT / "dist", dirs_exist_ok=True)
    missing = list(missing_for(version))
    for line in missing:
        print(f"release: {line}")
    print(f"release: dist/ has {', '.join(file.name for file in files)}.  To publish {version}:")
    print(f"  git tag v{version} && git push origin v{version}")
    print("  python -m twine upload dist/*")
    return 1 if missing else 0


def built(out: Path) -> list[Path]:
    """Build the distributions from the files that git knows, not from what lies around."""
    source = out.parent / "source"
    names = run("git", "ls-files", cwd=ROOT).splitlines()
    for name in names:
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    run(sys.executable, "-m", "build", "--outdir", str(out), str(source))
    return sorted(out.iterdir())


def found(version: str) -> str | None:
    """Return a Python of this version, from the path or from pyenv."""
    candidates = [
        shutil.which(f"python{version}") or "",
        *map(str, sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
    ]
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    for program in filter(None, candidates):
        said = subprocess.run([program, "-c", question], capture_output=True, text=True)
        if said.stdout.strip() == version:
            return program
    return None


def tried(file: Path, python: str, folder: Path, version: str) -> None:
    """Install a distribution into an empty environment, and run the demo there."""
    run(python, "-m", "venv", str(folder))
    run(str(folder / "bin/python"), "-m", "pip", "install", "--quiet", str(file))
    program = str(folder / "bin/foragers")
    assert run(program, "--version", cwd=folder).strip() == f"foragers {version}"
    said = run(program, "demo", "--out", str(folder / "demo"), cwd=folder)
    assert "auto" in said, said
    print(f"release: {file.name} installs on {python} and runs the demo")


def missing_for(version: str) -> Iterator[str]:
    """Say what a release of this version still lacks."""
    if run("git", "status", "--porcelain", cwd=ROOT).strip():
        yield "there are changes that are not committed"
    if f"\n## {version}" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no section '## {version}'"
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff does not name version {version}"
    tagged = run("git", "tag", "--points-at", "HEAD", cwd=ROOT).split()
    if run("git", "tag", "--list", f"v{version}", cwd=ROOT).strip() and f"v{version}" not in tagged:
        yield f"the tag v{version} is on another commit; raise it in src/foragers/version.py"


def run(*command: str, cwd: Path | None = None) -> str:
    """Run a program outside this environment, and return its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ended = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"release: {' '.join(command)} failed:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main())

"""A release, tried but not published: `make release`.

Builds the source distribution.  With every Python that we claim and that is installed here, makes a
wheel of it with all compiled parts, installs that into an empty virtual environment, and runs the
demo there.  Makes the wheel without compiled parts, for machines that have no other.  Lets
auditwheel say on which systems a wheel runs.  Then says what is missing for a release.  Nothing is
tagged or sent anywhere.

`--tag vVERSION` only checks that a tag names this version; the release workflow begins with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
VERSION = re.search(
    r'__version__ = "(.+)"', (ROOT / "src/foragers/version.py").read_text(encoding="utf-8")
)


def main(arguments: Sequence[str]) -> int:
    """Try a release, and return 1 if something is missing for one."""
    assert VERSION is not None
    version = VERSION[1]
    if arguments:
        return checked_tag(arguments, version)
    with tempfile.TemporaryDirectory(prefix="foragers-release-") as folder:
        out = Path(folder) / "dist"
        source = built(out)
        for python in PYTHONS:
            if program := found(python):
                tried(source, program, Path(folder) / python, version)
            else:
                print(f"release: no Python {python} here; not tried")
        pure(source, Path(folder) / "pure")
        for wheel in sorted(out.glob("*-linux_*.whl")):
            print(f"release: {wheel.name} runs on {platform_of(wheel)}")
            wheel.unlink()  # those to be published are built in an older system
        shutil.copytree(out, ROOT / "dist", dirs_exist_ok=True)
    missing = list(missing_for(version))
    for line in missing:
        print(f"release: {line}")
    print(f"release: the files are in dist/.  To publish {version}:")
    print(f"  git tag v{version} && git push origin v{version}   # .github/workflows/release.yml")
    return 1 if missing else 0


def checked_tag(arguments: Sequence[str], version: str) -> int:
    """Return 1 if a tag does not name the version of the source, or something is missing."""
    given = arguments[1] if len(arguments) == 2 and arguments[0] == "--tag" else ""
    if given != f"v{version}":
        print(f"release: the tag {given or '(none)'} is not v{version} of src/foragers/version.py")
        return 1
    missing = list(missing_for(version))
    for line in missing:
        print(f"release: {line}")
    return 1 if missing else 0


def built(out: Path) -> Path:
    """Build the source distribution from the files that git knows, not from what lies around."""
    source = out.parent / "source"
    for name in run("git", "ls-files", cwd=ROOT).splitlines():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", str(out), str(source))
    return next(out.glob("*.tar.gz"))


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


def tried(source: Path, python: str, folder: Path, version: str) -> None:
    """Make a wheel of the source, install it into an empty environment, and run the demo there."""
    run(python, "-m", "venv", str(folder))
    pip = (str(folder / "bin/python"), "-m", "pip")
    run(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder / "wheel"), str(source))
    wheel = next((folder / "wheel").iterdir())
    assert not (lacking := uncompiled(wheel)), f"{wheel.name} lacks {', '.join(lacking)}"
    run(*pip, "install", "--quiet", str(wheel))
    program = str(folder / "bin/foragers")
    assert run(program, "--version", cwd=folder).strip() == f"foragers {version}"
    said = run(program, "demo", "--out", str(folder / "demo"), cwd=folder)
    assert "auto" in said, said
    shutil.copy(wheel, source.parent)
    print(f"release: {wheel.name} is made of {source.name}, installs, and runs the demo")


def uncompiled(wheel: Path) -> list[str]:
    """Return the modules that a compiler should have added to a wheel and did not."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition(".")[0] for name in archive.namelist() if name.endswith(".so")}
    sources = (path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("_*.c"))
    return sorted({path.with_suffix("").as_posix() for path in sources} - names)


def pure(source: Path, folder: Path) -> None:
    """Make the wheel without compiled parts, and run it."""
    run(sys.executable, "-m", "venv", str(folder))
    pip = (str(folder / "bin/python"), "-m", "pip")
    wheels = ("--wheel-dir", str(folder / "wheel"), str(source))
    run(*pip, "wheel", "--quiet", "--no-deps", *wheels, FORAGERS_PURE="1")
    (wheel,) = (folder / "wheel").glob("*-py3-none-any.whl")
    run(*pip, "install", "--quiet", str(wheel))
    said = run(str(folder / "bin/foragers"), "demo", "--out", str(folder / "demo"), cwd=folder)
    assert "auto" in said, said
    shutil.copy(wheel, source.parent)
    print(f"release: {wheel.name} has no compiled parts, installs, and runs the demo")


def platform_of(wheel: Path) -> str:
    """Return the systems that a wheel runs on, as auditwheel sees it."""
    if find_spec("auditwheel") is None:
        return "an unknown system: pip install auditwheel"
    said = run(sys.executable, "-m", "auditwheel", "show", str(wheel))
    named = re.search(r'platform\s+tag:\s+"([^"]+)"', said)
    assert named is not None, said
    return named[1]


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


def run(*command: str, cwd: Path | None = None, **more: str) -> str:
    """Run a program outside this environment, with more variables, and return its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ended = subprocess.run(command, cwd=cwd, env={**kept, **more}, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"release: {' '.join(command)} failed:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Builds the compiled parts of Foragers: each file src/**/_NAME.c is the extension of that name.

Files src/**/_NAME.h have what several of them share.

All of them are optional.  Without a compiler, or without the headers of Python, the build goes on
without them, and their twins in Python do the work with the same results.  With FORAGERS_PURE=1
none is built, and the wheel is for any machine.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

PURE = os.environ.get("FORAGERS_PURE") == "1"
HEADERS = sorted(path.as_posix() for path in Path("src").rglob("_*.h"))
SOURCES = [] if PURE else sorted(Path("src").rglob("_*.c"))
# A product and a sum are never joined into one rounding: results are the same on any processor.
FLAGS = ["-O2", "-ffp-contract=off", "-fno-fast-math"]


def extension(source: Path) -> Extension:
    """Return the extension module that a C file makes."""
    name = ".".join(source.with_suffix("").parts[1:])
    files = [source.as_posix()]
    return Extension(name, files, depends=HEADERS, extra_compile_args=FLAGS, optional=True)


setup(ext_modules=[extension(source) for source in SOURCES])

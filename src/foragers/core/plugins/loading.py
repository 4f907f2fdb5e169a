"""Code of the user's: a strategy or a judge given as an object, by module, by file or by name.

Options are text, so that they can be written into a crawl's folder.  `Given` is such a text
that carries the object it names; it goes to worker processes and to Ray with it.
"""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from foragers.errors import UsageError


class Given(str):
    """The name of an object of the user's, together with the object."""

    __slots__ = ("thing",)
    thing: Any

    def __new__(cls, name: str, thing: object) -> Given:
        """Name an object."""
        self = super().__new__(cls, name)
        self.thing = thing
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked, (str(self), packed(self.thing))

    def __deepcopy__(self, _memo: object) -> Given:
        return self


def packed(thing: object) -> bytes:
    """Pickle an object; one that another process cannot import is pickled with its code."""
    cloudpickle = import_module("cloudpickle")
    module = module_of(thing)
    if module != "__main__" and module not in cloudpickle.list_registry_pickle_by_value():
        try:
            return pickle.dumps(thing)
        except (pickle.PicklingError, AttributeError, TypeError):
            pass
    by_value: bytes = cloudpickle.dumps(thing)
    return by_value


def module_of(thing: Any) -> str:
    """Return the name of the module of an object, its class, or a function."""
    kind = thing if isinstance(thing, type) or hasattr(thing, "__qualname__") else type(thing)
    return str(kind.__module__)


@contextmanager
def with_code(things: Iterable[object]) -> Iterator[None]:
    """Pickle the user's code along with objects meanwhile, for machines that do not have it.

    That is the code of files that were named by path, of a script, and of modules in the current
    folder, each with the modules beside it.  Packages must be installed there.
    """
    cloudpickle = import_module("cloudpickle")
    folders = {folder_of(name) for name in map(module_of, things) if is_local(name)} - {None}
    done = {"__main__", *cloudpickle.list_registry_pickle_by_value()}
    local = [
        module
        for name, module in list(sys.modules.items())
        if name not in done and folder_of(name) in folders
    ]
    for module in local:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in local:
            cloudpickle.unregister_pickle_by_value(module)


def is_local(module: str) -> bool:
    """Say whether a module is a file of the user's, and not of an installed package."""
    here = (Path.cwd(), Path(sys.path[0] or ".").resolve())
    return module == "__main__" or module in FILES or folder_of(module) in here


def folder_of(module: str) -> Path | None:
    """Return the folder of a module; None for one without a file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else Path(file).resolve().parent


def unpacked(name: str, thing: bytes) -> Given:
    """Return a `Given` in another process."""
    return Given(name, pickle.loads(thing))


def name_of(thing: Any) -> str:
    """Return `module:Class` for an object, its class, or a function."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    file = file_of(named.__module__)
    return f"{file or named.__module__}:{named.__qualname__}"


def is_place(name: str) -> bool:
    """Return whether a name is `module:Name` or `path.py:Name`, so that using it runs that code."""
    return ":" in name


def load_place(place: str, option: str, what: str) -> Any:
    """Import what `module:Name` or `path.py:Name` names; `option` is the option of the user."""
    source, _, name = place.rpartition(":")
    if not source or not name:
        raise UsageError(f"{option} {place}: write it as module:{what} or path.py:{what}")
    module = (
        load_file(Path(source), option)
        if is_file(source)
        else load_module(source, f"{option} {place}")
    )
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise UsageError(f"{option} {place}: {source} has no {what.lower()} {name}")
    return found


def is_file(source: str) -> bool:
    """Return whether a source is the path of a file and not the name of a module."""
    return source.endswith(".py") or "/" in source


def load_module(name: str, given: str) -> ModuleType:
    """Import a module, also from the current folder; `given` is the text of the user."""
    # A program that is started by its name does not look for modules there.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # whatever a module does when it is imported
        raise UsageError(
            f"{given}: cannot import {name} ({in_one_line(error)}{where(error, '')});"
            " run where the module is, or install it"
        ) from error


FILES: dict[str, str] = {}
"""The modules that were loaded from files, and the files."""


def load_file(path: Path, option: str) -> ModuleType:
    """Load a file as a module; the same file is loaded once."""
    place = path.expanduser().resolve()
    if not place.is_file():
        raise UsageError(f"{option} {path}: there is no such file")
    digest = blake2b(str(place).encode(), digest_size=6).hexdigest()
    name = f"foragers_file_{place.stem}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise UsageError(f"{option} {path}: not a Python file; name one that ends in .py")
    # A script finds the modules beside it, and so does this file.
    if str(place.parent) not in sys.path:
        sys.path.append(str(place.parent))
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for their module
    FILES[name] = str(path)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the file does when it is loaded
        del sys.modules[name]
        raise UsageError(
            f"{option} {path}: cannot be loaded ({in_one_line(error)}{where(error, str(place))});"
            " mend the file"
        ) from error
    return module


def file_of(module: str) -> str:
    """Return the file from which a module was loaded by its path; empty for other modules."""
    return FILES.get(module, "")


def where(error: BaseException, file: str) -> str:
    """Return `, line N` or `, FILE line N`: the last line of a file that led to an error."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        other = "" if error.filename in (None, file) else f"{error.filename} "
        return f", {other}line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file]
    if own:
        return f", line {own[-1].lineno}"
    machinery = ("<", __file__, import_module.__code__.co_filename)
    others = [frame for frame in frames if not frame.filename.startswith(machinery)]
    last = others[-1] if others and not file else None
    if last is None:
        return ""
    return f", {last.filename} line {last.lineno}"


def place_of(kind: type, error: BaseException | None = None) -> str:
    """Return the file and line of a class, or the line in its file that led to an error."""
    try:
        file, first = inspect.getsourcefile(kind) or "", inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return f"{kind.__module__}:{kind.__qualname__}"
    return f"{file}{(where(error, file) if error and file else '') or f', line {first}'}"


def needed(package: str, what: str, pip: str = "") -> Any:
    """Import an optional package; a UsageError says what needs it and how to get it.

    `pip` is its name for pip, if that is another.
    """
    if find_spec(package) is None:
        raise UsageError(f"{what} needs {pip or package}: pip install {pip or package}")
    return import_module(package)


def installed(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of other installed packages, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def load_entry(entry: EntryPoint, option: str) -> Any:
    """Load an entry point of another package."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:  # whatever that package does
        package = entry.dist.name if entry.dist else "a package"
        raise UsageError(
            f"{option} {entry.name}: {package} offers {entry.value}, which cannot be loaded"
            f" ({in_one_line(error)}); upgrade or remove it"
        ) from error


def in_one_line(error: BaseException) -> str:
    """Return the kind and the message of an error in one line."""
    said = error.msg if isinstance(error, SyntaxError) else error
    return " ".join(f"{type(error).__name__}: {said}".split()).removesuffix(":")

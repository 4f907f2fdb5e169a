"""The rules of the house: which way imports point, how long things get, what they are called."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from foragers.strategies.registry import DECLARED, STRATEGIES
from support.modules import FILES, MODULES, ROOT, imports_of, lines_in, nodes_at_run_time, tree_of

PROSE = sorted(
    [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "examples").rglob("*.*")]
)

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

PURE = (
    *("core.loop", "core.pace", "evaluation.graph", "evaluation.metrics", "filters", "frontier"),
    *("judges", "strategies", "text"),
)
"""The parts that decide and measure: they do not reach out, and know no time but the world's."""

OUTSIDE = {
    "asyncio",
    "http",
    "multiprocessing",
    "ray",
    "selectors",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "threading",
    "time",
    "urllib.request",
}
CLOCKS = {"now", "utcnow", "today"}
EMPTY_WORDS = {
    "manager",
    "handler",
    "helper",
    "helpers",
    "util",
    "utils",
    "base",
    "abstract",
    "impl",
}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
MACHINE_PATH = re.compile(
    r"(?<![\w.:/~-])/(?:work|root|home|tmp|Users|mnt|var/folders)(?:/|\b(?!\w))"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def with_parents(name: str) -> Iterator[str]:
    """Return a dotted name and those of the packages around it."""
    while name:
        yield name
        name = name.rpartition(".")[0]


@cache
def reached_from(module: str) -> dict[str, str]:
    """Return every module of ours that importing one brings in, each with who imports it."""
    found = {module: module}
    waiting = [module]
    while waiting:
        here = waiting.pop()
        for name in sorted(imports_of(here, lazy=False)):
            for part in with_parents(name):
                if part in MODULES and part not in found:
                    found[part] = here
                    waiting.append(part)
    return found


PURE_MODULES = [
    name for name in MODULES if any(f"{name}.".startswith(f"foragers.{part}.") for part in PURE)
]


def broken(offences: Iterable[str]) -> str:
    """Return what breaks a rule, one offence a line; nothing if all is well."""
    return "\n".join(offences)


def test_all_offences_are_told_at_once() -> None:
    assert broken(["a is long", "b is long"]) == "a is long\nb is long"
    assert not broken([])


def brought_in(module: str) -> Iterator[str]:
    """Say what a module reaches outside, and through which import."""
    for inner, importer in reached_from(module).items():
        outside = {
            part for name in imports_of(inner, lazy=False) for part in with_parents(name)
        } & OUTSIDE
        if outside:
            told = ", ".join(sorted(outside))
            yield f"{module} brings in {told} through {inner}, which {importer} imports"


def test_pure_modules_reach_nothing_outside() -> None:
    found = broken(chain.from_iterable(map(brought_in, PURE_MODULES)))
    assert not found, found


@cache
def clocks_of(module: str) -> tuple[str, ...]:
    """Return the calls with which a module itself asks for the time."""
    nodes = [
        node
        for node in nodes_at_run_time(tree_of(module), lazy=False)
        if isinstance(node, ast.Attribute)
    ]
    calls = [(ast.unparse(node.value), node.attr) for node in nodes if node.attr in CLOCKS]
    dates = ("datetime", "date")
    return tuple(f"{owner}.{name}" for owner, name in calls if owner.rpartition(".")[2] in dates)


def test_pure_modules_read_no_clock() -> None:
    found = broken(
        f"{inner} calls {call}, and {module} uses it"
        for module in PURE_MODULES
        for inner in reached_from(module)
        for call in clocks_of(inner)
    )
    assert not found, found


def test_pure_modules_are_there() -> None:
    assert len(PURE_MODULES) > 20, "the rules above would hold for nothing"


def test_files_are_short() -> None:
    found = broken(
        f"{module} has {lines_in(module)} lines; split it"
        for module in MODULES
        if lines_in(module) > MAX_FILE_LINES
    )
    assert not found, found


def functions(module: str) -> Iterator[Function]:
    """Return the functions and methods of a module, inner ones too."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length_of(function: Function) -> int:
    """Return how many lines a function has."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_functions_are_short() -> None:
    found = broken(
        f"{module}.{function.name} has {length_of(function)} lines; split it"
        for module in MODULES
        for function in functions(module)
        if length_of(function) > MAX_FUNCTION_LINES
    )
    assert not found, found


def words_of(name: str) -> set[str]:
    """Return the words that a name is made of."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)}


def test_names_are_taken_apart_into_words() -> None:
    assert words_of("BaseURLHandler") == {"base", "url", "handler"}
    assert words_of("string_utils") == {"string", "utils"}
    assert words_of("Database") == {"database"}


def names_in(module: str) -> Iterator[str]:
    """Return the name of a module and those of its classes."""
    yield module.rpartition(".")[2]
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ClassDef):
            yield node.name


def test_names_say_something() -> None:
    found = broken(
        f"'{name}' in {module}: '{', '.join(sorted(words_of(name) & EMPTY_WORDS))}' says nothing"
        for module in MODULES
        for name in names_in(module)
        if words_of(name) & EMPTY_WORDS
    )
    assert not found, found


def public(node: ast.Module | ast.ClassDef, path: str) -> Iterator[tuple[str, ast.AST]]:
    """Return a module or class and all that is public in it, with their names."""
    yield path, node
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            overload = any(ast.unparse(mark).endswith("overload") for mark in child.decorator_list)
            if child.name.startswith("_") or overload:
                continue
            if isinstance(child, ast.ClassDef):
                yield from public(child, f"{path}.{child.name}")
            else:
                yield f"{path}.{child.name}", child


def unexplained(module: str) -> Iterator[str]:
    """Say what in a module has no docstring that begins with a sentence."""
    for name, node in public(tree_of(module), module):
        assert isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        text = ast.get_docstring(node) or ""
        first = text.partition("\n\n")[0].strip()
        if not first:
            yield f"{name} has no docstring"
        elif first[-1] not in ".:?!…)”":
            yield f"the docstring of {name} does not begin with a sentence"


def test_everything_public_says_what_it_means() -> None:
    found = broken(chain.from_iterable(map(unexplained, MODULES)))
    assert not found, found


def test_nothing_is_left_unfinished() -> None:
    texts = {module: file.read_text(encoding="utf-8") for module, file in MODULES.items()}
    said = {module: UNFINISHED.search(text) for module, text in texts.items()}
    found = broken(f"{module} says {word[0]}" for module, word in said.items() if word)
    assert not found, found


def test_no_path_of_one_machine_is_written_down() -> None:
    found = broken(
        f"{file.relative_to(ROOT)}, line {number}: {line.strip()}"
        for file in (*FILES, *PROSE)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if MACHINE_PATH.search(line)
    )
    assert not found, found


def test_paths_of_one_machine_are_recognised() -> None:
    for bad in ("open('/work/x')", "see /home/me", "/root/.cache", "in /tmp/a.txt", "(/tmp)"):
        assert MACHINE_PATH.search(bad), bad
    for good in ("http://a.test/home/", "/homepage", "src/tmp/x", "/workers/", "~/work/x"):
        assert not MACHINE_PATH.search(good), good


def test_every_strategy_has_a_page() -> None:
    pages = [ROOT / "docs" / "strategies" / f"{name}.md" for name in STRATEGIES]
    found = broken(
        f"{page.relative_to(ROOT)} is missing or does not begin with a title"
        for page in pages
        if not page.is_file() or not page.read_text(encoding="utf-8").startswith("# ")
    )
    assert not found, found


def dependencies() -> list[str]:
    """Return the names of all packages that we need, or may need."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    needed = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[\s\[<>=!~;]", text)[0].lower() for text in needed}
    return sorted(names - {project["name"]})


def test_every_dependency_is_explained() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    found = broken(
        f"docs/dependencies.md does not say why we need {name}"
        for name in dependencies()
        if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    )
    assert not found, found


SETTLED = ("strategies", "filters", "fetching")
"""The packages whose numbers are fields of settings classes."""


def is_number(value: ast.expr) -> bool:
    """Say whether an expression is a number other than the codes 0 and -1, or has one in it.

    Versions of file formats, which stand beside a name, are no such numbers.
    """
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        named = any(
            isinstance(part, ast.Constant) and type(part.value) is str for part in value.elts
        )
        return not named and any(is_number(part) for part in value.elts)
    if isinstance(value, ast.Dict):
        return any(is_number(part) for part in value.values)
    try:
        number = eval(compile(ast.Expression(value), "", "eval"), {"__builtins__": {}})
    except Exception:
        return False
    return type(number) in (int, float) and number not in (0, -1)


def test_numbers_are_recognised() -> None:
    for text in ("3", "0.5", "1 << 20", "-2", "24 * 3600.0", "(5, 40)", "{'a': 1.5}"):
        assert is_number(ast.parse(text, mode="eval").body), text
    for text in ("0", "-1", "'a'", "('hmm', 1)", "Settings()", "len(x)", "np.uint64(7)", "True"):
        assert not is_number(ast.parse(text, mode="eval").body), text


UNITS = {"HOUR", "DAY", "RELEVANT"}
"""Numbers that tune nothing: units, and a mark in packed counts."""


def numbers_in(module: str) -> Iterator[str]:
    """Return the constants of a module that are numbers, with the name of the module."""
    for node in tree_of(module).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        if node.value is not None and is_number(node.value):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = ast.unparse(target.elts[0] if isinstance(target, ast.Tuple) else target)
            if name not in UNITS:
                yield f"{module} {name}"


def test_numbers_that_tune_are_fields_of_settings() -> None:
    modules = [name for name in MODULES if name.split(".")[1:2] and name.split(".")[1] in SETTLED]
    constants = {constant for module in modules for constant in numbers_in(module)}
    found = broken(
        f"{constant} is a number; make it a field of a frozen settings class, with its source"
        for constant in sorted(constants)
    )
    assert modules, "the rule would hold for nothing"
    assert not found, found


CAPABILITIES = {*DECLARED, "check", "frontier", "learns", "learned", "explain", "census"}


def test_capabilities_of_strategies_are_derived_in_the_registry_alone() -> None:
    calls = [
        (module, node)
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr")
    ]
    found = broken(
        f"{module}, line {node.lineno}: ask `registry.info` instead of {ast.unparse(node)}"
        for module, node in calls
        if isinstance(node.args[1], ast.Constant) and node.args[1].value in CAPABILITIES
    )
    assert not found, found


OF_LEDGERS = ("crawling", "evaluation", "reports", "storage", "testing")
ROWS = {"row", "visit"}


def test_columns_of_a_row_have_names() -> None:
    parts = [
        (module, node, node.slice.value)
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if module.split(".")[1:2] and module.split(".")[1] in OF_LEDGERS
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    ]
    found = broken(
        f"{module}, line {node.lineno}: name the column instead of {ast.unparse(node)}"
        for module, node, key in parts
        if ast.unparse(node.value) in ROWS and type(key) is int
    )
    assert parts, "the rule would hold for nothing"
    assert not found, found

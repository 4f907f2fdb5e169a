"""What decides is computed alike on every processor: see `foragers.core.exact`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from test_house_rules import broken

from support.modules import MODULES, tree_of

DECIDING = (
    "core.models",
    "core.pace",
    "evaluation.comparison.study",
    "evaluation.metrics.recall",
    "filters.traps",
    "frontier",
    "judges",
    "strategies",
    "text",
    "training",
    "worlds.generated",
)
"""Where numbers become choices, verdicts, models and worlds."""
UNLIKE = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "pow", "power"),
    *("sin", "cos", "tan", "tanh", "sinh", "cosh", "arctan", "float_power", "cbrt", "hypot"),
    *("dot", "vdot", "inner", "matmul", "einsum", "tensordot", "convolve", "correlate", "vecdot"),
    *("linalg", "argpartition", "erf", "gamma", "lgamma", "normal", "lognormal"),
}
"""What numpy, its generators or the C library compute differently on different processors."""
WHOLE_NUMBERS = {
    ("foragers.evaluation.metrics.recall", "**"),
    ("foragers.text.link_text", "convolve"),
    ("foragers.training.link_examples", "@"),
    ("foragers.worlds.generated.text.vocabulary", "**"),
}
"""Sums and products of whole numbers, which are exact in any order."""
POWERS_OF_TWO = {"2", "2.0"}
OWNERS = {"np", "numpy", "math", "scipy", "random", "rng"}


def deciding() -> list[str]:
    """Return the modules where numbers become choices."""
    return [
        name
        for name in MODULES
        if any(f"{name}.".startswith(f"foragers.{part}.") for part in DECIDING)
    ]


def unlike(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Return the lines, and what is done there that differs between processors."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            yield node.lineno, "@"
        elif isinstance(node, ast.Attribute) and node.attr in UNLIKE:
            if ast.unparse(node.value).rpartition(".")[2] in OWNERS:
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and node.module in ("math", "cmath"):
            yield from ((node.lineno, one.name) for one in node.names if one.name in UNLIKE)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            if ast.unparse(node.left) not in POWERS_OF_TWO:
                yield node.lineno, "**"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("argsort"):
            kinds = {ast.unparse(word.value) for word in node.keywords if word.arg == "kind"}
            yield from [(node.lineno, "unstable argsort")][len(kinds & {"'stable'"}) :]


def test_what_decides_is_computed_alike_on_every_processor() -> None:
    found = broken(
        f"{module}, line {line}: {what}; use foragers.core.exact"
        for module in deciding()
        for line, what in unlike(tree_of(module))
        if (module, what) not in WHOLE_NUMBERS
    )
    assert not found, found


def test_the_rule_sees_what_it_is_about() -> None:
    assert len(deciding()) > 100
    said = """
from math import exp, sqrt
a = np.exp(b) + math.log(c) + d @ e
f = np.argsort(g) + np.argsort(g, kind="stable") + h ** 1.5 + 2.0 ** j
k = rng.lognormal(0, 1) + exact.exp(l) + np.linalg.solve(m, n) + self.rng.normal()
"""
    assert [what for _, what in sorted(unlike(ast.parse(said)))] == [
        "exp",
        "@",
        "exp",
        "log",
        "**",
        "unstable argsort",
        "linalg",
        "lognormal",
        "normal",
    ]

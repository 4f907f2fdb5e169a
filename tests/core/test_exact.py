"""Our arithmetic is right to a few units in the last place, for arrays and single numbers alike."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from math import inf, isnan, nan, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from foragers.core import exact

DIGITS = Context(prec=60)
ONE = Decimal(1)
Function = Callable[[Decimal], Decimal]
FUNCTIONS: dict[str, tuple[Function, float]] = {
    "exp": (DIGITS.exp, 700.0),
    "expm1": (lambda x: DIGITS.subtract(DIGITS.exp(x), ONE), 700.0),
    "log": (DIGITS.ln, 1e300),
    "log1p": (lambda x: DIGITS.ln(DIGITS.add(ONE, x)), 1e300),
    "tanh": (
        lambda x: DIGITS.divide(
            DIGITS.subtract(DIGITS.exp(2 * x), ONE), DIGITS.add(DIGITS.exp(2 * x), ONE)
        ),
        50.0,
    ),
    "sigmoid": (lambda x: DIGITS.divide(ONE, DIGITS.add(ONE, DIGITS.exp(-x))), 50.0),
    "softplus": (lambda x: DIGITS.ln(DIGITS.add(ONE, DIGITS.exp(x))), 50.0),
}
SIGNED = {"exp", "expm1", "tanh", "sigmoid", "softplus"}


def off(found: float, truth: Decimal) -> float:
    """Return by how many units in the last place a number is wrong."""
    return float(abs(Decimal(found) - truth) / Decimal(float(np.spacing(abs(float(truth))))))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_right_to_a_few_units_in_the_last_place(name: str) -> None:
    truth, largest = FUNCTIONS[name]
    rng = np.random.default_rng(1)
    sizes = np.concatenate([10.0 ** rng.uniform(-12, 0, 150), 1 + rng.normal(size=100) * 1e-3])
    sizes = np.concatenate([sizes, 10.0 ** rng.uniform(0, np.log10(largest), 150)])
    values = np.concatenate([sizes, -sizes]) if name in SIGNED else sizes
    found = getattr(exact, name)(values)
    wrong = [off(one, truth(Decimal(x))) for one, x in zip(found, values.tolist(), strict=True)]
    assert max(wrong) < 4


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p"])
def test_single_numbers_and_arrays_agree_bit_for_bit(name: str) -> None:
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.random(500), rng.random(500) * 60, [1e-310, 5e-324, 0.0, 1.0]])
    many = getattr(exact, name)(values)
    single = [getattr(exact, f"{name}_of")(value) for value in values.tolist()]
    np.testing.assert_array_equal(many, single)


def test_ends_of_the_range() -> None:
    values = np.array([-inf, -800.0, 0.0, 800.0, inf])
    with np.errstate(over="ignore"):
        assert exact.exp(values).tolist() == [0.0, 0.0, 1.0, inf, inf]
        assert exact.expm1(values).tolist() == [-1.0, -1.0, 0.0, inf, inf]
    assert exact.tanh(values).tolist() == [-1.0, -1.0, 0.0, 1.0, 1.0]
    assert exact.log(np.array([0.0, 1.0, inf])).tolist() == [-inf, 0.0, inf]
    assert exact.log1p(np.array([-1.0, 0.0, inf])).tolist() == [-inf, 0.0, inf]
    assert np.isnan(exact.log(np.array([-1.0, nan]))).all()
    assert [exact.exp_of(value) for value in values.tolist()] == [0.0, 0.0, 1.0, inf, inf]
    assert [exact.log_of(value) for value in (0.0, 1.0, inf)] == [-inf, 0.0, inf]
    assert isnan(exact.log_of(-1.0))
    assert isnan(exact.exp_of(nan))
    assert exact.log1p_of(-1.0) == -inf
    assert exact.exp(np.empty(0)).tolist() == exact.log(np.empty(0)).tolist() == []


def test_powers() -> None:
    values = np.array([0.0, 0.3, 1.0, 7.5])
    assert exact.power(values, 1.7) == pytest.approx(values**1.7, rel=1e-14)
    assert exact.power(values, 0.0).tolist() == [1.0] * 4
    assert [exact.power_of(x, 1.7) for x in values.tolist()] == exact.power(values, 1.7).tolist()
    assert exact.power_of(0.0, 0.0) == 1.0


def test_cosines() -> None:
    turns = np.linspace(-3, 3, 1001)
    assert exact.cos_of_turns(turns) == pytest.approx(np.cos(2 * pi * turns), abs=1e-14)


@given(st.lists(st.integers(1, 100_000), min_size=1))
def test_logarithms_of_counts_come_from_a_table_or_not(counts: list[int]) -> None:
    expected = exact.log(np.array(counts)).tolist()
    assert exact.log_counts(np.array(counts)).tolist() == expected
    assert [exact.log_count(count) for count in counts] == expected


def sparse(rows: int, columns: int, seed: int = 0) -> csr_array:
    found = random_array((rows, columns), density=0.2, rng=np.random.default_rng(seed))
    return csr_array(found)


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_products_of_sparse_matrices(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "CHUNK", chunk)
    rows, rng = sparse(30, 12), np.random.default_rng(3)
    assert np.diff(rows.indptr).min() == 0, "rows without entries are what goes wrong"
    dense, vector, weights = rng.random((12, 4)), rng.random(12), rng.random(30)
    groups = rng.integers(5, size=30)
    belongs = np.eye(5)[groups].T * weights
    assert exact.by_row(rows, dense) == pytest.approx(rows @ dense)
    assert exact.row_sums(rows, vector) == pytest.approx(rows @ vector)
    assert exact.column_sums(rows, weights) == pytest.approx(rows.T @ weights)
    assert exact.grouped(rows, groups, 5, weights) == pytest.approx(belongs @ rows.toarray())


def test_linear_algebra() -> None:
    rng = np.random.default_rng(4)
    tall = rng.normal(size=(40, 9))
    square, right = tall.T @ tall, rng.random(9)
    assert exact.solved(square, right) == pytest.approx(np.linalg.solve(square, right))
    assert exact.dot(right, right) == pytest.approx(right @ right)
    assert exact.times(tall, right) == pytest.approx(tall @ right)
    straight = exact.orthogonal(tall)
    assert straight.T @ straight == pytest.approx(np.eye(9), abs=1e-14)
    assert straight @ (straight.T @ tall) == pytest.approx(tall)
    best = np.linalg.eigh(square)[1][:, -1]
    assert abs(exact.leading(square) @ best) == pytest.approx(1.0)
    assert exact.leading(np.zeros((3, 3))).tolist() == [0.0] * 3


@pytest.mark.skipif(exact._LIBRARY is None, reason="the compiled module was not built")
@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p", "sigmoid", "softplus"])
def test_compiled_functions_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    spread = rng.normal(size=20_000) * 10.0 ** rng.uniform(-8, 4, 20_000)
    odd = [0.0, -0.0, 1e-310, 5e-324, 1e200, 709.9, 710.5, -745.5, -746.5, 0.70703125]
    # Of numbers that are not ordinary, the compiled logarithm would take none.
    ordinary = np.append(np.abs(spread), [1.0, 0.70703125, 1e-300, 1e200])
    values = ordinary if name.startswith("log") else np.append(spread, odd)
    library = exact._LIBRARY
    assert library is not None
    assert exact._is_for_library(values)
    assert not name.startswith("log") or library.log(values, values.copy())
    quick = getattr(exact, name)(values)
    monkeypatch.setattr(exact, "_LIBRARY", None)
    slow = getattr(exact, name)(values)
    assert quick.tobytes() == slow.tobytes()


@pytest.mark.skipif(exact._LIBRARY is None, reason="the compiled module was not built")
@pytest.mark.parametrize("name", ["exp_of", "expm1_of", "log_of", "power_of"])
def test_compiled_functions_of_one_number_give_the_same_bits(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    spread = (rng.normal(size=5000) * 10.0 ** rng.uniform(-8, 4, 5000)).tolist()
    odd = [0.0, -0.0, 1e-310, 5e-324, 1e200, 709.9, 710.5, -745.5, -800.0, 60.0, inf, -inf, nan, 3]
    of = getattr(exact, name)

    def bits() -> list[bytes]:
        if name == "power_of":
            found = [of(abs(x), y) for x in [*spread[:900], *odd] for y in (4.0, -0.5, 0.0, 0)]
        else:
            found = [of(x) for x in [*spread, *odd]]
        return [np.float64(one).tobytes() if one == one else b"nan" for one in found]

    quick = bits()
    monkeypatch.setattr(exact, "_LIBRARY", None)
    assert quick == bits()


@pytest.mark.skipif(exact._LIBRARY is None, reason="the compiled module was not built")
def test_the_compiled_logarithm_leaves_odd_numbers_to_the_other() -> None:
    library, found = exact._LIBRARY, np.empty(2)
    assert library is not None
    assert library.log(np.array([1.0, 2.0]), found)
    for odd in (0.0, -1.0, inf, nan, 5e-324):
        assert not library.log(np.array([1.0, odd]), found)
    with pytest.raises(ValueError, match="one size"):
        library.exp(np.ones(3), found)
    assert exact.log(np.array([0.0, 1.0, inf]))[0] == -inf

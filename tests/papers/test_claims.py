"""Verdicts on claims: which test, which sign, and what is left after correction."""

from __future__ import annotations

import pytest

from foragers.evaluation.tables import Verdict
from foragers.papers.claims import alike, corrected, less, more, on_world


def test_claims_hold_or_not_by_a_paired_test() -> None:
    ours, theirs = [3.0, 4.0, 5.1], [1.0, 2.1, 3.0]
    assert more("", ours, theirs).holds is True
    assert more("", theirs, ours).holds is False
    assert less("", theirs, ours).holds is True
    assert less("", ours, theirs).holds is False
    assert more("", [1.0, 5.0, 3.0], [2.0, 3.0, 3.1]).holds is None
    assert more("", [1.0], [0.0]).holds is None
    assert more("", [2.0, 2.1], [1.0]).holds is True
    assert more("", [float("nan")], [1.0]).holds is None
    assert alike("", [1.0, 1.1], [1.05, 1.08], 0.1).holds is True
    assert alike("", [1.0, 1.1], [1.5, 1.6], 0.1).holds is False


def test_runs_without_pairs_are_not_paired() -> None:
    # Differences of pairs are 1, 1.1 and 0.9: nearly always alike.  The columns themselves vary
    # from 1 to 9, so that of unpaired runs nothing can be told.
    ours, theirs = [2.0, 6.1, 9.9], [1.0, 5.0, 9.0]
    assert more("", ours, theirs).holds is True
    apart = more("", ours, theirs, pairs=False)
    assert apart.holds is None
    assert "Welch" in apart.statistic
    assert "Welch" not in more("", ours, [5.0], pairs=False).statistic
    assert "one-sample t-test, 3 runs" in more("", ours, [5.0]).statistic


def test_missing_numbers_leave_out_a_pair_or_a_run() -> None:
    nan = float("nan")
    assert "2 runs" in more("", [1.0, 2.0, nan], [0.0, 0.5, 1.0]).statistic
    assert "2 runs" in more("", [1.0, 2.0, nan], [0.0, 0.5, 1.0], pairs=False).statistic
    empty = more("", [nan, nan], [1.0, 2.0], pairs=False)
    assert empty.statistic == "nothing to compare"
    (told,) = corrected([empty])  # that runs were too few would be wrong
    assert told.reason == "no run was long enough, or found enough, for it"


def test_verdicts_are_corrected_for_the_number_of_tests() -> None:
    # Holm: the smallest of four by 4, the next by 3, and so on; never below the one before.
    ps = [0.01, 0.02, 0.03, 0.04]
    found = corrected([Verdict("", True, "", p=p) for p in ps] + [Verdict("", True, "")])
    assert [verdict.holds for verdict in found] == [True, None, None, None, True]
    told = [verdict.statistic for verdict in found]
    assert told == [", corrected 0.04", *[", corrected 0.06"] * 3, ""]


def test_every_verdict_has_a_reason() -> None:
    ps = {True: 0.001, False: 0.002, None: 0.4}
    given = [Verdict("", holds, "", p=p) for holds, p in ps.items()]
    given += [Verdict("", True, "", p=0.04), Verdict("", True, ""), Verdict("", None, "one run")]
    given += [Verdict("", True, "", "CPU time"), Verdict("", True, "", "CPU time", p=1e-9)]
    assert [one.reason for one in corrected(given)] == [
        "beyond chance, also among 5 tests",
        "the difference is the other way, also among 5 tests",
        "the difference may be chance",
        "beyond chance alone, but not among 5 tests",
        "by the numbers, no test",
        "too few runs for a test",
        "CPU time",
        "CPU time; beyond chance, also among 5 tests",
    ]


def test_verdicts_name_their_world() -> None:
    assert [one.world for one in on_world([Verdict("", True, "")], "some web")] == ["some web"]


def test_a_verdict_tells_the_interval_of_the_difference() -> None:
    # Differences 1, 2, 3: mean 2, deviation 1; t of 2 degrees of freedom at 97.5 % is 4.3027.
    told = more("", [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]).statistic
    half = 4.3027 / 3**0.5
    assert f"difference −{half - 2:.3f} to {2 + half:.2f} (95 %)" in told
    assert more("", [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]).p == pytest.approx(0.0742, abs=1e-4)

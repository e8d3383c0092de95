"""The methods do what they claim, on worlds with known truth. Small versions here, full ones marked slow.

Sources of what is checked stand in the docstrings of `scorer.inference`; measured figures in docs/methods.md.
A share over T trials has a standard error of sqrt(share (1 - share) / T); limits allow for three.
"""

from __future__ import annotations

import math

import pytest

from tests.inference.simulations import (
    WORLDS,
    ClusterFigures,
    RankFigures,
    cluster_figures,
    false_positive_rate,
    interval_coverage,
    rank_figures,
)


def slack(share: float, trials: int) -> float:
    """Three standard errors of a share."""
    return 3 * math.sqrt(share * (1 - share) / trials)


@pytest.mark.parametrize("name", WORLDS)
def test_interval_holds_the_truth_about_as_often_as_it_says(name: str) -> None:
    # The full check demands 93 to 97 %; 500 trials cannot tell more than that limit and three errors.
    coverage = interval_coverage(WORLDS[name], 200, 500, resamples=1000)
    assert 0.93 - slack(0.93, 500) <= coverage <= 0.97 + slack(0.97, 500)


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 590, 2347])
@pytest.mark.parametrize("name", WORLDS)
def test_interval_holds_the_truth_in_93_to_97_of_100_samples(name: str, n: int) -> None:
    """Percentile bootstrap, Efron and Tibshirani (1993), chapter 13: coverage at three test-set sizes."""
    coverage = interval_coverage(WORLDS[name], n, 4000)
    print(f"\ncoverage {name} n={n}: {coverage:.4f}")
    assert 0.93 <= coverage <= 0.97


def _check_alike(figures: ClusterFigures) -> None:
    # Variance of a patient's mean of s studies: 0.64 + 0.36 / s against 1 / s; for sizes 2, 4 and 6 the
    # widths differ by the root of sum(0.64 s^2 + 0.36 s) / sum(s) = (0.64 * 56 + 0.36 * 12) / 12: factor 1.83.
    assert figures.width / figures.width_ignoring == pytest.approx(1.83, abs=0.06)


def test_patients_with_studies_alike_widen_the_interval() -> None:
    _check_alike(cluster_figures("alike", 40, resamples=500))


def test_patients_with_opposed_studies_narrow_the_interval() -> None:
    # Half the studies lie 0.8 above and half below, within each patient: 0.36 against 0.36 + 0.64.
    figures = cluster_figures("opposed", 40, resamples=500)
    assert figures.width / figures.width_ignoring == pytest.approx(0.6, abs=0.03)


def test_patients_with_unrelated_studies_change_the_interval_little() -> None:
    figures = cluster_figures("unrelated", 40, resamples=500)
    assert figures.width / figures.width_ignoring == pytest.approx(1.0, abs=0.03)


@pytest.mark.slow
def test_only_resampling_by_patient_covers_when_studies_of_a_patient_are_alike() -> None:
    """Cluster bootstrap, Davison and Hinkley (1997), section 3.8."""
    figures = cluster_figures("alike", 2000)
    print(f"\n{figures}")
    _check_alike(figures)
    assert 0.93 <= figures.coverage <= 0.97
    assert figures.coverage_ignoring < 0.80


@pytest.mark.parametrize("name", WORLDS)
def test_paired_test_seldom_finds_a_difference_where_there_is_none(name: str) -> None:
    assert false_positive_rate(WORLDS[name], 100, 600, swaps=399) <= 0.05 + slack(0.05, 600)


@pytest.mark.slow
@pytest.mark.parametrize("by_patient", [False, True])
@pytest.mark.parametrize("name", WORLDS)
def test_paired_test_errs_in_at_most_5_and_a_half_of_100_null_pairs(name: str, by_patient: bool) -> None:
    """Permutation of pairs, Phipson and Smyth (2010); by patient, whole patients change hands."""
    if by_patient and name == "corpus F1":
        pytest.skip("counts of labels do not take a patient's shift")
    rate = false_positive_rate(WORLDS[name], 200, 10_000, by_patient=by_patient)
    print(f"\nfalse positives {name} by_patient={by_patient}: {rate:.4f}")
    assert rate <= 0.055


def _check_ranks(figures: RankFigures, trials: int) -> None:
    allowed = slack(0.05, trials)
    assert figures.joint >= 0.95 - allowed
    assert figures.false_decision <= 0.05 + allowed
    assert figures.false_group <= figures.false_decision  # groups claim no more than the decisions
    assert figures.top_missed <= figures.false_decision


@pytest.mark.parametrize("truth", ["distinct", "equal", "copies"])
def test_rank_intervals_hold_all_true_ranks_together(truth: str) -> None:
    figures = rank_figures(5, 200, truth, 300, resamples=500)
    _check_ranks(figures, 300)
    assert figures.naive_joint < figures.joint


RANK_TRIALS = {5: 4000, 30: 1000, 100: 300}


@pytest.mark.slow
@pytest.mark.parametrize("truth", ["distinct", "tied", "equal", "copies"])
@pytest.mark.parametrize("n", [200, 590])
@pytest.mark.parametrize("k", RANK_TRIALS)
def test_rank_intervals_hold_all_true_ranks_together_and_bootstrapped_ranks_do_not(
    k: int, n: int, truth: str
) -> None:
    """Mogstad, Romano, Shaikh and Wilhelm (2024), theorem on joint coverage and their case against the bootstrap
    of ranks; step-down after Romano and Wolf (2005); best set after Hsu (1984)."""
    trials = (
        1000 if truth == "equal" and k == 100 else RANK_TRIALS[k]
    )  # that is where the method is at its limit
    figures = rank_figures(k, n, truth, trials)
    print(f"\nranks k={k} n={n} {truth}: {figures}")
    _check_ranks(figures, trials)
    assert figures.naive_joint < 0.95

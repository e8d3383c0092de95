"""Paired comparisons: permutation p as scipy's, intervals from shared resamples, wins, effect, Holm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from scorer.inference.models import MetricTerms, draw
from scorer.inference.pairs import compare, compare_all, holm, p_against_row_above, permutation_p
from scorer.inference.resampling import interval, resampled_totals
from scorer.types import Better
from tests.inference.worlds import composite, f1, f1_terms, mean, mean_models, mean_terms


def scipy_p(one: MetricTerms, n: int) -> float:
    """scipy's exact paired permutation test, which swaps studies between the two models."""

    def statistic(a: np.ndarray, b: np.ndarray) -> float:
        sums = [one.terms[model, study].sum(axis=0) for model, study in (decode(a), decode(b))]
        return float(one.finish(sums[0]) - one.finish(sums[1]))

    def decode(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return codes.astype(int) // n, codes.astype(int) % n

    # Each entry says which model's row of which study it is, so any statistic of rows can be permuted.
    data = (np.arange(n), n + np.arange(n))
    result = stats.permutation_test(
        data, statistic, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    return float(result.pvalue)


@pytest.mark.parametrize("n", [2, 5, 8, 10])
def test_permutation_p_of_a_mean_is_scipys_exactly(n: int) -> None:
    for seed in range(4):
        one = mean_models(np.random.default_rng(seed).normal([[0.0], [0.5]], size=(2, n)))
        draws = draw({"m": one})["m"]
        assert draws.is_exact
        assert permutation_p(draws, 0, 1) == pytest.approx(scipy_p(one, n), abs=1e-12)


def test_permutation_p_with_equal_differences_is_scipys_exactly() -> None:
    # Differences 1, 1, 1, -1, 0: many swaps give the observed difference again, by another path.
    one = mean_models(np.array([[1.1, 1.2, 1.3, 0.4, 0.5], [0.1, 0.2, 0.3, 1.4, 0.5]]))
    assert permutation_p(draw({"m": one})["m"], 0, 1) == pytest.approx(scipy_p(one, 5), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_permutation_p_of_a_corpus_f1_is_scipys_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    terms = np.stack([f1_terms(rng, 9, 0.5, recall, 0.7) for recall in (0.9, 0.5)])
    terms[:, 0] = [[1, 0, 0], [1, 0, 0]]  # a hit both share keeps every swap defined
    one = MetricTerms(terms=terms, finish=f1, better="higher", is_per_study=False)
    assert permutation_p(draw({"m": one})["m"], 0, 1) == pytest.approx(scipy_p(one, 9), abs=1e-12)


def test_permutation_p_of_a_composite_is_scipys_exactly() -> None:
    rng = np.random.default_rng(7)
    terms = np.concatenate([rng.random((2, 8, 3)), np.ones((2, 8, 1))], axis=2)
    one = MetricTerms(terms=terms, finish=composite, better="lower")
    assert permutation_p(draw({"m": one})["m"], 0, 1) == pytest.approx(scipy_p(one, 8), abs=1e-12)


def test_exact_p_by_hand() -> None:
    # Differences 1, 2, 3: of the eight sign patterns only +++ and --- reach |sum| = 6.
    draws = draw({"m": mean_models(np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]))})["m"]
    assert permutation_p(draws, 0, 1) == 2 / 8


def test_sampled_p_counts_the_observed_swap_and_is_never_zero() -> None:
    values = np.vstack([np.ones(60), np.zeros(60)])
    draws = draw({"m": mean_models(values)}, resamples=999)["m"]
    assert not draws.is_exact
    assert permutation_p(draws, 0, 1) == 1 / 1000


def test_sampled_p_is_close_to_the_exact_one() -> None:
    values = np.random.default_rng(3).normal([[0.0], [0.5]], size=(2, 12))
    exact = draw({"m": mean_models(values)})["m"]
    sampled = draw({"m": mean_models(values)}, resamples=4000)["m"]
    assert (exact.is_exact, sampled.is_exact) == (True, False)
    p = permutation_p(exact, 0, 1)
    assert permutation_p(sampled, 0, 1) == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000))


def test_clusters_are_swapped_whole() -> None:
    # Six studies of three patients: eight swaps, as if each patient were one study.
    values = np.array([[1.0, 2.0, 3.0, 1.0, 2.0, 3.0], [0.0] * 6])
    draws = draw({"m": mean_models(values)}, clusters=["a", "b", "c", "a", "b", "c"])["m"]
    assert draws.halves.shape == (2, 8, 2)
    assert permutation_p(draws, 0, 1) == 2 / 8


def test_comparison_of_a_model_with_itself_says_no_difference() -> None:
    values = np.random.default_rng(1).random((1, 50))
    result = compare(draw({"m": mean_models(np.vstack([values, values]))}, resamples=500)["m"])
    assert (result.difference, result.low, result.high, result.p) == (0.0, 0.0, 0.0, 1.0)
    assert (result.wins, result.ties, result.losses, result.effect) == (0, 50, 0, 0.0)


@pytest.mark.parametrize(("better", "wins", "losses"), [("higher", 3, 1), ("lower", 1, 3)])
def test_wins_ties_and_losses_follow_the_direction(better: Better, wins: int, losses: int) -> None:
    values = np.array([[0.5, 0.6, 0.7, 0.1, 0.3], [0.4, 0.5, 0.1, 0.2, 0.3]])
    result = compare(draw({"m": mean_models(values, better)})["m"])
    assert (result.wins, result.ties, result.losses) == (wins, 1, losses)
    gains = (values[0] - values[1]) * (1 if better == "higher" else -1)
    assert result.effect == pytest.approx(gains.mean() / gains.std(ddof=1))
    assert result.difference == pytest.approx((2.2 - 1.5) / 5)  # a minus b, whatever the direction


def test_the_same_gain_on_every_study_has_no_standardised_effect() -> None:
    values = np.random.default_rng(1).integers(0, 8, size=30) / 8
    assert compare(draw({"m": mean_models(np.vstack([values + 0.25, values]))})["m"]).effect is None


def test_a_corpus_metric_has_no_wins() -> None:
    rng = np.random.default_rng(2)
    terms = np.stack([f1_terms(rng, 400, 0.4, recall, 0.7) for recall in (0.9, 0.4)])
    one = MetricTerms(terms=terms, finish=f1, better="higher", is_per_study=False)
    result = compare(draw({"m": one}, resamples=500)["m"])
    assert (result.wins, result.ties, result.losses, result.effect) == (None, None, None, None)
    assert result.low is not None
    assert result.low > 0
    assert result.p < 0.01


def test_interval_of_the_difference_uses_the_same_resamples_for_both() -> None:
    rng = np.random.default_rng(4)
    common = rng.random(200)
    values = np.vstack([common + 0.01, common + 0.02 * rng.random(200)])
    result = compare(draw({"m": mean_models(values)}, resamples=1000)["m"])
    gaps = mean(resampled_totals(mean_terms(values[0] - values[1]), resamples=1000))
    low, high = interval(gaps)
    assert low is not None
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)
    assert high - low < 0.1 * common.std()  # the common difficulty of studies cancels


def test_swapping_the_two_models_turns_the_result_around() -> None:
    values = np.random.default_rng(5).random((2, 100))
    draws = draw({"m": mean_models(values)}, resamples=1000)["m"]
    one, other = compare(draws, 0, 1), compare(draws, 1, 0)
    assert one.p == other.p
    assert one.difference == -other.difference
    assert (one.wins, one.losses) == (other.losses, other.wins)
    assert one.low is not None
    assert other.high == -one.low
    assert one.effect == pytest.approx(-other.effect)  # type: ignore[operator]


def test_a_pair_is_the_same_alone_and_in_company() -> None:
    rng = np.random.default_rng(6)
    values = rng.random((4, 70))
    metrics = {"x": mean_models(values), "y": mean_models(rng.random((4, 70)), "lower")}
    together = draw(metrics, resamples=300)["x"]
    alone = draw({"x": mean_models(values[[1, 3]])}, resamples=300)["x"]
    assert compare(together, 1, 3) == compare(alone, 0, 1)


def test_all_pairs_are_compared_once() -> None:
    draws = draw({"m": mean_models(np.random.default_rng(8).random((4, 30)))}, resamples=100)["m"]
    pairs = list(compare_all(draws))
    assert [(a, b) for a, b, _ in pairs] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert all(result == compare(draws, a, b) for a, b, result in pairs)


def test_row_above_is_the_one_before_in_order() -> None:
    draws = draw({"m": mean_models(np.random.default_rng(9).random((4, 30)))}, resamples=100)["m"]
    p_values = p_against_row_above(draws, [2, 0, 3])
    assert p_values == [permutation_p(draws, 2, 0), None, None, permutation_p(draws, 0, 3)]


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.03, 0.04: times 3, 2, 1 gives 0.03, 0.06, 0.04; never falling: 0.03, 0.06, 0.06.
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []

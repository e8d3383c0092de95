"""Ranks follow exact values, missing never outranks present, and rank intervals follow from decisions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scorer.inference import decisions
from scorer.inference.decisions import decide
from scorer.inference.models import draw
from scorer.inference.ranks import (
    RankedColumn,
    best_first,
    competition_ranks,
    naive_rank_intervals,
    rank_column,
    rank_draws,
    tie_groups,
)
from scorer.types import Better
from tests.inference.worlds import mean_models


def ranks_of(column: RankedColumn) -> list[int | None]:
    return [None if model is None else model.rank for model in column.models]


def separated(*steps: float, n: int = 400, seed: int = 0, noise: float = 0.1) -> np.ndarray:
    """Per-study values (k, n) of models whose means differ by `steps`, on a common difficulty per study."""
    rng = np.random.default_rng(seed)
    return rng.random(n) + np.array(steps)[:, None] + noise * rng.normal(size=(len(steps), n))


def test_missing_is_unranked_and_equal_values_share_a_rank_and_the_next_is_skipped() -> None:
    column = rank_column([0.31, None, 0.29, 0.31, -0.05], None, better="higher")
    assert ranks_of(column) == [1, None, 3, 1, 4]
    assert column.order == (0, 3, 2, 4)


def test_missing_is_unranked_when_lower_is_better() -> None:
    column = rank_column([0.31, None, 0.29, 0.31, -0.05], None, better="lower")
    assert ranks_of(column) == [3, None, 2, 3, 1]
    assert column.order == (4, 2, 0, 3)


def test_lower_is_better_puts_the_smallest_first() -> None:
    assert rank_column([1.09, 1.44, 0.69], None, better="lower").order == (2, 0, 1)


def test_equal_to_displayed_precision_is_not_a_tie() -> None:
    assert competition_ranks([0.2004, 0.2003], "higher") == [1, 2]


@given(st.lists(st.none() | st.integers(-3, 3).map(float), max_size=12), st.sampled_from(["higher", "lower"]))
@settings(max_examples=200, deadline=None)
def test_ranks_agree_with_counting_better_values_one_by_one(
    values: list[float | None], better: Better
) -> None:
    expected: list[int | None] = []
    for value in values:
        rank = None if value is None else 1
        for other in values:
            if value is not None and other is not None and rank is not None:
                rank += other > value if better == "higher" else other < value
        expected.append(rank)
    assert competition_ranks(values, better) == expected
    order = best_first(values, better)
    assert sorted(order) == [i for i, value in enumerate(values) if value is not None]
    assert [expected[i] for i in order] == sorted(expected[i] for i in order)  # type: ignore[type-var]


def test_values_without_resamples_get_ranks_and_nothing_else() -> None:
    column = rank_column([0.1, 0.2], None, better="higher")
    assert column.method == "value only"
    assert column.top == ()
    assert column.resolvable is None
    assert column.models[0] is not None
    assert column.models[0].low is None
    assert column.models[0].group is None


def test_a_value_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        rank_column([0.1, float("nan")], None, better="higher")


def test_nothing_to_rank_gives_an_empty_column() -> None:
    assert rank_column([None, None], np.zeros((2, 50)), better="higher").order == ()
    assert rank_column([], None, better="higher").models == ()


def test_one_model_is_first_for_certain() -> None:
    (only,) = rank_draws(draw({"m": mean_models(separated(0.0))}, resamples=200)["m"]).models
    assert only is not None
    assert (only.rank, only.low, only.high, only.group, only.p_above) == (1, 1, 1, 1, None)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_far_apart_models_have_intervals_of_one_rank(better: Better) -> None:
    column = rank_draws(draw({"m": mean_models(separated(0.0, 1.0, 2.0), better)}, resamples=500)["m"])
    ranks = [3, 2, 1] if better == "higher" else [1, 2, 3]
    for model, rank in zip(column.models, ranks, strict=True):
        assert model is not None
        assert (model.rank, model.low, model.high, model.group) == (rank, rank, rank, rank)
    assert column.top == ((2,) if better == "higher" else (0,))


def test_identical_models_tie_and_are_never_separable() -> None:
    values = separated(0.0, 0.5)
    column = rank_draws(draw({"m": mean_models(np.vstack([values, values]))}, resamples=500)["m"])
    assert ranks_of(column) == [3, 1, 3, 1]
    models = [model for model in column.models if model is not None]
    assert [(model.low, model.high, model.group) for model in models] == [
        (3, 4, 2),
        (1, 2, 1),
        (3, 4, 2),
        (1, 2, 1),
    ]
    assert column.top == (1, 3)
    assert column.order == (1, 3, 0, 2)
    assert models[3].p_above == 1.0  # against its double
    assert models[0].p_above == pytest.approx(1 / 501)


def test_all_models_identical_are_one_group() -> None:
    values = np.tile(separated(0.0), (3, 1))
    column = rank_draws(draw({"m": mean_models(values)}, resamples=200)["m"])
    assert ranks_of(column) == [1, 1, 1]
    assert column.top == (0, 1, 2)
    assert column.resolvable is None


def test_the_same_difference_on_every_study_is_separable() -> None:
    values = separated(0.0)
    column = rank_draws(draw({"m": mean_models(np.vstack([values, values + 0.25]))}, resamples=200)["m"])
    assert column.top == (1,)


def test_a_difference_within_rounding_is_not_separable() -> None:
    values = separated(0.0)
    draws = draw({"m": mean_models(np.vstack([values, values * (1 + 1e-14)]))}, resamples=200)["m"]
    assert draws.values[0] != draws.values[1]
    assert len(rank_draws(draws).top) == 2


def test_a_difference_within_the_stated_tolerance_is_not_separable() -> None:
    values = separated(0.0)
    draws = draw({"m": mean_models(np.vstack([values, values + 1e-4]))}, resamples=200)["m"]
    assert len(rank_draws(draws).top) == 1
    assert len(rank_draws(draws, tolerance=2e-4).top) == 2


def test_a_missing_model_changes_nothing_for_the_others() -> None:
    draws = draw({"m": mean_models(separated(0.0, 0.02, 0.03))}, resamples=500)["m"]
    full = rank_column(draws.values.tolist(), draws.resampled, better="higher")
    padded_values = [draws.values[0], None, draws.values[1], draws.values[2]]
    padded_rows = np.insert(draws.resampled, 1, np.nan, axis=0)
    padded = rank_column(padded_values, padded_rows, better="higher")
    assert padded.models[1] is None
    assert [m for m in padded.models if m is not None] == list(full.models)
    assert padded.resolvable == full.resolvable


def test_order_of_models_changes_nothing() -> None:
    values = separated(0.0, 0.01, 0.02, 0.02, 0.05, n=200)
    order = [3, 0, 4, 2, 1]
    one = rank_draws(draw({"m": mean_models(values)}, resamples=500)["m"])
    other = rank_draws(draw({"m": mean_models(values[order])}, resamples=500)["m"])
    assert [one.models[i] for i in order] == list(other.models)
    assert one.resolvable == other.resolvable


def test_rank_lies_in_its_interval_and_top_models_reach_the_first_rank() -> None:
    for seed in range(20):
        values = separated(*np.linspace(0, 0.1, 7), n=100, seed=seed)
        column = rank_draws(draw({"m": mean_models(values)}, resamples=300)["m"])
        for i, model in enumerate(column.models):
            assert model is not None
            assert model.low is not None
            assert model.high is not None
            assert 1 <= model.low <= model.rank <= model.high <= 7
            assert (model.low == 1) == (i in column.top)
        groups = [column.models[i].group for i in column.order]  # type: ignore[union-attr]
        assert groups[0] == 1
        assert all(b - a in (0, 1) for a, b in pairwise(groups))  # type: ignore[operator]


def test_decisions_agree_with_an_oracle_that_lists_every_hypothesis() -> None:
    for seed in range(10):
        draws = draw({"m": mean_models(separated(0, 0.01, 0.03, 0.03, 0.2, n=80, seed=seed))}, resamples=199)[
            "m"
        ]
        values, resampled = draws.values, draws.resampled
        hypotheses = [(a, b) for a in range(5) for b in range(5) if a != b]  # "a is not better than b"
        errors = {(a, b): np.std(resampled[a] - resampled[b], ddof=1) for a, b in hypotheses}
        rejected: set[tuple[int, int]] = set()
        while True:
            greatest = [
                max(
                    ((resampled[a, r] - resampled[b, r]) - (values[a] - values[b])) / errors[a, b]
                    for a, b in hypotheses
                    if (a, b) not in rejected
                )
                for r in range(199)
            ]
            critical = sorted(greatest)[196]  # 0.95 * 200 + 2 * sqrt(0.95 * 0.05 * 199) = 196.1, so the 197th
            new = {(a, b) for a, b in hypotheses if (values[a] - values[b]) / errors[a, b] > critical}
            if new <= rejected:
                break
            rejected |= new
        got = decide(values, resampled, better="higher")
        assert {(int(a), int(b)) for a, b in np.argwhere(got.better)} == rejected
        assert got.critical == pytest.approx(critical, rel=1e-9)


def test_stepping_down_separates_a_pair_that_one_step_does_not() -> None:
    # Model 0 is far below; once its pairs are decided, the others need to exceed less.
    draws = draw({"m": mean_models(separated(-5, 0, 0.01, 0.02, 0.03, n=500, seed=3))}, resamples=2000)["m"]
    centred = draws.resampled - draws.values[:, None]
    one_step = np.zeros(2000)
    for a in range(5):
        for b in range(a):
            gap = centred[a] - centred[b]
            one_step = np.maximum(one_step, np.abs(gap) / gap.std(ddof=1))
    assert decide(draws.values, draws.resampled, better="higher").critical < np.quantile(one_step, 0.95)


def test_undefined_resamples_make_decisions_harder_and_too_many_make_them_impossible() -> None:
    draws = draw({"m": mean_models(separated(0.0, 0.03, 0.5))}, resamples=1000)["m"]
    clean = decide(draws.values, draws.resampled, better="higher")
    some = draws.resampled.copy()
    some[0, :20] = np.nan
    harder = decide(draws.values, some, better="higher")
    assert harder.critical > clean.critical
    assert np.isfinite(harder.critical)
    many = draws.resampled.copy()
    many[0, :100] = np.nan
    impossible = decide(draws.values, many, better="higher")
    assert not impossible.better[:, 0].any()
    assert impossible.better[2, 1]  # the other two are still compared
    every = draws.resampled.copy()
    every[0, :20] = every[1, 20:40] = every[2, 40:60] = np.nan  # 2 % each, 6 % of resamples together
    assert np.isinf(decide(draws.values, every, better="higher").critical)
    assert not decide(draws.values, every, better="higher").better.any()


def test_groups_reach_down_to_the_last_model_not_separable_from_the_leader() -> None:
    values = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    better = np.zeros((5, 5), dtype=bool)
    better[0, [2, 4]] = True  # 2 is separable from 0, but 3, a noisier model below it, is not
    better[1, 4] = better[2, 4] = True
    assert tie_groups(values, better).tolist() == [1, 1, 1, 1, 2]


def test_groups_below_the_top_are_led_by_their_best_model() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    better = np.zeros((5, 5), dtype=bool)
    for a, b in [(4, 2), (4, 1), (4, 0), (3, 1), (3, 0), (2, 0)]:
        better[a, b] = True
    assert tie_groups(values, better).tolist() == [3, 2, 2, 1, 1]


def test_models_that_share_the_leading_value_lead_together() -> None:
    values = np.array([2.0, 2.0, 1.0])
    better = np.zeros((3, 3), dtype=bool)
    better[0, 2] = True
    assert tie_groups(values, better).tolist() == [1, 1, 1]
    assert tie_groups(values, better[[1, 0, 2]]).tolist() == [1, 1, 1]


def test_resolvable_difference_is_what_two_models_of_equal_noise_need() -> None:
    # Two models: differences have standard deviation 0.1 * sqrt(2) on 400 studies; 1.96 standard errors.
    draws = draw({"m": mean_models(separated(0.0, 0.0))}, resamples=5000)["m"]
    assert rank_draws(draws).resolvable == pytest.approx(1.96 * 0.1 * 2**0.5 / 20, rel=0.12)


def test_naive_intervals_are_percentiles_of_resampled_ranks() -> None:
    resampled = np.array([[3.0, 3.0, 1.0, 3.0], [2.0, 2.0, 2.0, 2.0], [1.0, 1.0, 3.0, 1.0]])
    low, high = naive_rank_intervals(resampled, "higher")
    assert low.tolist() == [1, 2, 1]
    assert high.tolist() == [3, 2, 3]


def test_few_clusters_make_decisions_harder_as_in_a_t_test() -> None:
    # Two models on six studies: t with 5 degrees of freedom in place of the normal distribution, and a
    # bootstrap standard error is too small by the root of 5/6. Both quantiles at 95 % and two Monte Carlo errors.
    draws = draw({"m": mean_models(separated(0.0, 0.0, n=400))}, resamples=20_000)["m"]
    tail = (0.05 - 2 * (0.95 * 0.05 / 20_000) ** 0.5) / 2
    plain = decide(draws.values, draws.resampled, better="higher").critical
    assert plain == pytest.approx(stats.norm.isf(tail), abs=0.03)
    few = decide(draws.values, draws.resampled, better="higher", n_clusters=6).critical
    assert few == pytest.approx(stats.t.isf(tail, 5) * (6 / 5) ** 0.5, abs=0.06)
    many = decide(draws.values, draws.resampled, better="higher", n_clusters=10**6).critical
    assert many == pytest.approx(plain, abs=1e-4)


def test_very_many_models_use_the_first_resamples_only(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = draw({"m": mean_models(separated(0.0, 0.01, 0.02))}, resamples=2000)["m"]
    expected = decide(draws.values, draws.resampled[:, :1500], better="higher")
    assert decide(draws.values, draws.resampled, better="higher").critical != expected.critical
    monkeypatch.setattr(decisions, "_MOST", 1500 * 9)
    assert decide(draws.values, draws.resampled, better="higher").critical == expected.critical

"""Agreement between columns equals scipy's, treats direction as data, and shows its n."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from scorer.inference.agreement import AgreementColumn, Coefficient, agreement, agreement_matrix
from scorer.inference.draws import drawn_counts
from scorer.inference.resampling import SEED, interval


def column(values: list[float | None], better: str = "higher") -> AgreementColumn:
    return AgreementColumn(values=values, better=better)  # type: ignore[arg-type]


def scipys(coefficient: Coefficient, x: np.ndarray, y: np.ndarray) -> float:
    if (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    test = stats.spearmanr if coefficient == "spearman" else stats.kendalltau
    return float(test(x, y).statistic)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_value_and_interval_are_those_of_resampling_models_with_scipy(coefficient: Coefficient) -> None:
    rng = np.random.default_rng(1)
    for _ in range(3):
        x = rng.integers(0, 8, size=11).astype(float)  # with ties
        y = np.round(x + rng.normal(size=11), 1)
        got = agreement(column(x.tolist()), column(y.tolist()), coefficient, resamples=200)
        assert got.value == pytest.approx(scipys(coefficient, x, y), abs=1e-12)
        counts = np.concatenate(list(drawn_counts(11, 200, SEED))).astype(int)
        expected = interval(
            np.array([scipys(coefficient, np.repeat(x, row), np.repeat(y, row)) for row in counts])
        )
        assert (got.low, got.high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_direction_is_data(coefficient: Coefficient) -> None:
    up, down = column([1.0, 2.0, 3.0, 4.0]), column([4.0, 3.0, 2.0, 1.0], "lower")
    assert agreement(up, down, coefficient).value == pytest.approx(1.0)


def test_models_missing_in_either_column_are_left_out_and_n_says_so() -> None:
    a = column([0.1, 0.2, None, 0.4, 0.5, 0.6, 0.7])
    b = column([0.2, None, 0.1, 0.3, 0.4, 0.6, 0.5])
    got = agreement(a, b, "spearman", resamples=100)
    assert got.n == 5
    assert got.value == pytest.approx(0.9)  # ranks 1 2 3 4 5 against 1 2 3 5 4: 1 - 6 * 2 / (5 * 24)


def test_two_models_or_a_constant_column_agree_on_nothing() -> None:
    assert agreement(column([1.0, 2.0]), column([1.0, 2.0]), "kendall").value is None
    flat = agreement(column([1.0] * 6), column([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "spearman")
    assert (flat.value, flat.low, flat.high) == (None, None, None)


def test_few_models_have_no_interval() -> None:
    got = agreement(column([1.0, 2.0, 3.0, 4.0]), column([1.0, 2.0, 4.0, 3.0]), "kendall")
    assert got.value == pytest.approx(4 / 6)
    assert (got.low, got.high) == (None, None)


def test_matrix_holds_every_pair_once_in_column_order() -> None:
    values = np.random.default_rng(2).random((3, 8)).tolist()
    columns = {name: column(row) for name, row in zip("abc", values, strict=True)}
    matrix = agreement_matrix(columns, "kendall", resamples=50)
    assert list(matrix) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert matrix["a", "c"] == agreement(columns["a"], columns["c"], "kendall", resamples=50)


def test_columns_of_other_models_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        agreement(column([1.0]), column([1.0, 2.0]), "kendall")

"""Do two columns order the models alike? Rank correlations over models, with intervals over models.

Used between metrics on a dataset and between datasets on a metric, for our records and for published
editions alike: all it needs is one value a model and column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from scorer.inference.draws import drawn_counts
from scorer.inference.resampling import RESAMPLES, SEED, interval
from scorer.types import Better, Floats

__all__ = ["Agreement", "AgreementColumn", "Coefficient", "agreement", "agreement_matrix"]

Coefficient = Literal["spearman", "kendall"]


@dataclass(frozen=True, kw_only=True)
class AgreementColumn:
    """One value a model: None where missing. Direction turns it so that agreement of good models is +1."""

    values: Sequence[float | None]
    better: Better


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How alike two columns order the models that both have.

    Attributes:
        n: models with both values. value: -1 to 1; None with fewer than 3 models or a constant column.
        low, high: 95 % percentile interval over models, fixed test set; None where none can be had (fewer
            than 5 models, or undefined in too many resamples).
    """

    coefficient: Coefficient
    n: int
    value: float | None
    low: float | None
    high: float | None


def agreement_matrix(
    columns: Mapping[str, AgreementColumn],
    coefficient: Coefficient,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[tuple[str, str], Agreement]:
    """Agreement of every two columns, each over the models that have both (n is shown beside it)."""
    return {
        (a, b): agreement(columns[a], columns[b], coefficient, resamples=resamples, seed=seed)
        for a, b in combinations(columns, 2)
    }


def agreement(
    a: AgreementColumn,
    b: AgreementColumn,
    coefficient: Coefficient,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Agreement:
    """Spearman's rho (average ranks) or Kendall's tau-b between two columns.

    The interval resamples models with replacement; both coefficients of a resample are computed from
    weights on the models, a model drawn twice being tied with itself.

    Raises:
        ValueError: the columns do not speak of equally many models.

    Source: Spearman (1904); Kendall, The Treatment of Ties in Ranking Problems (Biometrika, 1945), tau-b.
    """
    pairs = zip(a.values, b.values, strict=True)
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    n = len(both)
    x, y = np.array(both, dtype=np.float64).reshape(n, 2).T
    x, y = (x if a.better == "higher" else -x), (y if b.better == "higher" else -y)
    correlate = _spearman if coefficient == "spearman" else _kendall
    value = float(correlate(x, y, np.ones((1, n)))[0]) if n >= 3 else np.nan
    low: float | None = None
    high: float | None = None
    if n >= 5 and np.isfinite(value):
        blocks = [correlate(x, y, counts) for counts in drawn_counts(n, resamples, seed)]
        low, high = interval(np.concatenate(blocks))
    return Agreement(
        coefficient=coefficient, n=n, value=value if np.isfinite(value) else None, low=low, high=high
    )


def _spearman(x: Floats, y: Floats, counts: Floats) -> Floats:
    """rho of each resample: (rows, n) counts -> (rows,); NaN where a column is constant.

    The average rank of a model is half the weight tied with it, plus all weight below it, up to a shift.
    """
    ranks_x = counts @ _order(x).T
    ranks_y = counts @ _order(y).T
    return _correlation(ranks_x, ranks_y, counts)


def _order(x: Floats) -> Floats:
    """(n, n): [i, j] is 1 where j lies below i, 1/2 where it is equal, else 0."""
    return (np.sign(x[:, None] - x[None, :]) + 1) / 2


def _correlation(x: Floats, y: Floats, counts: Floats) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    x = x - (counts * x).sum(axis=1, keepdims=True) / total
    y = y - (counts * y).sum(axis=1, keepdims=True) / total
    covariance = (counts * x * y).sum(axis=1)
    spread = np.sqrt((counts * x * x).sum(axis=1) * (counts * y * y).sum(axis=1))
    return _ratio(covariance, spread)


def _kendall(x: Floats, y: Floats, counts: Floats) -> Floats:
    """tau-b of each resample; NaN where a column is constant."""
    sign_x = np.sign(x[:, None] - x[None, :])
    sign_y = np.sign(y[:, None] - y[None, :])
    agreeing = ((counts @ (sign_x * sign_y)) * counts).sum(axis=1)
    untied = [((counts @ np.abs(sign)) * counts).sum(axis=1) for sign in (sign_x, sign_y)]
    spread = np.sqrt(untied[0] * untied[1])
    return _ratio(agreeing, spread)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0))

"""Do two columns order the models alike? Rank correlations over models, with intervals over models.

Used between metrics on a dataset and between datasets on a metric, for our records and for published
editions alike: all it needs is one value a model and column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorer.inference.draws import drawn_counts, joined
from scorer.inference.resampling import RESAMPLES, SEED, interval
from scorer.types import Better, Floats

__all__ = ["Agreement", "AgreementColumn", "Coefficient", "agreement", "agreement_matrix"]

_BULK = 2**16  # counts handled at once; changes speed and nothing else

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
    return _agreement(x.tobytes(), y.tobytes(), coefficient, resamples, seed)


@lru_cache(maxsize=1024)
def _agreement(across: bytes, along: bytes, coefficient: Coefficient, resamples: int, seed: int) -> Agreement:
    """Agreement of two columns of float64, kept for a site that is built again with the same numbers."""
    x, y = np.frombuffer(across), np.frombuffer(along)
    n = len(x)
    correlate = _spearman if coefficient == "spearman" else _kendall
    value = float(correlate(x, y, np.ones((1, n)))[0]) if n >= 3 else np.nan
    low: float | None = None
    high: float | None = None
    if n >= 5 and np.isfinite(value):
        blocks = [correlate(x, y, counts) for counts in _counts(n, resamples, seed)]
        low, high = interval(np.concatenate(blocks))
    return Agreement(
        coefficient=coefficient, n=n, value=value if np.isfinite(value) else None, low=low, high=high
    )


@lru_cache(maxsize=2)
def _counts(n: int, resamples: int, seed: int) -> tuple[Floats, ...]:
    """The draws of n models; a matrix asks for the same ones again and again."""
    blocks = tuple(joined(drawn_counts(n, resamples, seed), _BULK))
    for block in blocks:
        block.setflags(write=False)
    return blocks


def _spearman(x: Floats, y: Floats, counts: Floats) -> Floats:
    """rho of each resample: (rows, n) counts -> (rows,); NaN where a column is constant.

    The average rank of a model is half the weight tied with it plus all weight below it, up to a shift.
    """
    ranks = []
    for values in (x, y):
        weights, group = _tied_weights(values, counts)
        ranks.append((np.cumsum(weights, axis=1) - weights / 2)[:, group])
    return _correlation(ranks[0], ranks[1], counts)


def _correlation(x: Floats, y: Floats, counts: Floats) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    x = x - (counts * x).sum(axis=1, keepdims=True) / total
    y = y - (counts * y).sum(axis=1, keepdims=True) / total
    covariance = (counts * x * y).sum(axis=1)
    spread = np.sqrt((counts * x * x).sum(axis=1) * (counts * y * y).sum(axis=1))
    return _ratio(covariance, spread)


def _kendall(x: Floats, y: Floats, counts: Floats) -> Floats:
    """tau-b of each resample; NaN where a column is constant."""
    same_order = np.sign(x[:, None] - x[None, :]) * np.sign(y[:, None] - y[None, :])
    agreeing = ((counts @ same_order) * counts).sum(axis=1)
    pairs = counts.sum(axis=1) ** 2
    untied = [pairs - (_tied_weights(values, counts)[0] ** 2).sum(axis=1) for values in (x, y)]
    return _ratio(agreeing, np.sqrt(untied[0] * untied[1]))


def _tied_weights(values: Floats, counts: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Weight of every distinct value, ascending, (rows, g), and which of them each model has."""
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    if len(distinct) == len(values):
        return counts[:, order], group
    starts = np.searchsorted(group[order], np.arange(len(distinct)))
    return np.add.reduceat(counts[:, order], starts, axis=1), group


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0))

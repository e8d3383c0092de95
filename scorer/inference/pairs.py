"""Any two models, paired study by study: difference, interval, permutation p, wins, effect size.

All differences are `a` minus `b` in the metric's own unit; which sign is good is the metric's direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scorer.inference.models import Draws, finish_or_nan
from scorer.inference.resampling import interval
from scorer.types import Floats

__all__ = ["Comparison", "compare", "compare_all", "holm", "p_against_row_above", "permutation_p"]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Model a against model b on one metric.

    Attributes:
        value_a, value_b: the metric for each. difference: a minus b.
        low, high: 95 % percentile interval of the difference over shared resamples; None where the metric
            is undefined in too many of them.
        p: two-sided permutation p. is_exact: every swap was tried, not a sample.
        wins, ties, losses: studies on which a is better, equal, worse; None for metrics whose value on a
            single study means nothing.
        effect: mean over studies of the difference in a's favour, in standard deviations of it; None where
            wins are, and where the difference is the same on every study without being 0.
    """

    value_a: float
    value_b: float
    difference: float
    low: float | None
    high: float | None
    p: float
    is_exact: bool
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    effect: float | None = None


def compare(draws: Draws, a: int = 0, b: int = 1) -> Comparison:
    """Compares two of the models drawn together; a and b index them.

    Source: interval, percentile bootstrap of the paired difference (Efron and Tibshirani 1993, chapter 13);
    p, see `permutation_p`; effect, Cohen's d of paired differences (d_z, Lakens, Frontiers in Psychology
    2013).
    """
    low, high = interval(draws.resampled[a] - draws.resampled[b])
    wins, ties, losses, effect = _study_by_study(draws, a, b)
    return Comparison(
        value_a=float(draws.values[a]),
        value_b=float(draws.values[b]),
        difference=float(draws.values[a] - draws.values[b]),
        low=low,
        high=high,
        p=permutation_p(draws, a, b),
        is_exact=draws.is_exact,
        wins=wins,
        ties=ties,
        losses=losses,
        effect=effect,
    )


def compare_all(draws: Draws) -> Iterator[tuple[int, int, Comparison]]:
    """Every pair (a, b, comparison) with a before b; k models give k (k - 1) / 2."""
    k = len(draws.values)
    return ((a, b, compare(draws, a, b)) for a in range(k) for b in range(a + 1, k))


def permutation_p(draws: Draws, a: int, b: int) -> float:
    """The two-sided p of "it makes no difference which of the two models a study's prediction came from".

    The predictions of random halves of the clusters change hands and the metric is computed anew for
    both; for a mean this flips the signs of paired differences. p is the share of swaps whose difference
    is at least as great as the one observed, which counts as one of the swaps when they are a sample:
    (count + 1) / (swaps + 1). An undefined swap counts as greater.

    Source: Fisher's randomisation test for pairs; (count + 1) / (n + 1) after Phipson and Smyth,
    Permutation P-values Should Never Be Zero (2010).
    """
    given = draws.halves[b] - draws.halves[a]
    swapped_a = finish_or_nan(draws.source.finish, draws.totals[a] + given)
    swapped_b = finish_or_nan(draws.source.finish, draws.totals[b] - given)
    # Equal differences that were summed in another order must count as equal.
    slack = 1e-12 * max(abs(draws.values[a]), abs(draws.values[b]))
    observed = abs(draws.values[a] - draws.values[b])
    count = len(swapped_a) - int((np.abs(swapped_a - swapped_b) < observed - slack).sum())
    return count / len(swapped_a) if draws.is_exact else (count + 1) / (len(swapped_a) + 1)


def p_against_row_above(draws: Draws, order: Sequence[int]) -> list[float | None]:
    """p of each model against the one before it in `order`; None for the first and for models not in it."""
    p_values: list[float | None] = [None] * len(draws.values)
    for above, model in pairwise(order):
        p_values[model] = permutation_p(draws, above, model)
    return p_values


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p, in the order given: all at or below 0.05 are true with a family-wise error of 5 %.

    Source: Holm, A Simple Sequentially Rejective Multiple Test Procedure (1979).
    """
    count = len(p_values)
    adjusted = [0.0] * count
    floor = 0.0
    for place, index in enumerate(sorted(range(count), key=lambda i: p_values[i])):
        floor = max(floor, min(1.0, (count - place) * p_values[index]))
        adjusted[index] = floor
    return adjusted


def _study_by_study(draws: Draws, a: int, b: int) -> tuple[int | None, int | None, int | None, float | None]:
    if not draws.source.is_per_study:
        return None, None, None, None
    gains: Floats = draws.sign * (draws.per_study[a] - draws.per_study[b])
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    return wins, len(gains) - wins - losses, losses, _standardised_mean(gains)


def _standardised_mean(gains: Floats) -> float | None:
    mean = float(gains.mean())
    if not gains.any():
        return 0.0
    spread = float(gains.std(ddof=1)) if len(gains) > 1 else 0.0
    return mean / spread if spread > 1e-12 * abs(mean) else None

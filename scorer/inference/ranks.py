"""Ranks with the uncertainty they have: rank intervals, tie groups, what a test set can resolve.

Everything said about a column follows from one family of pairwise decisions "model a is better than model
b", made so that with 95 % confidence not one of them is wrong. The rank interval, the models that may be
best and the tie groups are three readings of those decisions, so they never contradict each other and
hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorer.inference.decisions import Booleans, Decisions, decide
from scorer.inference.models import Draws
from scorer.inference.pairs import p_against_row_above
from scorer.inference.resampling import LEVEL
from scorer.types import Better, Floats

__all__ = [
    "METHOD",
    "Ranked",
    "RankedColumn",
    "best_first",
    "competition_ranks",
    "naive_rank_intervals",
    "rank_column",
    "rank_draws",
    "tie_groups",
]

METHOD = "simultaneous pairwise differences (bootstrap of the studentised maximum, step-down, t scale)"
BY_VALUE = "value only"


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """One model's place in a column.

    Attributes:
        rank: 1 is best; equal values share a rank and the next is skipped ("1224").
        low, high: best and worst rank that the test set leaves open; all intervals of a column hold
            together with 95 % confidence. None without resampled values.
        group: tie group, 1 is the top. Models of a lower group are separable from the leader of every
            group above. None without resampled values.
        p_above: p of the paired test against the next better model; None for the best one and where not tested.
    """

    rank: int
    low: int | None = None
    high: int | None = None
    group: int | None = None
    p_above: float | None = None


@dataclass(frozen=True, kw_only=True)
class RankedColumn:
    """A column of a board, ranked.

    Attributes:
        models: one entry a model, in the order given; None where the value is missing.
        order: indices of the ranked models, best first; equal values in the order given.
        top: indices of the models that nobody is separably better than, best first: one of them is the
            best, with 95 % confidence.
        resolvable: the difference that two models of this column typically need to be separable (median
            over pairs), in the metric's unit; None with fewer than two models.
        method: how decisions were made.
    """

    models: tuple[Ranked | None, ...]
    order: tuple[int, ...]
    top: tuple[int, ...]
    resolvable: float | None
    method: str = METHOD


def competition_ranks(values: Sequence[float | None], better: Better) -> list[int | None]:
    """Ranks by exact value: 1 plus the number of strictly better values; None stays None."""
    sign = -1.0 if better == "higher" else 1.0
    ordered = np.sort([sign * value for value in values if value is not None])
    return [
        None if value is None else int(np.searchsorted(ordered, sign * value, side="left")) + 1
        for value in values
    ]


def best_first(values: Sequence[float | None], better: Better) -> list[int]:
    """Indices of the values that are there, best first; equal values in the order given."""
    sign = -1.0 if better == "higher" else 1.0
    there = [(sign * value, i) for i, value in enumerate(values) if value is not None]
    return [i for _, i in sorted(there)]


def rank_draws(draws: Draws, *, tolerance: float = 0.0) -> RankedColumn:
    """Ranks models drawn together, with intervals, tie groups and p against the next better model.

    Give models in the order in which equal values shall stand on the board.

    Source: see `rank_column` and `scorer.inference.pairs.permutation_p`.
    """
    values: list[float | None] = [float(value) for value in draws.values]
    better = draws.source.better
    return rank_column(
        values,
        draws.resampled,
        better=better,
        p_above=p_against_row_above(draws, best_first(values, better)),
        n_clusters=draws.n_clusters,
        tolerance=tolerance,
    )


def rank_column(
    values: Sequence[float | None],
    resampled: Floats | None,
    *,
    better: Better,
    p_above: Sequence[float | None] | None = None,
    n_clusters: int | None = None,
    tolerance: float = 0.0,
) -> RankedColumn:
    """Ranks one column; a missing value (None) gets no rank and outranks nobody.

    Args:
        values: one a model. resampled: float64 (k, resamples), rows of missing values are not read; None
            where per-study statistics are not at hand: ranks then come without intervals and groups.
        p_above: one a model. n_clusters, tolerance: see `decide`.

    Raises:
        ValueError: a value is not finite.

    Source: rank intervals as `decide`. The models that may be best are Hsu's multiple comparisons with the
    best (Annals of Statistics, 1984), deduced from all pairwise decisions; this is somewhat wider than a
    test for the best alone and in exchange agrees with the rank intervals under the same 95 %.
    """
    present = [i for i, value in enumerate(values) if value is not None]
    exact = np.array([values[i] for i in present], dtype=np.float64)
    if not np.isfinite(exact).all():
        raise ValueError("a value to rank must be finite; a missing one is None")
    order = best_first(values, better)
    models = [
        None if rank is None else Ranked(rank=rank, p_above=p_above[i] if p_above else None)
        for i, rank in enumerate(competition_ranks(values, better))
    ]
    if resampled is None:
        return RankedColumn(
            models=tuple(models), order=tuple(order), top=(), resolvable=None, method=BY_VALUE
        )
    decisions = decide(exact, resampled[present], better=better, n_clusters=n_clusters, tolerance=tolerance)
    lows = 1 + decisions.better.sum(axis=0)
    highs = len(present) - decisions.better.sum(axis=1)
    groups = tie_groups(exact if better == "higher" else -exact, decisions.better)
    for i, low, high, group in zip(present, lows.tolist(), highs.tolist(), groups.tolist(), strict=True):
        place = models[i]
        assert place is not None
        models[i] = replace(place, low=low, high=high, group=group)
    open_top = {i for i, low in zip(present, lows, strict=True) if low == 1}
    return RankedColumn(
        models=tuple(models),
        order=tuple(order),
        top=tuple(i for i in order if i in open_top),
        resolvable=_resolvable(decisions),
    )


def tie_groups(values: Floats, better: Booleans) -> NDArray[np.int64]:
    """Groups, contiguous in rank order, from separable pairs.

    The best model not yet in a group leads the next one (so do all that share its value exactly). The
    group reaches down to the last model that is not separable from a leader, and takes everybody between.
    So every model below a group is separable from each of its leaders.

    Args:
        values: float64 (k,), higher is better. better: as in `Decisions`.
    """
    order = np.argsort(-values, kind="stable")
    groups = np.zeros(len(values), dtype=np.int64)
    start, group = 0, 0
    while start < len(order):
        group += 1
        leaders = [i for i in order[start:] if values[i] == values[order[start]]]
        tied = ~better[np.ix_(leaders, order[start:])].all(axis=0)
        stop = start + int(np.flatnonzero(tied)[-1]) + 1
        groups[order[start:stop]] = group
        start = stop
    return groups


def naive_rank_intervals(resampled: Floats, better: Better) -> tuple[NDArray[np.int64], ...]:
    """Percentile intervals of bootstrapped ranks, (low, high) each (k,): for comparison only.

    They miss the true rank far too often where models are close, since the bootstrap ranks noise on top
    of noise; the method checks measure it. Boards use `rank_column`.
    """
    from scipy.stats import rankdata

    sign = -1.0 if better == "higher" else 1.0
    ranks = rankdata(sign * resampled, method="min", axis=0)
    low, high = np.quantile(ranks, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1, method="inverted_cdf")
    return low.astype(np.int64), high.astype(np.int64)


def _resolvable(decisions: Decisions) -> float | None:
    errors = decisions.errors[np.triu_indices(len(decisions.errors), 1)]
    errors = errors[(errors > 0) & np.isfinite(errors)]
    if len(errors) == 0 or not np.isfinite(decisions.critical):
        return None
    return float(decisions.critical * np.median(errors))

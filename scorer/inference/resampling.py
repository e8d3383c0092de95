"""Percentile bootstrap on summed terms.

A metric sees totals only, so a resample is a vector of counts (how often each cluster was drawn) and its
totals are one matrix product of counts and terms: no resample is ever written out study by study.

Two promises hold by construction. *Shared resamples*: the draw depends on the number of clusters, the seed
and the index of the resample, never on the terms, so any two models of one run meet the same resamples.
*Equal bytes*: terms are cut into slices so coarse that every partial sum is exact, so neither the number of
threads, the BLAS, the blocking nor the neighbouring columns can change a bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.inference.draws import Counts, all_halves, drawn_counts, drawn_halves, joined
from scorer.types import Floats

__all__ = ["RESAMPLES", "SEED", "count_clusters", "interval", "resampled_totals", "swapped_totals", "totals"]

RESAMPLES = 10_000
SEED = 20_260_101
"""The board's seed. Any fixed number would do; it is part of every record."""

LEVEL = 0.95
_BULK = 2**22  # weights a product, 32 MiB; changes speed and nothing else


def count_clusters(n: int, clusters: Sequence[str] | None) -> int:
    """The number of units that resampling draws: distinct `clusters`, or the n studies without them."""
    return n if clusters is None else len(set(clusters))


def totals(terms: Floats) -> Floats:
    """Totals of the terms over all studies, (..., n, m) -> (..., m).

    Exact but for one last rounding: the order of the studies and the company of other models or metrics
    change nothing.

    Raises:
        ValueError: terms are not finite or there is no study.
    """
    terms = np.asarray(terms, dtype=np.float64)
    if terms.shape[-2] == 0:
        raise ValueError("there is no study to sum over")
    return _totals(terms, None, 1, [np.ones((1, terms.shape[-2]), dtype=np.int64)])[..., 0, :]


def resampled_totals(
    terms: Floats, *, clusters: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Floats:
    """Totals of the terms over bootstrap resamples.

    Clusters are drawn with replacement, as many as there are; a drawn cluster brings all its studies.
    The first k resamples are the same whatever `resamples` is.

    Args:
        terms: float64 (..., n, m), finite; leading axes (models, metrics) share the resamples.
        clusters: n labels, such as patients; None draws single studies.

    Returns:
        float64 (..., resamples, m), correct to the last digit or the one before.

    Raises:
        ValueError: terms are not finite, labels do not match them, or there are fewer than two clusters
            (nothing can be learned about spread; see `count_clusters`).

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; clusters as in
    Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8.
    """
    terms = np.asarray(terms, dtype=np.float64)
    c = count_clusters(terms.shape[-2], clusters)
    if c < 2:
        raise ValueError("resampling needs at least two clusters")
    return _totals(terms, clusters, resamples, drawn_counts(c, resamples, seed))


def swapped_totals(
    terms: Floats, *, clusters: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Floats, bool]:
    """Totals of the terms over random halves of the clusters: what two models exchange in a swap.

    Every cluster is in a half with probability 1/2. When all 2^c halves are at most `resamples`, each of
    them is listed once instead. As totals add up, a pair of models needs no draw of its own: with halves
    `a` and `b` and full totals `A` and `B`, the swapped models have totals A - a + b and B - b + a.

    Args and Raises: as `resampled_totals`; a single cluster is enough.

    Returns:
        float64 (..., halves, m), and whether these are all the halves there are.
    """
    terms = np.asarray(terms, dtype=np.float64)
    c = count_clusters(terms.shape[-2], clusters)
    if c < 40 and 2**c <= resamples:
        return _totals(terms, clusters, 2**c, all_halves(c)), True
    return _totals(terms, clusters, resamples, drawn_halves(c, resamples, seed)), False


def interval(values: Floats) -> tuple[float, float] | tuple[None, None]:
    """The 95 % percentile interval of resampled values, or (None, None) where none can be had.

    A resample in which the metric is undefined (0/0 gives NaN) counts as lying beyond either bound, so it
    can widen the interval and never narrow it; with more than 2.5 % of them there is no interval. Bounds
    are values that occurred, without interpolation.

    Args:
        values: float64 (resamples,).
    """
    ordered = np.sort(np.where(np.isfinite(values), values, np.nan))  # undefined ones go last
    n_undefined = int(np.isnan(ordered).sum())
    cut = math.floor((1 - LEVEL) / 2 * (len(ordered) - 1))
    if n_undefined > cut:
        return None, None
    return float(ordered[cut - n_undefined]), float(ordered[len(ordered) - 1 - cut])


def _totals(terms: Floats, clusters: Sequence[str] | None, rows: int, blocks: Iterable[Counts]) -> Floats:
    """Totals of (..., n, m) under `rows` rows of cluster weights: whole numbers with a sum of at most c."""
    *leading, n, m = terms.shape
    columns = _sum_by_cluster(np.moveaxis(terms.reshape(-1, n, m), 1, 0).reshape(n, -1), clusters)
    columns, place = _distinct(columns)
    slices, remaining = _exact_slices(columns)
    width = columns.shape[1]
    sums = np.empty((rows, width))
    start = 0
    for block in joined(blocks, _BULK):
        product = block @ slices
        product[:, remaining] += product[:, width:]
        sums[start : start + len(block)] = product[:, :width]
        start += len(block)
    return np.moveaxis(sums[:, place].reshape(rows, -1, m), 0, 1).reshape(*leading, rows, m)


def _sum_by_cluster(columns: Floats, clusters: Sequence[str] | None) -> Floats:
    """Rows summed within clusters, ordered by label: (n, w) -> (clusters, w)."""
    if not np.isfinite(columns).all():
        raise ValueError("terms must be finite")
    if clusters is None:
        return columns
    if len(clusters) != len(columns):
        raise ValueError(f"{len(columns)} rows of terms but {len(clusters)} cluster labels")
    labels, index = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    sums = np.zeros((len(labels), columns.shape[1]))
    np.add.at(sums, index, columns)
    return sums


def _distinct(columns: Floats) -> tuple[Floats, list[int]]:
    """Columns without repetitions (every mean metric brings a column of ones) and where each one went."""
    seen: dict[bytes, int] = {}
    place = [seen.setdefault(column.tobytes(), len(seen)) for column in columns.T]
    first = [place.index(i) for i in range(len(seen))]
    return columns[:, first], place


def _exact_slices(columns: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Cuts columns so that sums of up to c drawn rows are exact in any order of addition.

    Every column becomes a multiple of a power of two so large that c times its greatest value stays below
    2^53 of them, and a remainder treated alike; what is left after that is below the last digit of any total.
    Whole numbers leave no remainder.

    Returns:
        (c, w + r) slices, and which r of the w columns have a remainder.

    Source: pre-rounding, Demmel and Nguyen, Fast Reproducible Floating-Point Summation (ARITH 2013).
    """
    coarse = _round_to_grid(columns)
    remainder = columns - coarse
    remaining = np.flatnonzero(remainder.any(axis=0))
    return np.hstack([coarse, _round_to_grid(remainder[:, remaining])]), remaining


def _round_to_grid(columns: Floats) -> Floats:
    greatest = np.abs(columns).max(axis=0)
    exponent = np.frexp(greatest)[1] + len(columns).bit_length() + 1 - 53
    return np.asarray(np.ldexp(np.rint(np.ldexp(columns, -exponent)), exponent))

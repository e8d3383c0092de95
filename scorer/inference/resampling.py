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
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.types import Floats

__all__ = ["RESAMPLES", "SEED", "count_clusters", "interval", "resampled_totals"]

RESAMPLES = 10_000
SEED = 20_260_101
"""The board's seed. Any fixed number would do; it is part of every record."""

LEVEL = 0.95
_BLOCK = 64  # resamples a draw; part of the definition of the draw: another value gives other resamples


def count_clusters(n: int, clusters: Sequence[str] | None) -> int:
    """The number of units that resampling draws: distinct `clusters`, or the n studies without them."""
    return n if clusters is None else len(set(clusters))


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
    *leading, n, m = terms.shape
    columns = np.moveaxis(terms.reshape(-1, n, m), 1, 0).reshape(n, -1)
    columns = _sum_by_cluster(columns, clusters)
    slices, kept = _exact_slices(columns)
    width = columns.shape[1]
    totals = np.empty((resamples, width))
    for start, counts in _counts(len(columns), resamples, seed):
        product = counts @ slices
        block = product[:, :width]
        block[:, kept] += product[:, width:]
        totals[start : start + len(counts)] = block
    return np.moveaxis(totals.reshape(resamples, -1, m), 0, 1).reshape(*leading, resamples, m)


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


def _sum_by_cluster(columns: Floats, clusters: Sequence[str] | None) -> Floats:
    """Rows summed within clusters, ordered by label: (n, w) -> (clusters, w)."""
    if not np.isfinite(columns).all():
        raise ValueError("terms must be finite")
    if clusters is not None and len(clusters) != len(columns):
        raise ValueError(f"{len(columns)} rows of terms but {len(clusters)} cluster labels")
    if count_clusters(len(columns), clusters) < 2:
        raise ValueError("resampling needs at least two clusters")
    if clusters is None:
        return columns
    labels, index = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    sums = np.zeros((len(labels), columns.shape[1]))
    np.add.at(sums, index, columns)
    return sums


def _exact_slices(columns: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Cuts columns so that sums of up to c drawn rows are exact in any order of addition.

    Every column becomes a multiple of a power of two so large that c times its greatest value stays below
    2^53 of them, and a remainder treated alike; what is left after that is below 2^-70 of the greatest
    value. Whole numbers leave no remainder.

    Returns:
        (c, w + r) slices, and the indices of the r columns that have a remainder.

    Source: pre-rounding, Demmel and Nguyen, Fast Reproducible Floating-Point Summation (ARITH 2013).
    """
    coarse = _round_to_grid(columns)
    remainder = columns - coarse
    kept = np.flatnonzero(remainder.any(axis=0))
    return np.hstack([coarse, _round_to_grid(remainder[:, kept])]), kept


def _round_to_grid(columns: Floats) -> Floats:
    greatest = np.abs(columns).max(axis=0)
    exponent = np.frexp(greatest)[1] + len(columns).bit_length() + 1 - 53
    return np.asarray(np.ldexp(np.rint(np.ldexp(columns, -exponent)), exponent))


def _counts(c: int, resamples: int, seed: int) -> Iterator[tuple[int, Floats]]:
    """How often each of c clusters is drawn: (index of the first resample, float64 (rows, c)) per block.

    Each block has its own stream, so blocks could be drawn in any order. Raw bits are scaled by
    multiplication, whose bias is below c / 2^32; unlike numpy's own integers they are promised to stay the
    same in later versions.
    """
    offsets = np.arange(0, _BLOCK * c, c, dtype=np.uint64)[:, None]
    for start in range(0, resamples, _BLOCK):
        rows = min(_BLOCK, resamples - start)
        stream = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(start // _BLOCK,)))
        bits = stream.random_raw((rows * c + 1) // 2).astype("<u8", copy=False).view("<u4")
        drawn = bits[: rows * c].astype(np.uint64).reshape(rows, c)
        drawn *= np.uint64(c)
        drawn >>= np.uint64(32)
        drawn += offsets[:rows]
        yield (
            start,
            np.bincount(drawn.view(np.int64).ravel(), minlength=rows * c).reshape(rows, c).astype(float),
        )

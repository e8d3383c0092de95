"""Simultaneous pairwise decisions: which models are separable, with one error rate for all pairs together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.inference.resampling import LEVEL
from scorer.types import Better, Floats

__all__ = ["Booleans", "Decisions", "decide"]

Booleans = NDArray[np.bool_]

_MOST = 2_000_000_000  # differences looked at in a pass


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """Simultaneous pairwise decisions.

    Attributes:
        better: (k, k), [a, b] true when a is separably better than b.
        critical: how many standard errors a difference must exceed; infinite when nothing can be decided.
        errors: (k, k), bootstrap standard errors of the differences.
    """

    better: Booleans
    critical: float
    errors: Floats


def decide(
    values: Floats,
    resampled: Floats,
    *,
    better: Better,
    n_clusters: int | None = None,
    tolerance: float = 0.0,
) -> Decisions:
    """Which models are separable, all pairs at once, with a family-wise error of at most 5 %.

    The hypotheses are "a is not better than b" for all ordered pairs. A pair is separable when its
    difference exceeds `critical` standard errors, the 95 % quantile over resamples of the greatest
    studentised deviation among hypotheses not yet rejected; rejecting some lowers it for the rest, until
    nothing changes. A resample with an undefined value counts as an infinite deviation; a model with more
    than 2.5 % of them is separable from nobody. A difference that is the same in every resample (standard
    error zero) is separable unless it is 0 itself, up to rounding.

    Args:
        values: float64 (k,), finite. resampled: float64 (k, resamples), shared resamples.
        n_clusters: how many clusters were resampled; None takes their number to be large.
        tolerance: differences up to this are never separable (noise of an encoder across machines).

    Source: Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks with Applications to Mobility across
    Neighbourhoods and Academic Achievement across Countries (Review of Economic Studies, 2024); step-down
    after Romano and Wolf, Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing (JASA,
    2005). Deviation: the scale of a difference is estimated once, by the bootstrap, and not anew in each
    resample, since a metric that sees totals only has no standard error within a resample. That this scale
    is itself uncertain is allowed for as in a t test: the critical value is carried from the normal to the
    t distribution with `n_clusters` - 1 degrees of freedom.
    """
    # Hundreds of models make do with fewer resamples; `_critical` allows for its own Monte Carlo error.
    resampled = resampled[:, : max(1000, _MOST // max(1, len(values) ** 2))]
    sign = 1.0 if better == "higher" else -1.0
    place = np.argsort(-sign * values, kind="stable")
    values, resampled = sign * values[place], sign * resampled[place]
    rounding = 1e-12 * np.abs(values).max(initial=0.0)
    gaps = values[:, None] - values[None, :]  # never negative above the diagonal
    errors = _standard_errors(resampled, rounding)
    is_known = np.isfinite(errors)
    rejected = np.zeros(gaps.shape, dtype=bool)
    while True:
        critical = _stretched(_critical(values, resampled, errors, rejected), n_clusters)
        if np.isinf(critical):
            break
        allowance = critical * np.where(is_known, errors, 0.0)
        found = np.triu(is_known & (gaps > np.maximum(allowance, max(tolerance, rounding))), 1)
        if not (found & ~rejected).any():
            break
        rejected |= found
    back = np.argsort(place)
    errors = errors + errors.T
    return Decisions(
        better=rejected[np.ix_(back, back)], critical=critical, errors=errors[np.ix_(back, back)]
    )


def _standard_errors(resampled: Floats, rounding: float) -> Floats:
    """Upper triangle (k, k) of standard errors of differences; 0 below `rounding`, infinite where unknown."""
    k = len(resampled)
    errors = np.zeros((k, k))
    is_unknown = np.isnan(resampled).mean(axis=1) > (1 - LEVEL) / 2
    spread = np.nanstd if np.isnan(resampled).any() else np.std
    for a in range(k - 1):
        known = np.flatnonzero(~is_unknown[a + 1 :]) + a + 1
        errors[a, a + 1 :] = np.inf
        if not is_unknown[a] and len(known):
            errors[a, known] = spread(resampled[a] - resampled[known], axis=1, ddof=1)
    errors[errors <= rounding] = 0.0
    return errors


def _critical(values: Floats, resampled: Floats, errors: Floats, rejected: Booleans) -> float:
    """The 95 % quantile over resamples of the greatest deviation among hypotheses not rejected.

    Taken two of its own Monte Carlo errors too high, so that the luck of resampling cannot make it too low.
    Models are in rank order. A pair not rejected has both its hypotheses in play, hence the absolute
    deviation; of a rejected pair the reverse hypothesis stays.
    """
    greatest = np.zeros(resampled.shape[1])
    centred = resampled - values[:, None]
    for a in range(len(values) - 1):
        below = np.flatnonzero((errors[a] > 0) & np.isfinite(errors[a]))
        if len(below) == 0:
            continue
        deviations = centred[below] - centred[a]
        deviations /= errors[a, below][:, None]
        np.abs(deviations, out=deviations, where=~rejected[a, below][:, None])
        np.maximum(greatest, deviations.max(axis=0), out=greatest)
    greatest[np.isnan(greatest)] = np.inf
    greatest.sort()
    count = len(greatest)
    place = math.ceil(LEVEL * (count + 1) + 2 * math.sqrt(LEVEL * (1 - LEVEL) * count))
    return float(greatest[min(place, count) - 1])


def _stretched(critical: float, n_clusters: int | None) -> float:
    """The t quantile with the tail of a normal one, times what a bootstrap standard error is too small by."""
    if n_clusters is None or not 0 < critical < 30:
        return critical
    from scipy.special import ndtr, stdtrit

    t = -float(stdtrit(n_clusters - 1, ndtr(-critical)))
    return t * math.sqrt(n_clusters / (n_clusters - 1))

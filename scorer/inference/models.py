"""One metric over several models, and everything that ranks and comparisons draw from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.inference.resampling import (
    RESAMPLES,
    SEED,
    count_clusters,
    resampled_totals,
    swapped_totals,
    totals,
)
from scorer.types import Better, Floats

__all__ = ["Draws", "MetricTerms", "draw"]


@dataclass(frozen=True, kw_only=True)
class MetricTerms:
    """The terms of one metric for k models on the same n studies.

    Attributes:
        terms: float64 (k, n, m), what `Metric.terms` gives for each model, studies in one order.
        finish: `Metric.finish`. better: direction as data.
        is_per_study: whether the value of a single study means something (false for corpus F1).
    """

    terms: Floats
    finish: Callable[[Floats], Floats]
    better: Better
    is_per_study: bool = True


@dataclass(frozen=True, kw_only=True)
class Draws:
    """One metric's values for k models, as they are, resampled, and ready to be swapped in pairs.

    All models share resamples and halves, so that differences of rows are paired differences.

    Attributes:
        source: what was drawn from.
        values: float64 (k,), the metric on all studies.
        resampled: float64 (k, resamples), the metric on bootstrap resamples; NaN where undefined.
        totals: float64 (k, m). halves: float64 (k, h, m), see `swapped_totals`.
        is_exact: `halves` holds every half there is.
        n_clusters: units that were resampled.
        per_study: float64 (k, n), the metric on each study alone; NaN where it means nothing.
    """

    source: MetricTerms
    values: Floats
    resampled: Floats
    totals: Floats
    halves: Floats
    per_study: Floats
    is_exact: bool
    n_clusters: int

    @property
    def sign(self) -> float:
        """1 where higher is better, -1 where lower is."""
        return 1.0 if self.source.better == "higher" else -1.0


def draw(
    metrics: Mapping[str, MetricTerms],
    *,
    clusters: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Draws]:
    """Draws once for all models and metrics together: two passes over the terms in all.

    The numbers are the same as when each metric or model is drawn alone.

    Raises:
        ValueError: as `resampled_totals`.
    """
    stacked = np.concatenate(
        [np.moveaxis(one.terms, 0, 1).reshape(one.terms.shape[1], -1) for one in metrics.values()], axis=1
    )
    everywhere = resampled_totals(stacked, clusters=clusters, resamples=resamples, seed=seed)
    halves, is_exact = swapped_totals(stacked, clusters=clusters, resamples=resamples, seed=seed)
    drawn: dict[str, Draws] = {}
    start = 0
    for name, one in metrics.items():
        k, _, m = one.terms.shape
        columns = slice(start, start + k * m)
        start += k * m
        whole = totals(one.terms)
        drawn[name] = Draws(
            source=one,
            values=one.finish(whole),
            resampled=finish_or_nan(one.finish, _by_model(everywhere[:, columns], k)),
            totals=whole,
            halves=_by_model(halves[:, columns], k),
            per_study=finish_or_nan(one.finish, one.terms),
            is_exact=is_exact,
            n_clusters=count_clusters(len(stacked), clusters),
        )
    return drawn


def finish_or_nan(finish: Callable[[Floats], Floats], sums: Floats) -> Floats:
    """The metric on resampled totals; NaN where it is undefined there, which `interval` and ranks expect."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(finish(sums), dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _by_model(sums: Floats, k: int) -> Floats:
    return np.ascontiguousarray(np.moveaxis(sums.reshape(len(sums), k, -1), 1, 0))

"""The contract of a metric, and the one shape most metrics have: a mean over studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scorer.types import Floats, MetricSpec

__all__ = ["MeanMetric", "Metric", "Tables"]

Tables = Mapping[str, Mapping[str, Floats]]
"""Statistic id -> column name -> float64 (n,)."""


class Metric(Protocol):
    """A pure function of summed per-study terms.

    Because `finish` sees totals only, one pass gives the value (totals over all studies), its bootstrap
    interval (totals of resamples), paired differences (same resamples, two models) and any subgroup.
    """

    @property
    def spec(self) -> MetricSpec: ...

    def terms(self, tables: Tables) -> Floats:
        """Per-study terms, float64 (n, m), that add up over studies."""
        ...

    def finish(self, totals: Floats) -> Floats:
        """Metric values, shape (...), from totals of shape (..., m)."""
        ...


@dataclass(frozen=True, kw_only=True)
class MeanMetric:
    """The mean over studies of one per-study value; terms are (value, 1)."""

    spec: MetricSpec
    per_study: Callable[[Tables], Floats]

    def terms(self, tables: Tables) -> Floats:
        values = self.per_study(tables)
        return np.column_stack([values, np.ones(len(values))])

    def finish(self, totals: Floats) -> Floats:
        return np.asarray(totals[..., 0] / totals[..., 1])

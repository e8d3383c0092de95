"""The shapes of a judge's metrics: a mean over the studies whose answer was read, and the share that was not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from scorer.judges.reading import Status
from scorer.metrics.base import MeanMetric, Tables
from scorer.types import Floats, MetricSpec

__all__ = ["ReadMean", "unread_share"]


@dataclass(frozen=True, kw_only=True)
class ReadMean:
    """The mean of one value over studies with a status of READ or EMPTY; terms are (value, 1) there and (0, 0)
    elsewhere (rule `unread@1`, see `scorer.judges.reading`).

    Attributes:
        value: per-study value (n,) from the statistic's columns, for studies that were read.
        worst: the value of a study with an empty prediction.
    """

    spec: MetricSpec
    value: Callable[[Mapping[str, Floats]], Floats]
    worst: float

    def terms(self, tables: Tables) -> Floats:
        """See `Metric`."""
        columns = tables[self.spec.needs[0]]
        status = columns["status"]
        values = np.where(status == Status.READ, self.value(columns), self.worst)
        counts = (status == Status.READ) | (status == Status.EMPTY)
        return np.column_stack([np.where(counts, values, 0.0), counts.astype(np.float64)])

    def finish(self, totals: Floats) -> Floats:
        """See `Metric`; NaN, which is no value, where no study counts."""
        with np.errstate(invalid="ignore"):
            return np.asarray(totals[..., 0] / totals[..., 1])


def unread_share(statistic: str, label: str, source: str) -> MeanMetric:
    """The metric `<statistic>_unread`: the share of studies whose answer could not be read, for display."""

    def per_study(tables: Tables) -> Floats:
        return np.asarray(tables[statistic]["status"] > Status.EMPTY, dtype=np.float64)

    spec = MetricSpec(
        id=f"{statistic}_unread",
        version=1,
        label=f"{label} unread",
        group="form",
        needs=(statistic,),
        low=0.0,
        high=1.0,
        better="lower",
        source=source,
        changes=((1, "2026-11-30", "first version"),),
        is_ranked=False,
        on_board=False,
        page=statistic,
    )
    return MeanMetric(spec=spec, per_study=per_study)

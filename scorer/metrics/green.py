"""GREEN: matched findings against matched findings and significant errors, as a judge counts them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scorer.judges.green import SIGNIFICANT
from scorer.metrics.judged import ReadMean, unread_share
from scorer.types import Floats, MetricSpec

__all__ = ["GREEN", "GREEN_UNREAD"]

_SOURCE = "Ostmeier et al. 2024; green-score 0.0.12"


def _score(columns: Mapping[str, Floats]) -> Floats:
    """matched / (matched + significant errors), 0 where nothing matched."""
    matched = columns["matched"]
    total = matched + np.sum([columns[name] for name in SIGNIFICANT], axis=0)
    return np.asarray(np.divide(matched, total, out=np.zeros_like(matched), where=total > 0))


GREEN = ReadMean(
    spec=MetricSpec(
        id="green",
        version=1,
        label="GREEN",
        group="judge",
        needs=("green",),
        low=0.0,
        high=1.0,
        better="higher",
        source=_SOURCE,
        changes=((1, "2026-11-30", "first version"),),
    ),
    value=_score,
    worst=0.0,
)
GREEN_UNREAD = unread_share("green", "GREEN", _SOURCE)

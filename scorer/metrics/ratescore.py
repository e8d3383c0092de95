"""RaTEScore: the harmonic mean of how well each report's entities are found in the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scorer.metrics.base import MeanMetric, Tables
from scorer.types import Floats, MetricSpec

__all__ = ["RATESCORE", "RATESCORE_SHORT"]

NO_ENTITY = 0.5
"""The original's score of a pair in which one report has no entity."""


def _per_study(name: str) -> Callable[[Tables], Floats]:
    def per_study(tables: Tables) -> Floats:
        columns = tables["ratescore"]
        forth, back = columns[f"reference_in_prediction_{name}"], columns[f"prediction_in_reference_{name}"]
        total = forth + back
        mean = np.divide(2 * forth * back, total, out=np.zeros_like(total), where=total != 0)
        has_none = (columns["reference_entities"] == 0) | (columns["prediction_entities"] == 0)
        return np.where(columns["is_empty"] == 1, 0.0, np.where(has_none, NO_ENTITY, mean))

    return per_study


def _metric(metric_id: str, label: str, weights: str, on_board: bool) -> MeanMetric:
    return MeanMetric(
        spec=MetricSpec(
            id=metric_id,
            version=1,
            label=label,
            group="clinical",
            needs=("ratescore",),
            low=0.0,
            high=1.0,
            better="higher",
            source="Zhao et al. 2024; ratescore 0.6.0",
            changes=((1, "2026-11-30", "first version"),),
            on_board=on_board,
            page="ratescore",
        ),
        per_study=_per_study(weights),
    )


RATESCORE = _metric("ratescore", "RaTEScore", "long", True)
RATESCORE_SHORT = _metric("ratescore_short", "RaTEScore (short)", "short", False)

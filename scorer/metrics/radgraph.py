"""RadGraph F1: the combined score of ReXrank, and the three reward levels of the package."""

from __future__ import annotations

import numpy as np

from scorer.metrics.base import MeanMetric, Tables
from scorer.types import Floats, MetricSpec

__all__ = ["RADGRAPH_METRICS", "combined", "level_f1"]


def level_f1(tables: Tables, level: str, statistic: str = "radgraph") -> Floats:
    """F1 on the sets of one level per study, (n,), 0 to 1; 0 where either side is empty, both included."""
    table = tables[statistic]
    sizes = table[f"{level}_prediction"] + table[f"{level}_reference"]
    return np.asarray(2 * table[f"{level}_matches"] / np.maximum(1.0, sizes))


def combined(tables: Tables) -> Floats:
    """Mean of entity and relation F1 per study, (n,), 0 to 1: ReXrank's RadGraph and the input of RadCliQ.

    Two equal reports without relations get 0.5, because F1 of two empty sets is 0.
    Source: CXR-Report-Metric radgraph_evaluate_model.py.
    """
    return np.asarray((level_f1(tables, "entity") + level_f1(tables, "relation")) / 2)


_SETS = {
    "simple": ("entity", "entities with their labels"),
    "partial": ("partial", "entities with their labels and whether they head a relation"),
    "complete": ("complete", "entities with their labels and relations"),
}


def _level(name: str, statistic: str) -> MeanMetric:
    level, what = _SETS[name]
    is_v1 = statistic == "radgraph"
    return MeanMetric(
        spec=MetricSpec(
            id=f"{statistic}_{name}",
            version=1,
            label=f"RadGraph{'' if is_v1 else '-XL'} {name}",
            group="clinical",
            needs=(statistic,),
            low=0.0,
            high=1.0,
            better="higher",
            source=f"Delbrouck et al. 2022; radgraph 0.1.18, reward level {name}: F1 on {what}",
            changes=((1, "2026-11-30", "First version: case as in release 0.1.18."),),
            on_board=is_v1 and name == "partial",
            page="radgraph",
        ),
        per_study=lambda tables: level_f1(tables, level, statistic),
    )


RADGRAPH_METRICS: tuple[MeanMetric, ...] = (
    MeanMetric(
        spec=MetricSpec(
            id="radgraph_combined",
            version=1,
            label="RadGraph",
            group="clinical",
            needs=("radgraph",),
            low=0.0,
            high=1.0,
            better="higher",
            source="Yu et al. 2023; CXR-Report-Metric radgraph_evaluate_model.py",
            changes=((1, "2026-11-30", "First version: mean of entity and relation F1, case-sensitive."),),
            page="radgraph",
        ),
        per_study=combined,
    ),
    *(_level(name, statistic) for statistic in ("radgraph", "radgraph_xl") for name in _SETS),
)

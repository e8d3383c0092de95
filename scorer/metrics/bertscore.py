"""BERTScore: the mean over studies of the rescaled F1."""

from __future__ import annotations

from scorer.metrics.base import MeanMetric
from scorer.statistics.bertscore import BASELINE
from scorer.types import MetricSpec

__all__ = ["BERTSCORE"]

BERTSCORE = MeanMetric(
    spec=MetricSpec(
        id="bertscore",
        version=1,
        label="BERTScore",
        group="semantic",
        needs=("bertscore",),
        low=(-1.0 - BASELINE[2]) / (1.0 - BASELINE[2]),
        high=1.0,
        better="higher",
        source="Zhang et al. 2020; bert-score 0.3.13, distilroberta-base layer 5, rescaled, no idf",
        changes=((1, "2026-11-30", "First version: mean of rescaled F1; an empty report counts as 0."),),
    ),
    per_study=lambda tables: tables["bertscore"]["f1"],
)

"""CRIMSON: weighted findings got right less weighted findings made up, as a judge lists them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scorer.metrics.judged import ReadMean, unread_share
from scorer.types import Floats, MetricSpec

__all__ = ["CRIMSON", "CRIMSON_UNREAD", "score"]

_SOURCE = "Baharoon et al. 2026; crimson-score 0.2.0"


def score(columns: Mapping[str, Floats]) -> Floats:
    """The score of each study, in (-1, 1], from its four sums of weights.

    With weight in the reference: (correct - false) / reference. Without: 1 when nothing was made up or
    missed. What is negative becomes -d / (1 + d) with d = false - correct, or 0 where d is not above 0.
    """
    reference, correct = columns["reference_weight"], columns["correct_weight"]
    false, missing = columns["false_weight"], columns["missing_weight"]
    has_weight = reference != 0
    ratio = np.divide(correct - false, reference, out=np.zeros_like(correct), where=has_weight)
    plain = np.where(has_weight, ratio, np.where((false == 0) & (missing == 0), 1.0, -(false + missing + 1)))
    excess = np.maximum(false - correct, 0.0)
    return np.where(plain >= 0, plain, -excess / (1 + excess))


CRIMSON = ReadMean(
    spec=MetricSpec(
        id="crimson",
        version=1,
        label="CRIMSON",
        group="judge",
        needs=("crimson",),
        low=-1.0,
        high=1.0,
        better="higher",
        source=_SOURCE,
        changes=((1, "2026-11-30", "first version"),),
    ),
    value=score,
    worst=-1.0,
)
CRIMSON_UNREAD = unread_share("crimson", "CRIMSON", _SOURCE)

"""What a metric makes of small edits of one invented report: a negation, a side, an omission, other words."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from scorer.metrics import Metric, metric
from scorer.statistics import Bench, statistic

__all__ = ["EDITS", "REFERENCE", "edited_values"]

REFERENCE = (
    "The heart is normal in size. There is a small left pleural effusion. No pneumothorax is seen. "
    "A right central line ends in the superior vena cava."
)
EDITS: tuple[tuple[str, str], ...] = (
    ("the same report", REFERENCE),
    ("a negation flipped", REFERENCE.replace("No pneumothorax", "A pneumothorax")),
    ("the side swapped", REFERENCE.replace("left pleural", "right pleural")),
    ("a finding left out", REFERENCE.replace("There is a small left pleural effusion. ", "")),
    (
        "the same in other words",
        "Cardiac size is within normal limits. Minor fluid in the left pleural space. The lungs are fully expanded. "
        "The tip of the right central venous catheter projects over the SVC.",
    ),
    (
        "a normal report",
        "The heart is normal in size. The lungs are clear. No pneumothorax or effusion is seen.",
    ),
)
"""(what was changed, the prediction)."""


@lru_cache(maxsize=64)
def edited_values(metric_id: str) -> tuple[float, ...] | None:
    """The metric's value on each edit alone, in the order of `EDITS`; None where an encoder would be needed."""
    one: Metric = metric(metric_id)
    found = [statistic(needed) for needed in one.spec.needs]
    if any(s.spec.encoder for s in found) or not one.spec.is_per_study:
        return None
    predictions, references = [text for _, text in EDITS], [REFERENCE] * len(EDITS)
    bench = Bench(weights_dir=Path(), cache_dir=Path())
    tables = {
        s.spec.id: dict(
            zip(
                (c.name for c in s.spec.columns),
                s.compute(predictions, references, bench).values.T,
                strict=True,
            )
        )
        for s in found
    }
    return tuple(np.asarray(one.finish(one.terms(tables))).tolist())

"""Weights and counts of findings and errors that the judge CRIMSON lists."""

from __future__ import annotations

from scorer.judges import crimson
from scorer.judges.reading import STATUS
from scorer.statistics.judged import Judged
from scorer.types import Column, StatisticSpec

__all__ = ["CRIMSON"]

CRIMSON = Judged(
    spec=StatisticSpec(
        id="crimson",
        version=1,
        columns=(
            STATUS,
            *(
                Column(name=name, unit="1" if name.endswith("_weight") else "count")
                for name in crimson.NUMBERS
            ),
        ),
        encoder=crimson.CARD.id,
        source="crimson-score 0.2.0",
        changes=((1, "2026-11-30", "first version"),),
    ),
    card=crimson.CARD,
    read=crimson.read,
)
"""Columns: status, four sums of weights, ten counts by list, eight counts by kind of attribute error."""

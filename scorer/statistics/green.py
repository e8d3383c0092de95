"""Errors and matches that the judge GREEN counts."""

from __future__ import annotations

from scorer.judges import green
from scorer.judges.reading import STATUS
from scorer.statistics.judged import Judged
from scorer.types import Column, StatisticSpec

__all__ = ["GREEN"]

GREEN = Judged(
    spec=StatisticSpec(
        id="green",
        version=1,
        columns=(
            STATUS,
            *(Column(name=name, unit="count") for name in green.SIGNIFICANT),
            Column(name="insignificant", unit="count", low=-1),
            Column(name="matched", unit="count"),
        ),
        encoder=green.CARD.id,
        source="green-score 0.0.12",
        changes=((1, "2026-11-30", "first version"),),
    ),
    card=green.CARD,
    read=green.read,
)
"""Columns: status, six kinds of significant error, insignificant errors (-1 where unread), matched findings."""

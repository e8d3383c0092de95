"""The short bars beside values: a column's common scale in 56 by 8 pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.board import Cell

__all__ = ["WIDTH", "Bar", "bars"]

WIDTH = 56


@dataclass(frozen=True, kw_only=True)
class Bar:
    """Pixels from the left of the column's scale: the value, and the ends of its interval (None without one)."""

    at: int
    low: int | None = None
    high: int | None = None

    @property
    def path(self) -> str:
        """SVG path data: the interval as a line, the value as a tick."""
        line = f"M{self.low} 4H{self.high}" if self.low is not None else ""
        return f"{line}M{self.at} 1v6"


def bars(cells: Sequence[Cell]) -> list[Bar | None]:
    """One bar per cell on the scale that spans all values and intervals; None for a cell without a number."""
    found = [cell.estimate for cell in cells if cell.estimate is not None]
    ends = [x for e in found for x in (e.value, e.low, e.high) if x is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)

    def pixel(value: float) -> int:
        return 1 + round((WIDTH - 2) * (value - low) / (high - low)) if high > low else WIDTH // 2

    return [
        None
        if cell.estimate is None
        else Bar(
            at=pixel(cell.estimate.value),
            low=None if cell.estimate.low is None else pixel(cell.estimate.low),
            high=None if cell.estimate.high is None else pixel(cell.estimate.high),
        )
        for cell in cells
    ]

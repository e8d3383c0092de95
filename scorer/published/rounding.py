"""How far a printed figure may lie from the number it was rounded from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scorer.published.types import Edition, PublishedRow

__all__ = ["Columns", "Span", "decimals_of_columns", "span"]

_SLACK = 1e-9  # of floating-point arithmetic, far below any printed digit

Columns = Mapping[tuple[str, tuple[str, str, str], str], int]


class Span(NamedTuple):
    """A closed interval of numbers."""

    low: float
    high: float

    def meets(self, other: Span) -> bool:
        """Whether one number can lie in both."""
        return self.low <= other.high + _SLACK and other.low <= self.high + _SLACK

    def reciprocal(self) -> Span | None:
        """The interval of 1/x; None when x may be 0."""
        return None if self.low <= 0 <= self.high else Span(1 / self.high, 1 / self.low)


def _digits(row: PublishedRow) -> int:
    return len(row.printed.partition(".")[2])


def decimals_of_columns(editions: Iterable[Edition]) -> Columns:
    """(edition, board, metric) -> the number of decimals most figures of the column have.

    Tables drop trailing zeros (0.210 is printed 0.21), so a figure's own digits understate its precision.
    """
    counts: dict[tuple[str, tuple[str, str, str], str], Counter[int]] = {}
    for edition in editions:
        for row in edition.rows:
            counts.setdefault((edition.id, row.board, row.metric), Counter())[_digits(row)] += 1
    return {key: max(count, key=lambda digits: (count[digits], digits)) for key, count in counts.items()}


def span(row: PublishedRow, columns: Columns) -> Span:
    """The numbers that print as this figure, at its column's decimals or its own where it has more."""
    digits = max(_digits(row), columns[row.edition, row.board, row.metric])
    half = 0.5 * 10.0**-digits
    return Span(row.value - half, row.value + half)

"""Cells through the editions of the leaderboard: where a figure changed without its name changing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer.published.metrics import METRICS
from scorer.published.rounding import decimals_of_columns, span
from scorer.published.types import Edition, PublishedRow

__all__ = ["Change", "changes_of", "figures"]

_RAW = {metric.id: metric.reciprocal_of for metric in METRICS if metric.reciprocal_of}


@dataclass(frozen=True, kw_only=True)
class Change:
    """A cell with another figure than in the edition that showed it before.

    Attributes:
        earlier, later: the two figures as published.
        old, new: both in the later figure's metric. They differ by more than rounding.
        is_converted: whether `old` is the reciprocal of the earlier figure, as documented in `METRICS`.
    """

    earlier: PublishedRow
    later: PublishedRow
    old: float
    new: float
    is_converted: bool

    @property
    def is_explained(self) -> bool:
        """Whether the source states a reason ("reason: …" in the note of the later figure)."""
        return "reason:" in self.later.note


def figures(edition: Edition) -> dict[tuple[str, str, str, str], dict[str, PublishedRow]]:
    """(dataset, split, track, model) -> metric -> figure; made once for an edition, not to be changed."""
    return edition.figures


def changes_of(editions: Sequence[Edition]) -> Iterator[Change]:
    """Every change between one showing of a cell and the next, in the order given.

    A cell whose column was replaced by its reciprocal is compared through the reciprocal, allowing for the
    rounding of both figures.
    """
    columns = decimals_of_columns(editions)
    shown: dict[tuple[str, ...], PublishedRow] = {}
    for edition in editions:
        for row in edition.rows:
            earlier = shown.get(row.cell)
            if earlier is not None:
                if earlier.value != row.value:
                    yield Change(
                        earlier=earlier, later=row, old=earlier.value, new=row.value, is_converted=False
                    )
            elif row.metric in _RAW:
                raw = shown.get((*row.cell[:-1], _RAW[row.metric]))
                inverse = span(raw, columns).reciprocal() if raw else None
                if raw and inverse and not inverse.meets(span(row, columns)):
                    yield Change(earlier=raw, later=row, old=1 / raw.value, new=row.value, is_converted=True)
        # A conversion is stated once: from the next edition on the cell is compared with itself.
        shown.update((row.cell, row) for row in edition.rows)

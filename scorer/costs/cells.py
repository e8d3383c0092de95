"""The work of cells, as the cost model wants it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scorer.costs.model import Work
from scorer.datasets.base import Card
from scorer.scoring import Cell

__all__ = ["work_of"]


def work_of(cells: Iterable[tuple[Cell, Card]], able: Collection[str] | None = None) -> tuple[Work, ...]:
    """What each cell's statistics have to read.

    Args:
        able: statistics that can run here; None counts all that a cell lacks.
    """
    return tuple(
        Work(
            model=cell.model,
            dataset=cell.dataset,
            track=cell.track,
            n=card.splits[card.split].n_track.get(cell.track, card.splits[card.split].n_studies),
            statistics=[name for name in cell.statistics if able is None or name in able],
        )
        for cell, card in cells
    )

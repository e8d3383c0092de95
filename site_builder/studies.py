"""Per-study values of a board's rows, for comparing any two of them in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scorer.board import Board
from scorer.boards.closed import ClosedColumn, read_closed
from scorer.boards.entries import clusters_of, gather
from scorer.cells import Workshop
from scorer.encoding.chexbert import LABELS
from scorer.estimates import as_tables
from scorer.metrics import METRICS
from scorer.metrics.chexbert import label_errors
from scorer.types import Floats

__all__ = ["StudyValues", "closed_pairs", "study_values"]


@dataclass(frozen=True, kw_only=True)
class StudyValues:
    """What the browser needs to compare the rows of a board.

    Attributes:
        metrics: ids of the ranked metrics whose value on one study means something.
        n: studies. clusters: index of the patient of each study, or None where patients are unknown.
        values: model -> float32 (metrics, n), only models that have them all.
        label_errors: model -> (n,), the labels in which a report differs from its reference, as bits; every model
            of `values`, or none. n_labels: bits in use.
    """

    metrics: Sequence[str]
    n: int
    clusters: Sequence[int] | None
    values: Mapping[str, Floats]
    label_errors: Mapping[str, Floats] = field(default_factory=dict)
    n_labels: int = 0


def study_values(shop: Workshop, board: Board) -> StudyValues | None:
    """The values, or None where the dataset does not release them or nothing is scored."""
    card = shop.card(board.dataset)
    if not card.is_public:
        return None
    entries = gather(shop, card, board.track)
    shown = {column.spec.id for column in board.columns}
    metrics = [
        one for one in METRICS if one.spec.id in shown and one.spec.is_per_study and one.spec.is_ranked
    ]
    values, errors = {}, {}
    for entry in entries:
        if metrics and all(needed in entry.tables for one in metrics for needed in one.spec.needs):
            tables = as_tables(entry.tables)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.stack([np.asarray(one.finish(one.terms(tables))) for one in metrics])
            if np.isfinite(found).all():
                values[entry.model] = found
                if "chexbert" in tables:
                    errors[entry.model] = label_errors(tables) @ (2.0 ** np.arange(len(LABELS)))
    if len(values) < 2:
        return None
    patients = clusters_of(shop, card, entries)
    index = {patient: i for i, patient in enumerate(dict.fromkeys(patients or ()))}
    return StudyValues(
        metrics=tuple(one.spec.id for one in metrics),
        n=len(next(iter(values.values()))[0]),
        clusters=None if patients is None else tuple(index[patient] for patient in patients),
        values=values,
        label_errors=errors if len(errors) == len(values) else {},
        n_labels=len(LABELS),
    )


def closed_pairs(shop: Workshop, board: Board) -> Mapping[str, ClosedColumn]:
    """Published pair tables of a closed dataset by metric; nothing for open ones."""
    card = shop.card(board.dataset)
    return {} if card.is_public else read_closed(shop.results.root, card.id, board.track)

"""The JSON form of boards and snapshots: strict, versioned, with a JSON Schema.

One form serves the snapshot files and the exports under `/data/v1/`: whoever reads one can read the other.
Unbounded ranges, missing values and unknown facts are null; there is no NaN and no infinity.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from scorer.board import Board, BoardColumn, Cell, Row
from scorer.store import canonical_json
from scorer.text import Track
from scorer.types import Better

__all__ = [
    "BoardDocument",
    "CellDocument",
    "ColumnDocument",
    "Document",
    "RowDocument",
    "SignalDocument",
    "board_document",
]


class Document(BaseModel):
    """A frozen record that refuses unknown keys, wrong types, NaN and infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=())

    def to_bytes(self) -> bytes:
        """Canonical JSON: equal documents give equal bytes."""
        return canonical_json(self.model_dump(mode="json"))

    def to_compact_bytes(self) -> bytes:
        """JSON without indentation, fields in their order: for the many files that only programs read."""
        return self.model_dump_json().encode("utf-8") + b"\n"


class CellDocument(Document):
    """One number with everything that must stay beside it."""

    value: float | None = Field(description="the metric's value, full float; null when there is none")
    low: float | None = Field(description="lower end of the 95 % percentile bootstrap interval")
    high: float | None = Field(description="upper end of the interval")
    n: int | None = Field(description="studies scored")
    n_empty: int | None = Field(description="empty predictions among them, scored as the worst value")
    signature: str | None = Field(description="what exactly the number is; numbers compare only when equal")
    state: Literal["current", "stale", "missing", "failed"]
    reason: str = Field(description="why there is no number, in public words")
    rank: int | None = Field(description="1 is best; null for probes and for cells without a current value")
    rank_low: int | None = Field(description="best rank that the interval of ranks allows")
    rank_high: int | None = Field(description="worst rank that the interval of ranks allows")
    group: int | None = Field(description="tie group; 1 holds the models not separable from the best")
    p_above: float | None = Field(description="p of the paired test against the row ranked just above")

    @property
    def rank_words(self) -> str:
        """`3 (2–6)`; `3 (3)` when the interval is one rank; `3` without an interval; "" without a rank."""
        if self.rank is None:
            return ""
        if self.rank_low is None or self.rank_high is None:
            return str(self.rank)
        ends = (self.rank_low, self.rank_high)
        return (
            f"{self.rank} ({self.rank_low})" if ends[0] == ends[1] else f"{self.rank} ({ends[0]}–{ends[1]})"
        )


class SignalDocument(Document):
    """Something odd about a model's predictions, with its figures."""

    id: str
    sentence: str
    value: float
    threshold: float
    evidence: dict[str, str]


class RowDocument(Document):
    """One model or probe."""

    model: str
    label: str
    is_probe: bool
    in_domain: bool | None = Field(description="trained on this dataset's training split; null: not known")
    n: int
    n_empty: int
    cells: dict[str, CellDocument] = Field(description="by metric id")
    signals: tuple[SignalDocument, ...]


class ColumnDocument(Document):
    """One metric on a board."""

    metric: str
    version: int
    label: str
    column_group: str = Field(description="lexical, semantic, clinical, composite, judge or form")
    better: Better
    low: float | None = Field(description="lower end of the metric's range; null: unbounded")
    high: float | None = Field(description="upper end of the metric's range; null: unbounded")
    decimals: int
    is_ranked: bool
    on_board: bool
    signature: str
    top: tuple[str, ...] = Field(description="models of the first tie group, best first")
    resolvable: float | None = Field(description="smallest difference this test set can tell apart")
    below_probe: tuple[int, int] | None = Field(description="(k, n): k of n models below constant-normal")
    method: str = Field(description="how ranks and tie groups were found")


class BoardDocument(Document):
    """One dataset and track."""

    dataset: str
    track: Track
    n: int
    n_patients: int = Field(description="clusters for resampling; 0 where unknown")
    order: str = Field(description="metric that decides the order of the rows")
    date: str = Field(description="newest submission date among the rows, ISO; empty when there is none")
    columns: tuple[ColumnDocument, ...]
    rows: tuple[RowDocument, ...]
    unscored: dict[str, str] = Field(description="metric id to the reason why no row has a number")

    @property
    def id(self) -> str:
        """`<dataset>.<track>`, as records and pages are named."""
        return f"{self.dataset}.{self.track}"

    @cached_property
    def by_model(self) -> dict[str, RowDocument]:
        """Rows by model id."""
        return {row.model: row for row in self.rows}


def board_document(board: Board) -> BoardDocument:
    """The JSON form of a board, nothing left out."""
    return BoardDocument(
        dataset=board.dataset,
        track=board.track,
        n=board.n,
        n_patients=board.n_patients,
        order=board.order,
        date=board.date,
        columns=tuple(_column(column) for column in board.columns),
        rows=tuple(_row(row) for row in board.rows),
        unscored=dict(board.unscored),
    )


def _column(column: BoardColumn) -> ColumnDocument:
    spec = column.spec
    return ColumnDocument(
        metric=spec.id,
        version=spec.version,
        label=spec.label,
        column_group=spec.group,
        better=spec.better,
        low=_bounded(spec.low),
        high=_bounded(spec.high),
        decimals=spec.decimals,
        is_ranked=spec.is_ranked,
        on_board=spec.on_board,
        signature=column.signature,
        top=tuple(column.top),
        resolvable=column.resolvable,
        below_probe=column.below_probe,
        method=column.method,
    )


def _row(row: Row) -> RowDocument:
    return RowDocument(
        model=row.model,
        label=row.label,
        is_probe=row.is_probe,
        in_domain=row.in_domain,
        n=row.n,
        n_empty=row.n_empty,
        cells={metric: _cell(cell) for metric, cell in row.cells.items()},
        signals=tuple(
            SignalDocument(
                id=signal.id,
                sentence=signal.sentence,
                value=signal.value,
                threshold=signal.threshold,
                evidence=dict(signal.evidence),
            )
            for signal in row.signals
        ),
    )


def _cell(cell: Cell) -> CellDocument:
    estimate = cell.estimate
    return CellDocument(
        value=estimate.value if estimate else None,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        n=estimate.n if estimate else None,
        n_empty=estimate.n_empty if estimate else None,
        signature=estimate.signature if estimate else None,
        state=cell.state,  # type: ignore[arg-type]
        reason=cell.reason,
        rank=cell.rank,
        rank_low=cell.rank_low,
        rank_high=cell.rank_high,
        group=cell.group,
        p_above=cell.p_above,
    )


def _bounded(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None

"""Boards: the records of one dataset and track, ranked column by column.

A board is derived, never stored. Missing never outranks present; numbers are ranked together only when
their signatures match; probes are shown beside the models and never take a rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scorer.text import Track
from scorer.types import Estimate, MetricSpec

__all__ = ["Board", "BoardColumn", "Cell", "Row", "Signal", "State"]

State = str
"""Of a cell: "current", "stale" (another signature than the registry's), "missing" or "failed"."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One model's number in one column.

    Attributes:
        estimate: None when there is none. state: see `State`. reason: public words for a missing cell.
        rank, rank_low, rank_high: 1 is best; None for probes, stale and missing cells; the bounds are None
            where per-study statistics are not available to compute them.
        group: tie group, 1 holds the models not separable from the best; None as for rank.
        p_above: p of the paired test against the row ranked just above; None for the first.
    """

    estimate: Estimate | None = None
    state: State = "missing"
    reason: str = ""
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    group: int | None = None
    p_above: float | None = None


@dataclass(frozen=True, kw_only=True)
class Signal:
    """Something odd about a model's predictions: a sentence with its evidence, never an accusation.

    Attributes:
        id: rule id on the signals page. sentence: plain words with the figures. value: the measured figure.
        threshold: from configuration. evidence: name -> figure, for the evidence list.
    """

    id: str
    sentence: str
    value: float
    threshold: float
    evidence: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One model or probe on a board.

    Attributes:
        cells: by metric id, every column of the board present.
        n, n_empty: studies and empty predictions; 0 when nothing is scored yet.
        is_probe: a built-in trivial model. in_domain: trained on this dataset's training split
            (None: not known).
    """

    model: str
    label: str
    is_probe: bool
    cells: Mapping[str, Cell]
    n: int
    n_empty: int
    in_domain: bool | None = None
    signals: Sequence[Signal] = ()


@dataclass(frozen=True, kw_only=True)
class BoardColumn:
    """One metric on a board.

    Attributes:
        top: models of the first tie group, best first. resolvable: the smallest difference that this test
            set can tell apart, in the metric's unit; None when it is not known.
        below_probe: (k, n) models below the probe `constant-normal`; None without that probe.
        method: how ranks and groups were found, one phrase.
    """

    spec: MetricSpec
    signature: str
    top: Sequence[str] = ()
    resolvable: float | None = None
    below_probe: tuple[int, int] | None = None
    method: str = ""


@dataclass(frozen=True, kw_only=True)
class Board:
    """All rows and columns of one dataset and track.

    Attributes:
        order: metric id that decides the default order (radcliq_v1 where present, see `default_order`).
        rows: in default order: ranked models, then models without that value, probes at the places of
            their values.
        n: studies in the track. n_patients: clusters for resampling, 0 where unknown.
        date: newest submission date among the rows, ISO; "" when there is none.
        unscored: metric id -> why no row has a number, for registered metrics that are no column.
    """

    dataset: str
    track: Track
    n: int
    n_patients: int
    order: str
    columns: Sequence[BoardColumn]
    rows: Sequence[Row]
    date: str
    unscored: Mapping[str, str] = field(default_factory=dict)

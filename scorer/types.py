"""The records that travel down the line, in the order they are made.

submission -> Run -> StudyTable -> Estimate -> Record -> Board. All are frozen; none touches a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorer.text import Report, Track

__all__ = [
    "Better",
    "Column",
    "Estimate",
    "Floats",
    "MetricSpec",
    "Record",
    "Release",
    "Run",
    "StatisticSpec",
    "Study",
    "StudyTable",
]

Floats = NDArray[np.float64]
Better = Literal["higher", "lower"]
Release = Literal["texts", "studies", "aggregate"]
"""What of a dataset may be public: everything; predictions and per-study numbers; records only."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """One examination with its reference report.

    Attributes:
        id: opaque text, exactly as in the source; never parsed, never a number.
        reference: the radiologist's report.
        patient: opaque patient id; None where the dataset does not know patients.
        indication: the clinical question, "" when absent; used by retrieval probes only.
        attributes: further facts for subgroups ("site", "sex", "age_band", "view", …), all text.
    """

    id: str
    reference: Report
    patient: str | None = None
    indication: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Run:
    """Complete, paired texts of one model on one dataset and track: only `pair_studies` makes one.

    All tuples have length n and share an order: ascending study id.

    Attributes:
        patients: cluster labels for resampling, or None where patients are unknown.
    """

    model: str
    dataset: str
    track: Track
    study_ids: tuple[str, ...]
    predictions: tuple[str, ...]
    references: tuple[str, ...]
    patients: tuple[str, ...] | None = None

    @property
    def n(self) -> int:
        return len(self.study_ids)

    @property
    def n_empty(self) -> int:
        return sum(not prediction for prediction in self.predictions)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a statistic: its name, unit ("count", "1", "words", …) and closed range."""

    name: str
    unit: str
    low: float = 0.0
    high: float = float("inf")


@dataclass(frozen=True, kw_only=True)
class StatisticSpec:
    """What a statistic is.

    Attributes:
        id: snake_case. version: bumped whenever any number may change.
        columns: meaning of the k columns that `compute` gives.
        encoder: id of the encoder or judge in the weights lock; "" for text-only statistics.
        changes: (version, date, what changed), newest first; at least one entry.
    """

    id: str
    version: int
    columns: tuple[Column, ...]
    encoder: str = ""
    source: str = ""
    changes: tuple[tuple[int, str, str], ...]

    @property
    def needs_gpu(self) -> bool:
        return bool(self.encoder)

    @property
    def key(self) -> str:
        return f"{self.id}@{self.version}"


@dataclass(frozen=True, kw_only=True)
class MetricSpec:
    """What a metric is.

    Attributes:
        label: the column header. group: "lexical", "semantic", "clinical", "composite", "judge" or "form".
        needs: ids of the statistics whose tables `terms` reads.
        low, high: closed range of the value. better: direction as data.
        decimals: digits shown. source: paper or file.
        is_per_study: whether one study's value means something (false for corpus F1).
        is_ranked: false for legacy display values and for descriptive ones such as the length ratio.
        on_board: shown by default; others stand on the model and metric pages.
        page: name of its page under `docs/metrics`; "" means its id.
    """

    id: str
    version: int
    label: str
    group: str
    needs: tuple[str, ...]
    low: float
    high: float
    better: Better
    decimals: int = 3
    source: str
    changes: tuple[tuple[int, str, str], ...]
    is_per_study: bool = True
    is_ranked: bool = True
    on_board: bool = True
    page: str = ""

    @property
    def key(self) -> str:
        return f"{self.id}@{self.version}"


@dataclass(frozen=True, kw_only=True)
class StudyTable:
    """Per-study numbers of one statistic for one run.

    Attributes:
        statistic: `StatisticSpec.key`. columns: names. study_ids: ascending.
        values: float64 (n, k), finite.
        inputs: key of the texts it was computed from, see `scorer.scoring.inputs_key`.
        weights_digest: sha256 of the encoder's weights; "" for text-only statistics.
        n_truncated: texts that an encoder had to cut.
    """

    statistic: str
    columns: tuple[str, ...]
    study_ids: tuple[str, ...]
    values: Floats
    inputs: str = ""
    weights_digest: str = ""
    n_truncated: int = 0


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A metric's value on a run.

    Attributes:
        value: full float. low, high: 95 % percentile bootstrap bounds; None where none can be had.
        n: studies. n_empty: empty predictions among them, scored as the worst value.
        signature: printed identity, see `scorer.signature`.
    """

    metric: str
    value: float
    low: float | None
    high: float | None
    n: int
    n_empty: int
    signature: str


@dataclass(frozen=True, kw_only=True)
class Record:
    """All estimates of one model on one dataset and track, with provenance; what `results/scores` holds.

    Attributes:
        digests: sha256 by name: "predictions", "references", "submission", and "statistic:<key>" per table.
        weights: weights digest by statistic key, only for statistics with an encoder.
        n_truncated: cut texts by statistic key, zero entries left out.
        seed, resamples: of the bootstrap. clusters: "patient" or "study".
        versions: of the scorer and the packages that can change a number.
        missing: metrics that could not be scored, with the reason in public words.
        figures: counts of studies: about the texts, see `scorer.figures.text_figures`, and per label, see
            `scorer.metrics.chexbert.label_figures`.
    """

    model: str
    dataset: str
    track: Track
    n: int
    n_empty: int
    estimates: tuple[Estimate, ...]
    digests: Mapping[str, str]
    weights: Mapping[str, str] = field(default_factory=dict)
    n_truncated: Mapping[str, int] = field(default_factory=dict)
    seed: int
    resamples: int
    clusters: str
    versions: Mapping[str, str]
    missing: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    schema: int = 1

    def estimate(self, metric: str) -> Estimate | None:
        """The estimate of one metric, or None when the record lacks it."""
        return next((e for e in self.estimates if e.metric == metric), None)

"""CheXbert: SembScore, and label F1 in every way that papers compute it, each under a name of its own.

Label F1 is a metric of a corpus: terms are true positives, false positives and false negatives per label, so a
resample of studies gives a resampled F1. A label that nobody gives has F1 0 and lowers the macro mean (the
default of scikit-learn, which the reference package uses).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from scorer.encoding.chexbert import CLASSES, LABELS
from scorer.metrics.base import MeanMetric, Tables
from scorer.statistics.chexbert import label_column
from scorer.types import Floats, MetricSpec

__all__ = [
    "CHEXBERT_F1",
    "FIVE",
    "SEMB_SCORE",
    "Average",
    "ChexbertF1",
    "LabelScore",
    "Uncertain",
    "label_errors",
    "label_scores",
]

Average = Literal["micro", "macro", "weighted"]
"""Over labels: from pooled counts; the plain mean of F1; the mean weighted by positives in the references."""

Uncertain = Literal["positive", "negative"]
"""What an uncertain label counts as."""

FIVE = ("Cardiomegaly", "Edema", "Consolidation", "Atelectasis", "Pleural Effusion")
"""The labels of the 5-label variants (CheXpert's competition tasks)."""

ON_BOARD = ("chexbert_f1_14_macro_uncertain_positive", "chexbert_f1_5_micro_uncertain_positive")
"""What papers report most: all 14 labels alike, and the five frequent ones pooled."""

SEMB_SCORE = MeanMetric(
    spec=MetricSpec(
        id="semb_score",
        version=1,
        label="SembScore",
        group="clinical",
        needs=("chexbert",),
        low=-1.0,
        high=1.0,
        better="higher",
        source="CXR-Report-Metric CheXbert/src/encode.py; Yu et al. 2023",
        changes=(
            (1, "2026-11-30", "First version: mean cosine of [CLS] vectors; an empty report counts as 0."),
        ),
    ),
    per_study=lambda tables: tables["chexbert"]["cosine"],
)


def _counts(tables: Tables, uncertain: Uncertain) -> Floats:
    """(n, 14, 3) true positives, false positives, false negatives."""
    table = tables["chexbert"]
    positive = {CLASSES.index("positive")} | (
        {CLASSES.index("uncertain")} if uncertain == "positive" else set()
    )
    ours, theirs = (
        np.isin(np.column_stack([table[label_column(side, label)] for label in LABELS]), sorted(positive))
        for side in ("prediction", "reference")
    )
    return np.stack([ours & theirs, ours & ~theirs, ~ours & theirs], axis=-1).astype(np.float64)


def label_errors(tables: Tables) -> Floats:
    """(n, 14): 1 where a report's label differs from its reference's, uncertain counting as positive."""
    return np.asarray(_counts(tables, "positive")[..., 1:].sum(axis=-1))


def _f1(counts: Floats) -> Floats:
    """F1 from (..., 3) counts; 0 where nothing is positive on either side."""
    hits, extra, missed = np.moveaxis(counts, -1, 0)
    return np.asarray(2 * hits / np.maximum(1.0, 2 * hits + extra + missed))


@dataclass(frozen=True, kw_only=True)
class ChexbertF1:
    """F1 of findings over 14 or 5 labels.

    Terms are true positives, false positives and false negatives of each chosen label, or pooled for micro.
    """

    labels: tuple[str, ...]
    average: Average
    uncertain: Uncertain

    @cached_property
    def spec(self) -> MetricSpec:
        count = len(self.labels)
        identifier = f"chexbert_f1_{count}_{self.average}_uncertain_{self.uncertain}"
        aside = "" if self.uncertain == "positive" else ", uncertain negative"
        return MetricSpec(
            id=identifier,
            version=1,
            label=f"CheXbert F1-{count} {self.average}{aside}",
            group="clinical",
            needs=("chexbert",),
            low=0.0,
            high=1.0,
            better="higher",
            source="Smit et al. 2020; f1chexbert 0.0.2"
            + ("" if self.uncertain == "positive" else ", which has no such reading")
            + f" (uncertain as {self.uncertain}), averages as in scikit-learn 1.7.2",
            changes=((1, "2026-11-30", f"First version: {self.average} F1 over {count} labels."),),
            is_per_study=False,
            on_board=identifier in ON_BOARD,
            page="chexbert_f1",
        )

    def terms(self, tables: Tables) -> Floats:
        counts = _counts(tables, self.uncertain)[:, [LABELS.index(label) for label in self.labels]]
        return counts.sum(axis=1) if self.average == "micro" else counts.reshape(len(counts), -1)

    def finish(self, totals: Floats) -> Floats:
        if self.average == "micro":
            return _f1(totals)
        counts = totals.reshape(*totals.shape[:-1], len(self.labels), 3)
        each = _f1(counts)
        if self.average == "macro":
            return np.asarray(each.mean(axis=-1))
        support = counts[..., 0] + counts[..., 2]
        return np.asarray((each * support).sum(axis=-1) / np.maximum(1.0, support.sum(axis=-1)))


CHEXBERT_F1: tuple[ChexbertF1, ...] = tuple(
    ChexbertF1(labels=labels, average=average, uncertain=uncertain)
    for uncertain in get_args(Uncertain)
    for labels in (LABELS, FIVE)
    for average in get_args(Average)
)
"""All twelve variants."""


@dataclass(frozen=True, kw_only=True)
class LabelScore:
    """One label over all studies: precision, recall, F1 (0 where undefined) and support, the reference's positives."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


def label_figures(tables: Tables) -> dict[str, float]:
    """Counts per label for a record's figures, uncertain as positive; none without the statistic.

    `chexbert_<label>_hits`, `_extra` and `_missed`: studies in which both sides, only the prediction, only the
    reference is positive. Counts of studies are what every dataset may publish.
    """
    if "chexbert" not in tables:
        return {}
    totals = _counts(tables, "positive").sum(axis=0)
    return {
        _figure(label, what): float(count)
        for label, counts in zip(LABELS, totals, strict=True)
        for what, count in zip(_WHAT, counts, strict=True)
    }


def label_scores(figures: Mapping[str, float]) -> tuple[LabelScore, ...]:
    """Per-label figures for the model page, in order of the network's heads; none when the record has none."""
    if _figure(LABELS[0], _WHAT[0]) not in figures:
        return ()
    scores = []
    for label in LABELS:
        hits, extra, missed = (figures[_figure(label, what)] for what in _WHAT)
        scores.append(
            LabelScore(
                label=label,
                precision=hits / max(1.0, hits + extra),
                recall=hits / max(1.0, hits + missed),
                f1=float(_f1(np.array([hits, extra, missed]))),
                support=int(hits + missed),
            )
        )
    return tuple(scores)


def _figure(label: str, what: str) -> str:
    return f"chexbert_{label.lower().replace(' ', '_')}_{what}"


_WHAT = ("hits", "extra", "missed")

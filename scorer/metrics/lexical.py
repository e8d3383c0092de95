"""BLEU-2, BLEU-4, ROUGE-L, and two numbers that describe form: length ratio and empty rate."""

from __future__ import annotations

import numpy as np

from scorer.metrics.base import MeanMetric, Tables
from scorer.types import Floats, MetricSpec

__all__ = ["BLEU_2", "BLEU_4", "EMPTY_RATE", "LENGTH_RATIO", "ROUGE_L", "sentence_bleu"]

EPSILON = 0.1
"""What stands in for a zero count of matches (smoothing method 1 of Chen and Cherry 2014)."""


def sentence_bleu(tables: Tables, order: int) -> Floats:
    """Sentence BLEU per study, (n,), 0 to 1, from n-gram counts.

    Precision of each order is clipped matches / max(1, n-grams of the prediction), a zero numerator
    replaced by 0.1; the score is 0 when no word matches. The brevity penalty is 1 when the prediction is longer
    than the reference, else exp(1 - reference / prediction).
    Source: fast-bleu 0.0.90 and nltk `sentence_bleu` with `SmoothingFunction().method1`, equal on every pair tried.
    """
    table = tables["ngrams"]
    ours, theirs = table["prediction_tokens"], table["reference_tokens"]
    logs = np.zeros(len(ours))
    for n in range(1, order + 1):
        matches = table[f"match_{n}"]
        logs += np.log(np.where(matches > 0, matches, EPSILON) / np.maximum(1.0, ours - n + 1)) / order
    shortfall = np.where(ours > theirs, 0.0, 1.0 - theirs / np.maximum(1.0, ours))
    return np.asarray(np.where(table["match_1"] > 0, np.exp(logs + shortfall), 0.0))


def _rouge_l(tables: Tables) -> Floats:
    table = tables["lcs"]
    total = table["prediction_words"] + table["reference_words"]
    return np.asarray(2.0 * table["common"] / np.maximum(1.0, total))


BLEU_2 = MeanMetric(
    spec=MetricSpec(
        id="bleu_2",
        page="bleu",
        version=1,
        label="BLEU-2",
        group="lexical",
        needs=("ngrams",),
        low=0.0,
        high=1.0,
        better="higher",
        source="Papineni et al. 2002; ReXrank manner: rajpurkarlab/CXR-Report-Metric run_eval.py, fast-bleu 0.0.90",
        changes=((1, "2026-11-30", "First version: mean over studies of sentence BLEU-2, smoothing 0.1."),),
    ),
    per_study=lambda tables: sentence_bleu(tables, 2),
)

BLEU_4 = MeanMetric(
    spec=MetricSpec(
        id="bleu_4",
        page="bleu",
        version=1,
        label="BLEU-4",
        group="lexical",
        needs=("ngrams",),
        low=0.0,
        high=1.0,
        better="higher",
        source="Papineni et al. 2002; tokens and smoothing as BLEU-2",
        changes=((1, "2026-11-30", "First version: mean over studies of sentence BLEU-4, smoothing 0.1."),),
    ),
    per_study=lambda tables: sentence_bleu(tables, 4),
)

ROUGE_L = MeanMetric(
    spec=MetricSpec(
        id="rouge_l",
        version=1,
        label="ROUGE-L",
        group="lexical",
        needs=("lcs",),
        low=0.0,
        high=1.0,
        better="higher",
        source="Lin 2004; F1 of the longest common subsequence of words, no stemming",
        changes=((1, "2026-11-30", "First version: mean over studies of ROUGE-L F1."),),
    ),
    per_study=_rouge_l,
)


class _LengthRatio:
    """Words predicted per reference word, over all studies; describes, never ranks."""

    spec = MetricSpec(
        id="length_ratio",
        page="form",
        version=1,
        label="Length ratio",
        group="form",
        needs=("lcs",),
        low=0.0,
        high=float("inf"),
        better="higher",
        decimals=2,
        source="sum of prediction words / sum of reference words",
        changes=((1, "2026-11-30", "First version."),),
        is_per_study=False,
        is_ranked=False,
    )

    def terms(self, tables: Tables) -> Floats:
        return np.column_stack([tables["lcs"]["prediction_words"], tables["lcs"]["reference_words"]])

    def finish(self, totals: Floats) -> Floats:
        return np.asarray(totals[..., 0] / np.maximum(1.0, totals[..., 1]))


LENGTH_RATIO = _LengthRatio()

EMPTY_RATE = MeanMetric(
    spec=MetricSpec(
        id="empty_rate",
        page="form",
        version=1,
        label="Empty",
        group="form",
        needs=("ngrams",),
        low=0.0,
        high=1.0,
        better="lower",
        source="share of predictions without a token",
        changes=((1, "2026-11-30", "First version."),),
        is_ranked=False,
    ),
    per_study=lambda tables: (tables["ngrams"]["prediction_tokens"] == 0).astype(np.float64),
)

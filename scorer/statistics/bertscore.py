"""BERTScore: greedy matching of token vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.encoding import Encodings
from scorer.encoding.encoder import missing
from scorer.encoding.token_vectors import TokenVectors, unpack
from scorer.statistics.base import Bench, Computed
from scorer.types import Column, Floats, StatisticSpec

__all__ = ["BASELINE", "BERTSCORE", "BertScore", "greedy_match"]

BASELINE = (0.84732, 0.84759504, 0.8473319)
"""Mean P, R and F of unrelated sentences with distilroberta-base, layer 5; each is rescaled with its own.

Source: bert-score 0.3.13, `rescale_baseline/en/distilroberta-base.tsv`.
"""

EMPTY = 0.0
"""Rescaled value of a pair without a token on one side: that of unrelated sentences. The package gives -5.55."""

_AT_ONCE = 32  # pairs whose vectors are in memory together
_NOTE = (
    "First version: distilroberta-base layer 5, rescaled, no idf, first word with a leading space;"
    " a pair without a token on one side is 0 and flagged."
)


def greedy_match(
    prediction: tuple[NDArray[np.bool_], NDArray[np.float32]],
    reference: tuple[NDArray[np.bool_], NDArray[np.float32]],
) -> tuple[float, float, float] | None:
    """Raw precision, recall and F1 of two texts' (counts, unit vectors); None when one has no token that counts.

    Precision is the mean over the prediction's tokens of the best cosine in the reference, recall the reverse.
    Special tokens do not count themselves but can be matched to. No idf, so no other text matters.
    Source: Zhang et al. 2020; bert-score 0.3.13 `greedy_cos_idf`.
    """
    (counts_p, vectors_p), (counts_r, vectors_r) = prediction, reference
    if not counts_p.any() or not counts_r.any():
        return None
    cosines = np.clip(vectors_p @ vectors_r.T, -1.0, 1.0)
    precision = float(cosines.max(axis=1)[counts_p].mean(dtype=np.float64))
    recall = float(cosines.max(axis=0)[counts_r].mean(dtype=np.float64))
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total > 0 else 0.0


def _rescaled_low(baseline: float) -> float:
    return (-1.0 - baseline) / (1.0 - baseline)


@dataclass(frozen=True, kw_only=True)
class BertScore:
    """Rescaled precision, recall and F1 per pair, and a flag where the empty rule decided.

    Attributes:
        encoder: gives the token vectors. baseline: (P, R, F) subtracted, or None for raw values.
    """

    spec: StatisticSpec
    encoder: TokenVectors
    baseline: tuple[float, float, float] | None

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        return missing(self.encoder.id, bench)

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """One row per pair: precision, recall, f1, is_empty."""
        values = np.empty((len(predictions), 4))
        n_truncated = 0
        with Encodings(self.encoder, bench, predictions, references) as encodings:
            for start in range(0, len(predictions), _AT_ONCE):
                stop = start + _AT_ONCE
                texts = {*predictions[start:stop], *references[start:stop]}
                found = encodings.get(texts)
                vectors = {text: unpack(encoding.data) for text, encoding in found.items()}
                for row, pair in enumerate(
                    zip(predictions[start:stop], references[start:stop], strict=True), start=start
                ):
                    n_truncated += sum(found[text].is_cut for text in pair if text in found)
                    values[row] = self._row(*(vectors.get(text) for text in pair))
        return Computed(values=values, weights_digest=encodings.weights.digest, n_truncated=n_truncated)

    def _row(
        self,
        prediction: tuple[NDArray[np.bool_], NDArray[np.float32]] | None,
        reference: tuple[NDArray[np.bool_], NDArray[np.float32]] | None,
    ) -> Floats:
        matched = greedy_match(prediction, reference) if prediction and reference else None
        if matched is None:
            return np.array([EMPTY, EMPTY, EMPTY, 1.0])
        raw = np.array(matched)
        if self.baseline is not None:
            raw = (raw - self.baseline) / (1.0 - np.array(self.baseline))
        return np.append(raw, 0.0)


BERTSCORE = BertScore(
    spec=StatisticSpec(
        id="bertscore",
        version=1,
        columns=(
            Column(name="precision", unit="1", low=_rescaled_low(BASELINE[0]), high=1.0),
            Column(name="recall", unit="1", low=_rescaled_low(BASELINE[1]), high=1.0),
            Column(name="f1", unit="1", low=_rescaled_low(BASELINE[2]), high=1.0),
            Column(name="is_empty", unit="flag", high=1.0),
        ),
        encoder="distilroberta_base",
        source="Zhang et al. 2020; bert-score 0.3.13 with the settings of CXR-Report-Metric run_eval.py",
        changes=((1, "2026-11-30", _NOTE),),
    ),
    encoder=TokenVectors(id="distilroberta_base", version=1, layers=5),
    baseline=BASELINE,
)

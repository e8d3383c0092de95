"""CheXbert: cosine of the two reports' vectors, and the 14 labels of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorer.encoding import Encodings
from scorer.encoding.chexbert import CHEXBERT as ENCODER
from scorer.encoding.chexbert import CLASSES, LABELS, unpack
from scorer.encoding.encoder import missing
from scorer.statistics.base import Bench, Computed
from scorer.types import Column, StatisticSpec

__all__ = ["CHEXBERT", "Chexbert", "label_column"]

EMPTY_COSINE = 0.0
"""Cosine of a pair with an empty side: below any that occurs. The network would give an empty text a vector too."""

_AT_ONCE = 256
_NOTE = "First version: [CLS] cosine and class indices of 14 labels; an empty text has cosine 0 and every label blank."


def label_column(side: str, label: str) -> str:
    """The column of a label: `side` is "prediction" or "reference"."""
    return f"{side}_{label.lower().replace(' ', '_')}"


class Chexbert:
    """One pass of the network over each distinct text gives everything that SembScore and label F1 need."""

    spec = StatisticSpec(
        id="chexbert",
        version=1,
        columns=(
            Column(name="cosine", unit="1", low=-1.0, high=1.0),
            *(
                Column(
                    name=label_column(side, label),
                    unit="class",
                    high=1.0 if label == "No Finding" else len(CLASSES) - 1.0,
                )
                for side in ("prediction", "reference")
                for label in LABELS
            ),
        ),
        encoder=ENCODER.id,
        source="Smit et al. 2020; CXR-Report-Metric CheXbert/src/encode.py; f1chexbert 0.0.2",
        changes=((1, "2026-11-30", _NOTE),),
    )

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        return missing(ENCODER.id, bench)

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """One row per pair: the cosine, 14 class indices of the prediction, 14 of the reference."""
        count = len(LABELS)
        values = np.zeros((len(predictions), 1 + 2 * count))
        values[:, 0] = EMPTY_COSINE
        n_truncated = 0
        with Encodings(ENCODER, bench, predictions, references) as encodings:
            for start in range(0, len(predictions), _AT_ONCE):
                stop = start + _AT_ONCE
                found = encodings.get({*predictions[start:stop], *references[start:stop]})
                for row, pair in enumerate(
                    zip(predictions[start:stop], references[start:stop], strict=True), start
                ):
                    vectors = []
                    for side, text in enumerate(pair):
                        if text not in found:
                            continue
                        labels, vector = unpack(found[text].data)
                        values[row, 1 + side * count : 1 + (side + 1) * count] = labels
                        vectors.append(vector.astype(np.float64))
                        n_truncated += found[text].is_cut
                    if len(vectors) == 2:
                        lengths = np.linalg.norm(vectors[0]) * np.linalg.norm(vectors[1])
                        values[row, 0] = (
                            np.clip(vectors[0] @ vectors[1] / lengths, -1.0, 1.0) if lengths else 0.0
                        )
        return Computed(values=values, weights_digest=encodings.weights.digest, n_truncated=n_truncated)


CHEXBERT = Chexbert()

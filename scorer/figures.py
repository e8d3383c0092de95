"""Figures about a run's texts that need the texts once and are public afterwards: counts, never a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from scorer.statistics.lexical import words
from scorer.types import Run

__all__ = ["text_figures"]

COPIED_WORDS = 12
"""Shorter reports coincide by chance ("No acute disease."), so copies are counted from this many words on."""


def text_figures(run: Run, training: Collection[str] = ()) -> Mapping[str, float]:
    """Counts over the predictions of a run.

    Args:
        training: texts of the training split as the track composes them; empty when it is not at hand.

    Returns:
        distinct_predictions, distinct_references: distinct texts. most_repeated, most_repeated_reference:
        studies that share the most frequent text (empty texts left out). own_reference: predictions equal to
        their own reference. long_predictions: predictions of at least 12 words; of these, any_reference and
        training_report: equal to some reference of the split / some training report.
    """
    predicted = Counter(text for text in run.predictions if text)
    referred = Counter(run.references)
    long = [text for text in run.predictions if len(words(text)) >= COPIED_WORDS]
    known = frozenset(run.references)
    figures = {
        "distinct_predictions": len(predicted),
        "distinct_references": len(referred),
        "most_repeated": max(predicted.values(), default=0),
        "most_repeated_reference": max(referred.values(), default=0),
        "own_reference": sum(a == b for a, b in zip(run.predictions, run.references, strict=True)),
        "long_predictions": len(long),
        "any_reference": sum(text in known for text in long),
    }
    if training:
        seen = frozenset(training)
        figures["training_report"] = sum(text in seen for text in long)
    return {name: float(value) for name, value in figures.items()}

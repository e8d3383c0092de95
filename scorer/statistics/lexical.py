"""Statistics that need the two texts alone: clipped n-gram matches, and the longest common subsequence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from scorer.statistics.base import Bench, Computed
from scorer.types import Column, StatisticSpec

__all__ = ["CommonSubsequence", "NgramMatches", "bleu_tokens", "words"]

ORDER = 4
_WORD = re.compile(r"[^\W_]+")


def bleu_tokens(text: str) -> list[str]:
    """Tokens in the manner of ReXrank: lower case, a space before each full stop, split at U+0020 only.

    Source: rajpurkarlab/CXR-Report-Metric `CXRMetric/run_eval.py`, `prep_reports`. Commas and colons stay on
    their word, and `2.5` becomes `2` and `.5`.
    """
    return [piece for piece in text.lower().replace(".", " .").split(" ") if piece]


def words(text: str) -> list[str]:
    """Lower-case runs of letters and digits of any script; equal to rouge-score's tokens on ASCII text."""
    return _WORD.findall(text.lower())


def _counts(grams: list[Any]) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for gram in grams:
        counts[gram] = counts.get(gram, 0) + 1
    return counts


class NgramMatches:
    """Clipped matches of 1- to 4-grams between a prediction and its one reference."""

    spec = StatisticSpec(
        id="ngrams",
        version=1,
        columns=(
            *(Column(name=f"match_{order}", unit="count") for order in range(1, ORDER + 1)),
            Column(name="prediction_tokens", unit="count"),
            Column(name="reference_tokens", unit="count"),
        ),
        source="Papineni et al. 2002; tokens as in CXR-Report-Metric run_eval.py",
        changes=((1, "2026-11-30", "First version."),),
    )

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        return None

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """One row per pair: four clipped match counts and the two token counts."""
        rows = np.empty((len(predictions), ORDER + 2))

        @cache
        def profile(text: str) -> tuple[list[Any], int]:
            tokens = bleu_tokens(text)
            shifted = [tokens[start:] for start in range(ORDER)]
            grams = [_counts(list(zip(*shifted[:order], strict=False))) for order in range(2, ORDER + 1)]
            return [_counts(tokens), *grams], len(tokens)

        for index, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
            ours, n_ours = profile(prediction)
            theirs, n_theirs = profile(reference)
            row = rows[index]
            row[:] = 0
            row[ORDER], row[ORDER + 1] = n_ours, n_theirs
            for order in range(ORDER):
                small, large = ours[order], theirs[order]
                shared = small.keys() & large.keys()
                if not shared:
                    break  # no common n-gram means no common longer one
                row[order] = sum(min(small[gram], large[gram]) for gram in shared)
            if not index % 1000:
                bench.progress(self.spec.id, index, len(predictions))
        return Computed(values=rows)


class CommonSubsequence:
    """Length of the longest common subsequence of words, and the two word counts."""

    spec = StatisticSpec(
        id="lcs",
        version=1,
        columns=(
            Column(name="common", unit="words"),
            Column(name="prediction_words", unit="words"),
            Column(name="reference_words", unit="words"),
        ),
        source="Lin 2004; words are runs of letters and digits of any script, no stemming",
        changes=((1, "2026-11-30", "First version."),),
    )

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        return None

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """One row per pair: common subsequence length, words of the prediction, words of the reference."""
        from rapidfuzz.distance import LCSseq

        # Words become numbers once, so that the compiled loop compares machine integers.
        number: dict[str, int] = {}
        number_of = number.setdefault
        known: dict[str, list[int]] = {}

        def numbered(text: str) -> list[int]:
            found = known.get(text)
            if found is None:
                found = known[text] = [number_of(word, len(number)) for word in words(text)]
            return found

        rows = np.empty((len(predictions), 3))
        for index, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
            ours, theirs = numbered(prediction), numbered(reference)
            rows[index] = LCSseq.similarity(ours, theirs), len(ours), len(theirs)
            if not index % 1000:
                bench.progress(self.spec.id, index, len(predictions))
        return Computed(values=rows)

"""Statistics that need the two texts alone: clipped n-gram matches, and the longest common subsequence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np

from scorer.statistics.base import Bench, Computed
from scorer.types import Column, Floats, StatisticSpec

__all__ = ["CommonSubsequence", "NgramMatches", "bleu_tokens", "ngram_matches", "words"]

ORDER = 4
_CHUNK = 20_000
_WORD = re.compile(r"[^\W_]+")
_ASCII = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


def bleu_tokens(text: str) -> list[str]:
    """Tokens in the manner of ReXrank: lower case, a space before each full stop, split at U+0020 only.

    Source: rajpurkarlab/CXR-Report-Metric `CXRMetric/run_eval.py`, `prep_reports`. Commas and colons stay on
    their word, and `2.5` becomes `2` and `.5`.
    """
    return list(filter(None, text.lower().replace(".", " .").split(" ")))


def words(text: str) -> list[str]:
    """Lower-case runs of letters and digits of any script; equal to rouge-score's tokens on ASCII text."""
    lowered = text.lower()
    # The same words either way; cutting ASCII with a table is several times faster than the pattern.
    return lowered.translate(_ASCII).split() if lowered.isascii() else _WORD.findall(lowered)


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
        for start in range(0, len(predictions), _CHUNK):
            bench.progress(self.spec.id, start, len(predictions))
            stop = start + _CHUNK
            rows[start:stop] = ngram_matches(predictions[start:stop], references[start:stop])
        return Computed(values=rows)


def ngram_matches(predictions: Sequence[str], references: Sequence[str], order: int = ORDER) -> Floats:
    """Clipped matches and token counts, (n, 6), of all pairs at once; orders above `order` are left 0.

    Tokens and then n-grams become whole numbers that are equal exactly when pair and n-gram are, so that
    counting is sorting: an n-gram's number is the rank of (number of its first n - 1 tokens, last token).
    """
    n = len(predictions)
    number: dict[str, int] = {}
    texts = [
        [number.setdefault(t, len(number)) for t in bleu_tokens(text)] for text in (*predictions, *references)
    ]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    token = np.fromiter(chain.from_iterable(texts), dtype=np.int64, count=int(lengths.sum()))
    text = np.repeat(np.arange(2 * n), lengths)  # predictions are texts 0 to n - 1
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(
        len(token)
    )  # to the text's end, itself included
    rows = np.zeros((n, ORDER + 2))
    rows[:, ORDER], rows[:, ORDER + 1] = lengths[:n], lengths[n:]
    place = np.arange(len(token))
    gram = text % n
    for size in range(1, order + 1):
        keep = left[place] >= size
        place, gram = place[keep], gram[keep]
        known, gram = np.unique(gram * len(number) + token[place + size - 1], return_inverse=True)
        is_ours = text[place] < n
        ours = np.bincount(gram[is_ours], minlength=len(known))
        theirs = np.bincount(gram[~is_ours], minlength=len(known))
        pair = np.empty(len(known), dtype=np.int64)
        pair[gram] = text[place] % n
        rows[:, size - 1] = np.bincount(pair, weights=np.minimum(ours, theirs), minlength=n)
    return rows


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

"""Small invented worlds with known truth, shared by the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scorer.inference.models import MetricTerms
from scorer.types import Better, Floats


def mean(totals: Floats) -> Floats:
    """finish of a mean metric: terms are (value, 1)."""
    return np.asarray(totals[..., 0] / totals[..., 1])


def f1(totals: Floats) -> Floats:
    """finish of a corpus F1: terms are (true positives, false positives, false negatives)."""
    hits, extra, missed = totals[..., 0], totals[..., 1], totals[..., 2]
    return np.asarray(2 * hits / (2 * hits + extra + missed))


def composite(totals: Floats) -> Floats:
    """finish of a linear composite of three means, lower is better: the shape of RadCliQ-v1 in raw units."""
    means = totals[..., :3] / totals[..., 3:]
    return np.asarray(2.45 - 1.25 * means[..., 0] - 1.65 * means[..., 1] - 0.99 * means[..., 2])


def mean_terms(values: Floats) -> Floats:
    """(..., n) values -> (..., n, 2) terms."""
    return np.stack([values, np.ones_like(values)], axis=-1)


def mean_models(values: Floats, better: Better = "higher") -> MetricTerms:
    """k models from per-study values (k, n)."""
    return MetricTerms(terms=mean_terms(np.asarray(values, dtype=float)), finish=mean, better=better)


def f1_terms(rng: np.random.Generator, n: int, prevalence: float, recall: float, precision: float) -> Floats:
    """Counts of one label on n studies, (n, 3); the F1 of the population is 2 r p / (r + p)."""
    is_true = rng.random(n) < prevalence
    hit = is_true & (rng.random(n) < recall)
    # False positives among negatives, so frequent that hits / (hits + false positives) is `precision`.
    false_rate = prevalence * recall * (1 / precision - 1) / (1 - prevalence)
    extra = ~is_true & (rng.random(n) < false_rate)
    return np.column_stack([hit, extra, is_true & ~hit]).astype(float)


def joint_coverage(low: np.ndarray, high: np.ndarray, true_ranks: np.ndarray) -> bool:
    """Whether all intervals hold their true ranks at once."""
    return bool(((low <= true_ranks) & (true_ranks <= high)).all())


Finish = Callable[[Floats], Floats]

"""Tables from pairs, for tests of statistics and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scorer.metrics import Tables, metric
from scorer.statistics import STATISTICS, Bench
from scorer.types import Floats

BENCH = Bench(weights_dir=Path("nowhere"), cache_dir=Path("nowhere"))


def tables(pairs: Sequence[tuple[str, str]]) -> Tables:
    """Tables of the text-only statistics for (prediction, reference) pairs."""
    predictions, references = [p for p, _ in pairs], [r for _, r in pairs]
    found = {}
    for one in STATISTICS:
        if one.spec.encoder:
            continue
        values = one.compute(predictions, references, BENCH).values
        found[one.spec.id] = {c.name: values[:, place] for place, c in enumerate(one.spec.columns)}
    return found


def value(metric_id: str, pairs: Sequence[tuple[str, str]]) -> float:
    """A metric on (prediction, reference) pairs."""
    one = metric(metric_id)
    return float(one.finish(one.terms(tables(pairs)).sum(axis=0)))


def per_study(metric_id: str, pairs: Sequence[tuple[str, str]]) -> Floats:
    """A metric on each pair alone."""
    one = metric(metric_id)
    return one.finish(one.terms(tables(pairs)))

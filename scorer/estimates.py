"""From per-study tables to estimates: one pass over summed terms gives every value and every interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from scorer.inference.resampling import RESAMPLES, SEED, count_clusters, interval, resampled_totals, totals
from scorer.metrics import Metric, Tables
from scorer.metrics import metric as registered
from scorer.signature import Signature
from scorer.statistics import statistic
from scorer.text import TEXT_RULE, Track
from scorer.types import Estimate, Floats, StudyTable

__all__ = ["RESAMPLES", "SEED", "agree", "as_tables", "contradicted", "estimate_all", "signature_of"]

_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
"""How far apart two computations of one number may be: `exp` and `log` of NumPy differ in the last digit from one
processor to the next."""


def as_tables(tables: Mapping[str, StudyTable]) -> Tables:
    """Statistic id -> column -> (n,), the form that metrics read."""
    return {
        name: {column: table.values[:, index] for index, column in enumerate(table.columns)}
        for name, table in tables.items()
    }


def signature_of(metric: Metric, dataset_key: str, track: Track, text_rule: str = TEXT_RULE) -> str:
    """The signature a number of this metric has under the registered versions."""
    needed = tuple(statistic(needed).spec.key for needed in metric.spec.needs)
    return _printed(metric.spec.key, needed, text_rule, dataset_key, track)


def contradicted(
    estimates: Iterable[Estimate], tables: Mapping[str, StudyTable], decimals: int | None = None
) -> frozenset[str]:
    """Metrics whose value is not what the per-study tables give, of those whose tables are all there.

    Args:
        tables: by statistic id. decimals: to which the values were rounded; None for full floats.
    """
    able = [(e, one) for e in estimates if set((one := registered(e.metric)).spec.needs) <= tables.keys()]
    columns = as_tables({name: tables[name] for _, one in able for name in one.spec.needs})
    slack = _ABSOLUTE if decimals is None else 0.51 * 10.0**-decimals
    return frozenset(
        estimate.metric
        for estimate, one in able
        if not _is_close(float(one.finish(totals(one.terms(columns)))), estimate.value, slack)
    )


def agree(one: Estimate, other: Estimate) -> bool:
    """Whether two estimates are the same, computed on two machines perhaps: bounds and value to 1e-9 of their size
    (1e-12 near 0), everything else exactly."""
    numbers = ((one.value, other.value), (one.low, other.low), (one.high, other.high))
    return one == replace(other, value=one.value, low=one.low, high=one.high) and all(
        a == b or (a is not None and b is not None and _is_close(a, b)) for a, b in numbers
    )


def _is_close(one: float, other: float, slack: float = _ABSOLUTE) -> bool:
    return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=slack)


@lru_cache(maxsize=4096)
def _printed(metric: str, statistics: tuple[str, ...], text: str, dataset: str, track: Track) -> str:
    return str(Signature(metric=metric, statistics=statistics, text=text, dataset=dataset, track=track))


def estimate_all(
    metrics: Iterable[Metric],
    tables: Tables,
    *,
    dataset_key: str,
    track: Track,
    n: int,
    n_empty: int,
    clusters: Sequence[str] | None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    text_rule: str = TEXT_RULE,
) -> tuple[tuple[Estimate, ...], Mapping[str, str]]:
    """Estimates every metric whose statistics are there.

    Args:
        tables: statistic id -> column -> (n,). clusters: patient per study, or None.

    Returns:
        The estimates, and metric id -> reason for each metric that has no value on these studies.
    """
    able = [metric for metric in metrics if all(needed in tables for needed in metric.spec.needs)]
    terms = [metric.terms(tables) for metric in able]
    estimates: list[Estimate] = []
    undefined: dict[str, str] = {}
    if not able or not n:
        return (), {}
    drawn: Floats | None = None
    if count_clusters(n, clusters) > 1:  # one patient alone says nothing about spread
        drawn = resampled_totals(np.hstack(terms), clusters=clusters, resamples=resamples, seed=seed)
    start = 0
    for metric, own in zip(able, terms, strict=True):
        stop = start + own.shape[1]
        value = float(metric.finish(totals(own)))
        if np.isfinite(value):
            low, high = (
                interval(np.asarray(metric.finish(drawn[:, start:stop])))
                if drawn is not None
                else (None, None)
            )
            estimates.append(
                Estimate(
                    metric=metric.spec.id,
                    value=value,
                    low=low,
                    high=high,
                    n=n,
                    n_empty=n_empty,
                    signature=signature_of(metric, dataset_key, track, text_rule),
                )
            )
        else:
            undefined[metric.spec.id] = "not defined on these studies"
        start = stop
    return tuple(estimates), undefined

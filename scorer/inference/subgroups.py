"""Estimates within groups of studies: by site, sex, age band, view or whatever a dataset knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.inference.models import finish_or_nan
from scorer.inference.resampling import RESAMPLES, SEED, count_clusters, interval, resampled_totals, totals
from scorer.types import Better, Floats

__all__ = ["Subgroup", "Subgroups", "estimate_subgroups"]


@dataclass(frozen=True, kw_only=True)
class Subgroup:
    """One group's estimate.

    Attributes:
        label: as in the dataset. n: studies; for a suppressed group None, as a small count can tell too.
        value: None when suppressed or undefined. low, high: 95 % interval within the group; None where none
            can be had.
        is_suppressed: the group is smaller than the dataset's access class lets us show.
    """

    label: str
    n: int | None
    value: float | None
    low: float | None = None
    high: float | None = None
    is_suppressed: bool = False


@dataclass(frozen=True, kw_only=True)
class Subgroups:
    """All groups of one attribute.

    Attributes:
        groups: by label. worst, best: label of the group with the worst and best value; None when fewer than
            two groups have one. spread: best minus worst value, in the metric's unit, never negative.
        n_suppressed: groups that are too small. n_unlabelled: studies without the attribute; None where
            that number is too small to show.
    """

    groups: tuple[Subgroup, ...]
    worst: str | None
    best: str | None
    spread: float | None
    n_suppressed: int
    n_unlabelled: int | None


def estimate_subgroups(
    terms: Floats,
    finish: Callable[[Floats], Floats],
    labels: Sequence[str | None],
    *,
    better: Better,
    clusters: Sequence[str] | None = None,
    least: int = 1,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Subgroups:
    """Estimates of one model within each group.

    Each group is resampled by itself, by cluster where clusters are known. A worst group is the worst of
    what this sample shows: with many groups some group is worst by chance, so read it with its interval.

    Args:
        terms: float64 (n, m). labels: n labels; None or "" where the attribute is not known.
        least: groups (and the unlabelled rest) with fewer studies are suppressed, and with them the next
            smallest until at least two groups and `least` studies hide together: a single one could be had
            by subtraction from the total.

    Raises:
        ValueError: labels, clusters and terms do not speak of the same studies.
    """
    if len(labels) != len(terms) or (clusters is not None and len(clusters) != len(terms)):
        raise ValueError(f"{len(terms)} rows of terms, {len(labels)} labels: these must be the same studies")
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label or "", []).append(row)
    hidden = _suppressed({label: len(members) for label, members in rows.items()}, least)
    groups = []
    for label in sorted(label for label in rows if label):
        if label in hidden:
            groups.append(Subgroup(label=label, n=None, value=None, is_suppressed=True))
            continue
        ids = None if clusters is None else [clusters[row] for row in rows[label]]
        value, low, high = _estimate(terms[rows[label]], finish, ids, resamples, seed)
        groups.append(Subgroup(label=label, n=len(rows[label]), value=value, low=low, high=high))
    sign = 1.0 if better == "higher" else -1.0
    ranked = sorted((sign * group.value, group.label) for group in groups if group.value is not None)
    is_spread = len(ranked) > 1
    return Subgroups(
        groups=tuple(groups),
        worst=ranked[0][1] if is_spread else None,
        best=ranked[-1][1] if is_spread else None,
        spread=ranked[-1][0] - ranked[0][0] if is_spread else None,
        n_suppressed=sum(group.is_suppressed for group in groups),
        n_unlabelled=None if "" in hidden else len(rows.get("", [])),
    )


def _estimate(
    terms: Floats,
    finish: Callable[[Floats], Floats],
    clusters: Sequence[str] | None,
    resamples: int,
    seed: int,
) -> tuple[float | None, float | None, float | None]:
    value = float(finish_or_nan(finish, totals(terms)))
    if not np.isfinite(value):
        return None, None, None
    if count_clusters(len(terms), clusters) < 2:
        return value, None, None
    sums = resampled_totals(terms, clusters=clusters, resamples=resamples, seed=seed)
    return value, *interval(finish_or_nan(finish, sums))


def _suppressed(sizes: dict[str, int], least: int) -> set[str]:
    """Groups that are too small, and as many of the next as it takes to hide them among each other."""
    by_size = sorted(sizes, key=lambda label: (sizes[label], label))
    count = sum(size < least for size in sizes.values())
    if count == 0:
        return set()
    while count < len(by_size) and (count < 2 or sum(sizes[label] for label in by_size[:count]) < least):
        count += 1
    return set(by_size[:count])

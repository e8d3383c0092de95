"""What the checks of hard-to-believe figures share: how far is far, and the form of their findings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorer.published.metrics import metric
from scorer.published.types import Finding, PublishedRow
from scorer.types import Floats

__all__ = ["FAR", "Place", "finding", "spread"]

FAR = 5.0
"""Robust standard deviations from what the other models suggest."""

Place = tuple[str, str, str, str]
"""(dataset, split, track, model)."""


def spread(values: Floats) -> Floats:
    """1.4826 x the median absolute deviation over the first axis."""
    return np.asarray(1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0))


def finding(
    kind: str,
    place: Place,
    id: str,
    rows: Sequence[PublishedRow],
    values: tuple[tuple[str, float], ...],
    said: str,
    when: str,
) -> Finding:
    """A finding about one cell, with the lines it was read from."""
    dataset, split, track, model = place
    return Finding(
        kind=kind,
        editions=tuple(dict.fromkeys(row.edition for row in rows)),
        dataset=dataset,
        split=split,
        track=track,
        model=model,
        metric=id,
        values=values,
        rows=tuple((row.edition, row.line) for row in rows),
        sentence=f"{model} on {dataset} ({track}): {metric(id).label} {said}; {when}.",
    )

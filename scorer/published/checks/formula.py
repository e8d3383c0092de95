"""Rows whose RadCliQ does not follow from their own components."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.published.cells import figures
from scorer.published.metrics import metric
from scorer.published.radcliq import V0, V1, Linear
from scorer.published.rounding import Columns, Span, decimals_of_columns, span
from scorer.published.types import Edition, Finding, PublishedRow

__all__ = ["check_formula"]

TOLERANCE = 0.003
"""On RadCliQ itself. Rounding of four three-decimal components alone explains at most 0.004 of v0 and 0.002
of v1; the 220 published rows stay below 0.0025."""


def check_formula(editions: Sequence[Edition]) -> Iterator[Finding]:
    """One finding per cell, over all editions that show the same figures.

    A raw score may be off by `TOLERANCE` or by what the rounding of its components allows, whichever is
    more. A reciprocal must be 1 / (a score its components allow), allowing for its own rounding.
    """
    columns = decimals_of_columns(editions)
    broken: dict[tuple[str, ...], list[tuple[Edition, dict[str, PublishedRow], Span]]] = {}
    for edition in editions:
        for place, row in figures(edition).items():
            for id, linear in (("radcliq_v1", V1), ("radcliq_v0", V0), ("inv_radcliq_v1", V1)):
                allowed = _allowed(row, id, linear, columns)
                if allowed is not None and not span(row[id], columns).meets(allowed):
                    shown = tuple(row[name].printed for name in (id, *linear.weights))
                    broken.setdefault((*place, id, *shown), []).append((edition, row, allowed))
    for (dataset, split, track, model, id, *_), seen in broken.items():
        linear = V0 if id == "radcliq_v0" else V1
        first, row, allowed = seen[0]
        computed = linear.value({name: row[name].value for name in linear.weights})
        computed = 1 / computed if id == "inv_radcliq_v1" else computed
        last = f" to {seen[-1][0].label} ({len(seen)} editions)" if len(seen) > 1 else ""
        yield Finding(
            kind="formula",
            editions=tuple(edition.id for edition, _, _ in seen),
            dataset=dataset,
            split=split,
            track=track,
            model=model,
            metric=id,
            values=(("shown", row[id].value), ("from its components", computed)),
            rows=tuple((edition.id, figures[id].line) for edition, figures, _ in seen),
            sentence=f"{model} on {dataset} ({track}): {metric(id).label} is shown as {row[id].printed}, its own "
            f"components give {computed:.4f} (rounding allows {allowed.low:.4f} to {allowed.high:.4f}); "
            f"{first.label}{last}.",
        )


def _allowed(row: dict[str, PublishedRow], id: str, linear: Linear, columns: Columns) -> Span | None:
    """What the components allow the figure to be; None when there is nothing to compare."""
    if id not in row or not linear.weights.keys() <= row.keys():
        return None
    raw = linear.span({name: span(row[name], columns) for name in linear.weights})
    if id == "inv_radcliq_v1":
        return raw.reciprocal()
    middle = (raw.low + raw.high) / 2
    return Span(min(raw.low, middle - TOLERANCE), max(raw.high, middle + TOLERANCE))

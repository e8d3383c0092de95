"""A zero that is no measurement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.published.cells import figures
from scorer.published.checks.outliers import finding
from scorer.published.metrics import metric
from scorer.published.types import Edition, Finding

__all__ = ["check_zeros"]


def check_zeros(editions: Sequence[Edition]) -> Iterator[Finding]:
    """A figure of exactly 0 where 0 is no measurement: in a reciprocal, or beside a row of positive figures."""
    for edition in editions:
        for place, row in figures(edition).items():
            for id, figure in row.items():
                others = [other.value for name, other in row.items() if name != id and metric(name).low == 0]
                beside = len(others) >= 3 and min(others) > 0
                if figure.value == 0 and metric(id).low == 0 and (metric(id).reciprocal_of or beside):
                    why = (
                        "no mean has the reciprocal 0"
                        if metric(id).reciprocal_of
                        else "its other figures are not 0"
                    )
                    yield finding(
                        "zero",
                        place,
                        id,
                        [figure],
                        (("shown", 0.0),),
                        f"is shown as {figure.printed}: {why}",
                        edition.label,
                    )

"""RadCliQ from its components, and how to read it from either form it was published in.

Both versions are linear, so what holds for a study holds for means: a published row can be checked against
its own components, and the reciprocal that the leaderboard shows is the reciprocal of the mean.

Source: rajpurkarlab/CXR-Report-Metric: CXRMetric/radcliq-v1.pkl and composite_metric_model.pkl with
normalizer.pkl, in raw units.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scorer.published.rounding import Span

__all__ = ["V0", "V1", "Linear", "raw_v1"]


class Linear(NamedTuple):
    """A predicted error count, lower is better: intercept plus the weighted components."""

    intercept: float
    weights: Mapping[str, float]

    def value(self, components: Mapping[str, float]) -> float:
        """The score of one row.

        Raises:
            KeyError: a component is missing.
        """
        return self.intercept + sum(weight * components[name] for name, weight in self.weights.items())

    def span(self, components: Mapping[str, Span]) -> Span:
        """The scores that components within their rounding allow.

        Raises:
            KeyError: a component is missing.
        """
        ends = [
            sorted((weight * components[name].low, weight * components[name].high))
            for name, weight in self.weights.items()
        ]
        return Span(
            self.intercept + sum(low for low, _ in ends), self.intercept + sum(high for _, high in ends)
        )


V1 = Linear(
    2.4501430833271307,
    {  # BLEU's weight is 1.4e-11: it does not count
        "radgraph_combined": -1.24521633021832,
        "bertscore": -1.6508453287258653,
        "semb_score": -0.9947717072020826,
    },
)
V0 = Linear(
    5.516160804054495,
    {
        "radgraph_combined": -1.5890342336062262,
        "bertscore": -3.0098301361749296,
        "semb_score": -1.873371709917809,
        "bleu_2": 0.7139418527003757,  # more BLEU is worse
    },
)


def raw_v1(figures: Mapping[str, float]) -> float | None:
    """RadCliQ-v1 (lower is better) of a row, in the form it was published: itself, else 1 / its reciprocal.

    A negative reciprocal is a mean below 0, better than any positive one: read back like this, rows order
    rightly on both sides of the pole. None when neither was published or the reciprocal is 0.
    """
    if "radcliq_v1" in figures:
        return figures["radcliq_v1"]
    reciprocal = figures.get("inv_radcliq_v1", 0.0)
    return 1 / reciprocal if reciprocal else None

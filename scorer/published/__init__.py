"""Figures that somebody else published: imported as reported, checked, compared, never mixed with ours.

Entry points: `read_editions` and `read_model_cards` read what lies in `results/`; `METRICS` says what every
column means.
"""

from scorer.published.editions import newest_edition, read_editions, read_model_cards
from scorer.published.metrics import METRICS, metric
from scorer.published.types import Edition, ModelCard, PublishedMetric, PublishedRow

__all__ = [
    "METRICS",
    "Edition",
    "ModelCard",
    "PublishedMetric",
    "PublishedRow",
    "metric",
    "newest_edition",
    "read_editions",
    "read_model_cards",
]

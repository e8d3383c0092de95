"""The registered metrics, in column order. To add one: its module, a line here, its test, its docs page."""

from __future__ import annotations

from scorer.metrics.base import MeanMetric, Metric, Tables
from scorer.metrics.bertscore import BERTSCORE
from scorer.metrics.chexbert import CHEXBERT_F1, SEMB_SCORE
from scorer.metrics.crimson import CRIMSON, CRIMSON_UNREAD
from scorer.metrics.green import GREEN, GREEN_UNREAD
from scorer.metrics.lexical import BLEU_2, BLEU_4, EMPTY_RATE, LENGTH_RATIO, ROUGE_L
from scorer.metrics.radcliq import INV_RADCLIQ_V1, RADCLIQ_V0, RADCLIQ_V1
from scorer.metrics.radgraph import RADGRAPH_METRICS
from scorer.metrics.ratescore import RATESCORE, RATESCORE_SHORT

__all__ = ["METRICS", "MeanMetric", "Metric", "Tables", "metric"]

METRICS: tuple[Metric, ...] = (
    RADCLIQ_V1,
    RADCLIQ_V0,
    INV_RADCLIQ_V1,
    *RADGRAPH_METRICS,
    SEMB_SCORE,
    *CHEXBERT_F1,
    RATESCORE,
    RATESCORE_SHORT,
    BERTSCORE,
    BLEU_2,
    BLEU_4,
    ROUGE_L,
    GREEN,
    CRIMSON,
    LENGTH_RATIO,
    EMPTY_RATE,
    GREEN_UNREAD,
    CRIMSON_UNREAD,
)

_BY_ID = {one.spec.id: one for one in METRICS}


def metric(metric_id: str) -> Metric:
    """The registered metric of that id.

    Raises:
        KeyError: there is none.
    """
    return _BY_ID[metric_id]

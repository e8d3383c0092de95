"""What every published column means: one small table, with legacy meanings under ids of their own.

RadCliQ-v1 (lower is better) and its reciprocal (shown by the leaderboard since November 2024 as higher is
better) are two metrics, and so are FineRadScore and its reciprocal: one heading, two meanings over time.
"""

from __future__ import annotations

from math import inf

from scorer.published.types import PublishedMetric

__all__ = ["METRICS", "metric"]

_VQA = "ReXVQA, table of the leaderboard, share of right answers"

METRICS: tuple[PublishedMetric, ...] = (
    PublishedMetric(
        id="radcliq_v1",
        label="RadCliQ-v1",
        better="lower",
        low=-1.4406902828047017,  # all components 1
        high=13.0,  # components at their worst: BERTScore -5.55, SembScore -1, RadGraph 0
        decimals=3,
        group="composite",
        source="rajpurkarlab/CXR-Report-Metric: CXRMetric/radcliq-v1.pkl",
    ),
    PublishedMetric(
        id="inv_radcliq_v1",
        label="1/RadCliQ-v1",
        better="higher",
        low=-inf,  # a mean below 0 has a negative reciprocal
        high=inf,  # and a mean near 0 an unbounded one
        decimals=3,
        group="composite",
        is_ranked=False,  # a pole at RadCliQ-v1 = 0: a perfect report has -0.694
        reciprocal_of="radcliq_v1",
        source="reciprocal of the mean RadCliQ-v1 (71 of 88 cells of November 2024 agree within rounding)",
    ),
    PublishedMetric(
        id="radcliq_v0",
        label="RadCliQ-v0",
        better="lower",
        low=-0.9560752756444698,  # all components 1, BLEU 0: BLEU counts against
        high=24.9,
        decimals=3,
        group="composite",
        source="rajpurkarlab/CXR-Report-Metric: CXRMetric/composite_metric_model.pkl",
    ),
    PublishedMetric(
        id="bleu_2",
        label="BLEU-2",
        better="higher",
        low=0.0,
        high=1.0,
        decimals=3,
        group="lexical",
        source="rajpurkarlab/CXR-Report-Metric: CXRMetric/run_eval.py; the leaderboard's BLEU column",
    ),
    PublishedMetric(
        id="bertscore",
        label="BERTScore",
        better="higher",
        low=-5.5501568435056186,  # an empty text, rescaled with the baseline
        high=1.0,
        decimals=3,
        group="semantic",
        source="Tiiiger/bert_score 0.3.13, distilroberta-base, rescaled with the baseline",
    ),
    PublishedMetric(
        id="semb_score",
        label="SembScore",
        better="higher",
        low=-1.0,
        high=1.0,
        decimals=3,
        group="clinical",
        source="rajpurkarlab/CXR-Report-Metric: cosine of CheXbert vectors",
    ),
    PublishedMetric(
        id="radgraph_combined",
        label="RadGraph",
        better="higher",
        low=0.0,
        high=1.0,
        decimals=3,
        group="clinical",
        source="rajpurkarlab/CXR-Report-Metric: mean of entity F1 and relation F1",
    ),
    PublishedMetric(
        id="ratescore",
        label="RaTEScore",
        better="higher",
        low=0.0,
        high=1.0,
        decimals=3,
        group="clinical",
        source="MAGIC-AI4Med/RaTEScore",
    ),
    PublishedMetric(
        id="green",
        label="GREEN",
        better="higher",
        low=0.0,
        high=1.0,
        decimals=3,
        group="judge",
        source="Stanford-AIMI/GREEN",
    ),
    PublishedMetric(
        id="crimson",
        label="CRIMSON",
        better="higher",
        low=-1.0,
        high=1.0,
        decimals=3,
        group="judge",
        source="rajpurkarlab/CRIMSON: CRIMSON/generate_score.py",
    ),
    PublishedMetric(
        id="fineradscore",
        label="FineRadScore",
        better="lower",
        low=0.0,
        high=inf,
        decimals=3,
        group="judge",
        is_recomputable=False,  # prompts only; no code turns severities into the number
        source="rajpurkarlab/FineRadScore (prompts only; rajpurkarlab/ReXrank issue 3 asks for the rule)",
    ),
    PublishedMetric(
        id="inv_fineradscore",
        label="1/FineRadScore",
        better="higher",
        low=0.0,
        high=inf,
        decimals=3,
        group="judge",
        is_ranked=False,  # where the reciprocal is taken is not published
        is_recomputable=False,
        reciprocal_of="fineradscore",
        source="column of the leaderboard from November 2024 to 2025",
    ),
    *(
        PublishedMetric(
            id=f"vqa_{part}",
            label=label,
            better="higher",
            low=0.0,
            high=1.0,
            decimals=4,
            group="vqa",
            is_recomputable=False,  # the questions and answers are not part of report scoring
            source=_VQA,
        )
        for part, label in (
            ("accuracy", "VQA accuracy"),
            ("presence", "VQA presence"),
            ("location", "VQA location"),
            ("negation", "VQA negation"),
            ("differential_diagnosis", "VQA differential diagnosis"),
            ("geometric", "VQA geometric"),
        )
    ),
)
"""In the order columns are shown."""

_BY_ID = {entry.id: entry for entry in METRICS}


def metric(id: str) -> PublishedMetric:
    """The definition of a published column.

    Raises:
        KeyError: no published column has that id.
    """
    return _BY_ID[id]

"""RadCliQ: a linear prediction of the number of errors that a radiologist would count; lower is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorer.metrics.base import MeanMetric, Tables
from scorer.metrics.lexical import BLEU_2
from scorer.metrics.radgraph import combined
from scorer.types import Floats, MetricSpec

__all__ = ["INV_RADCLIQ_V1", "RADCLIQ_V0", "RADCLIQ_V1", "V0", "V1", "Radcliq", "radcliq"]


@dataclass(frozen=True, kw_only=True)
class Radcliq:
    """Constants of one version; tuples are in the order radgraph_combined, bertscore, semb_score, bleu_2."""

    coefficients: tuple[float, float, float, float]
    means: tuple[float, float, float, float]
    scales: tuple[float, float, float, float]
    intercept: float


V0 = Radcliq(
    coefficients=(-0.4796252644863446, -0.6762170542369337, -0.46366575161751994, 0.2165861905287535),
    means=(0.5398376019082272, 0.6312549595000001, 0.7716797866672277, 0.4607372064809605),
    scales=(0.3018344440559102, 0.22466950746141123, 0.24750333805236252, 0.30336670936092264),
    intercept=1.641666666666666,
)
"""CXR-Report-Metric `composite_metric_model.pkl` and `normalizer.pkl`. More BLEU is worse in it."""

V1 = Radcliq(
    coefficients=(-0.37708368261038905, -0.37030009974480316, -0.25261621789593225, 4.315048405024756e-12),
    means=(0.5379231241355762, 0.6175725628125001, 0.7647942121140658, 0.44738335396242174),
    scales=(0.3028258411486429, 0.22430938459304575, 0.2539439110169773, 0.2989271671041838),
    intercept=2.466552561323256e-10,
)
"""CXR-Report-Metric `radcliq-v1.pkl`. BLEU does not count in it."""


def radcliq(features: Floats, version: Radcliq) -> Floats:
    """RadCliQ of features (..., 4), in the order of `Radcliq`: sum of coefficient x (x - mean) / scale + intercept."""
    standard = (features - np.array(version.means)) / np.array(version.scales)
    return np.asarray(standard @ np.array(version.coefficients) + version.intercept)


def _features(tables: Tables) -> Floats:
    return np.column_stack(
        [combined(tables), tables["bertscore"]["f1"], tables["chexbert"]["cosine"], BLEU_2.per_study(tables)]
    )


_NEEDS = ("radgraph", "bertscore", "chexbert", *BLEU_2.spec.needs)


def _spec(name: str, version: Radcliq) -> MetricSpec:
    return MetricSpec(
        id=f"radcliq_{name}",
        version=1,
        label=f"RadCliQ-{name}",
        group="composite",
        needs=_NEEDS,
        # Every component at its best end, and at the worst end of its own range.
        low=float(radcliq(np.array([1.0, 1.0, 1.0, 1.0 if name == "v1" else 0.0]), version)),
        high=float("inf"),
        better="lower",
        source=f"Yu et al. 2023; constants of CXR-Report-Metric, {name}",
        changes=((1, "2026-11-30", "First version: raw mean over studies."),),
        on_board=name == "v1",
        page="radcliq",
    )


RADCLIQ_V0 = MeanMetric(spec=_spec("v0", V0), per_study=lambda tables: radcliq(_features(tables), V0))
RADCLIQ_V1 = MeanMetric(spec=_spec("v1", V1), per_study=lambda tables: radcliq(_features(tables), V1))


class _InverseRadcliqV1:
    """1 / mean RadCliQ-v1, as ReXrank prints it; never ranked, because it is not monotone across zero.

    A mean at or below zero has no inverse to show: `finish` gives NaN there, and the value is left out.
    """

    spec = MetricSpec(
        id="inv_radcliq_v1",
        version=1,
        label="1/RadCliQ-v1",
        group="composite",
        needs=_NEEDS,
        low=0.0,
        high=float("inf"),
        better="higher",
        source="ReXrank leaderboard since 2025: the reciprocal of the mean; for comparison with it only",
        changes=(
            (
                1,
                "2026-11-30",
                "First version: reciprocal of the mean, absent where the mean is not positive.",
            ),
        ),
        is_per_study=False,
        is_ranked=False,
        on_board=False,
        page="radcliq",
    )

    def terms(self, tables: Tables) -> Floats:
        return RADCLIQ_V1.terms(tables)

    def finish(self, totals: Floats) -> Floats:
        mean = RADCLIQ_V1.finish(totals)
        return np.asarray(np.divide(1.0, mean, out=np.full_like(mean, np.nan), where=mean > 0))


INV_RADCLIQ_V1 = _InverseRadcliqV1()

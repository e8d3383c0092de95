"""RaTEScore's two directions for both weight sets: how well the entities of one report are found in the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scorer.encoding import Encodings
from scorer.encoding.encoder import missing as encoder_missing
from scorer.encoding.ratescore import (
    ENTITIES,
    SENTENCES,
    TAGGER,
    missing_packages,
    unpack_entities,
    unpack_sentences,
    unpack_vector,
)
from scorer.statistics.base import Bench, Computed
from scorer.types import Column, StatisticSpec

__all__ = ["AFFINITY", "RATESCORE", "RateScore", "direction"]

_ORDER = ("ABNORMALITY", "ANATOMY", "DISEASE", "NON-ABNORMALITY", "NON-DISEASE")
_LONG = (
    (0.4276119164393705, 0.6240929990607657, 0.0034478181112993847, 0.5431049700217344, 0.27005425386213877),
    (0.7487824274337533, 0.2856134859160784, 0.4592143222158069, 0.02097055139911715, 0.00013736314126696204),
    (0.8396510075734789, 0.9950209388542061, 0.8460555030578727, 0.9820689020512646, 0.3789136708096537),
    (0.16546764653692908, 0.018670610691852826, 0.719397354576018, 0.0009357166071730684, 0.0927333564267591),
    (0.7759420231214385, 0.1839139293714062, 0.10073046076318157, 0.03860183811876373, 0.34065681486566446),
)
_SHORT = (
    (0.4070293318365468, 0.6952639610605605, 0.28342529466226446, 0.9479148658006686, 0.23875064111146294),
    (0.5829759950441763, 0.7709590751917746, 0.0006059634829551632, 0.794672584951181, 0.27982942400798977),
    (0.8840397619834857, 0.9637659445696822, 0.19018958438059513, 0.6962283914800402, 0.943727057946997),
    (
        0.1712744286898638,
        0.4485149671497294,
        0.00045065329822896076,
        0.0007887930317199857,
        0.8555432840895761,
    ),
    (0.9555801066212176, 0.13122106162635216, 0.6072996585919443, 0.05650711141169969, 0.3214769399791204),
)


@dataclass(frozen=True, kw_only=True)
class Affinity:
    """A weight set: a weight for (own type, matched type), and what a match across a negation keeps."""

    weights: Mapping[tuple[str, str], float]
    across_negation: float


def _affinity(rows: Sequence[Sequence[float]], across_negation: float) -> Affinity:
    pairs = {
        (own, other): row[j] for own, row in zip(_ORDER, rows, strict=True) for j, other in enumerate(_ORDER)
    }
    return Affinity(weights=pairs, across_negation=across_negation)


AFFINITY = {"long": _affinity(_LONG, 0.8716553966489615), "short": _affinity(_SHORT, 0.3611577852354489)}
"""The original's two weight sets, fitted to long and to short reports; `long` is its default."""

_PRESENT, _ABSENT = {"ABNORMALITY", "DISEASE"}, {"NON-ABNORMALITY", "NON-DISEASE"}

Entities = Sequence[tuple[str, str]]


def direction(own: Sequence[str], matched: Sequence[tuple[str, float]], affinity: Affinity) -> float:
    """The weighted mean of best cosines over the entities of one side.

    Args:
        own: their types. matched: for each, the type of its best match on the other side and the cosine.
    """
    total = weight_sum = 0.0
    for kind, (other, cosine) in zip(own, matched, strict=True):
        weight = affinity.weights[kind, other]
        is_across = (kind in _PRESENT and other in _ABSENT) or (kind in _ABSENT and other in _PRESENT)
        total += cosine * weight * (affinity.across_negation if is_across else 1)
        weight_sum += weight
    return total / weight_sum if weight_sum else 0.0


@dataclass(frozen=True, kw_only=True)
class RateScore:
    """See the module. An empty prediction has a row of its own, marked by the column `is_empty`."""

    spec: StatisticSpec = field(
        default=StatisticSpec(
            id="ratescore",
            version=1,
            columns=(
                Column(name="is_empty", unit="1", high=1),
                Column(name="reference_entities", unit="count"),
                Column(name="prediction_entities", unit="count"),
                *(
                    Column(name=f"{side}_{name}", unit="1", low=-1, high=1)
                    for name in AFFINITY
                    for side in ("reference_in_prediction", "prediction_in_reference")
                ),
            ),
            encoder="ratescore",
            source="Zhao et al. 2024; ratescore 0.6.0",
            changes=((1, "2026-11-30", "first version"),),
        )
    )

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        """See `Statistic`."""
        return encoder_missing("ratescore", bench) or missing_packages()

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """See `Statistic`."""
        with Encodings(SENTENCES, bench, predictions, references) as cut:
            digest = cut.weights.digest
            texts = dict.fromkeys(text for text in (*predictions, *references) if text.strip())
            sentences = {text: unpack_sentences(one.data) for text, one in cut.get(texts).items()}
        tagged, cut_sentences = _encoded(TAGGER, bench, (s for some in sentences.values() for s in some))
        by_sentence = {sentence: unpack_entities(data) for sentence, data in tagged.items()}
        entities = {text: [e for s in some for e in by_sentence[s]] for text, some in sentences.items()}
        encoded, cut_entities = _encoded(
            ENTITIES, bench, (name for some in entities.values() for name, _ in some)
        )
        vectors = _unit(encoded)
        values = np.zeros((len(predictions), len(self.spec.columns)))
        known: dict[tuple[str, str], list[float]] = {}
        for row, pair in enumerate(zip(predictions, references, strict=True)):
            if pair not in known:
                known[pair] = _row(entities.get(pair[0], ()), entities.get(pair[1], ()), vectors, pair[0])
            values[row] = known[pair]
        n_cut = sum(
            any(s in cut_sentences for s in sentences.get(text, ()))
            or any(name in cut_entities for name, _ in entities.get(text, ()))
            for text in (*predictions, *references)
        )
        return Computed(values=values, weights_digest=digest, n_truncated=n_cut)


RATESCORE = RateScore()


def _encoded(encoder: Any, bench: Bench, texts: Iterable[str]) -> tuple[dict[str, bytes], set[str]]:
    """The encodings of distinct texts, and which of the texts had to be cut."""
    distinct = list(dict.fromkeys(texts))
    with Encodings(encoder, bench, distinct, ()) as encodings:
        found = encodings.get(distinct)
    return {text: one.data for text, one in found.items()}, {t for t, one in found.items() if one.is_cut}


def _unit(encoded: Mapping[str, bytes]) -> dict[str, Any]:
    """Vectors of length 1 by normalised entity, as torch tensors."""
    import torch

    if not encoded:
        return {}
    rows = torch.from_numpy(np.array([unpack_vector(data) for data in encoded.values()]))
    names = map(ENTITIES.normalise, encoded)
    return dict(zip(names, torch.nn.functional.normalize(rows, p=2, dim=1), strict=True))


def _row(prediction: Entities, reference: Entities, vectors: Mapping[str, Any], text: str) -> list[float]:
    counts = [float(not text.strip()), float(len(reference)), float(len(prediction))]
    if not prediction or not reference:
        return [*counts, *[0.0] * 2 * len(AFFINITY)]
    forth, back = _best(reference, prediction, vectors), _best(prediction, reference, vectors)
    own, other = [kind for _, kind in reference], [kind for _, kind in prediction]
    values = [
        value
        for affinity in AFFINITY.values()
        for value in (direction(own, forth, affinity), direction(other, back, affinity))
    ]
    return [*counts, *values]


def _best(own: Entities, others: Entities, vectors: Mapping[str, Any]) -> list[tuple[str, float]]:
    """(type, cosine) of the best match of each entity among the others.

    Row by row with `topk`, as the original: an entity can stand in a report with two types, and between equal
    cosines the choice is the library's. One cosine per distinct entity, so that equal ones are equal to the bit.
    """
    import torch

    seen = [ENTITIES.normalise(name) for name, _ in others]
    place = {name: index for index, name in enumerate(dict.fromkeys(seen))}
    stacked = torch.stack([vectors[name] for name in place])
    spread = torch.tensor([place[name] for name in seen])
    best: dict[str, tuple[str, float]] = {}
    for name in dict.fromkeys(name for name, _ in own):
        value, index = torch.topk(torch.matmul(stacked, vectors[ENTITIES.normalise(name)])[spread], 1)
        best[name] = others[int(index[0])][1], float(value[0])
    return [best[name] for name, _ in own]

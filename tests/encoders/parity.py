"""The parity checks, as functions: a test calls them, and a mutation test shows that they can fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scorer.encoding import Encodings
from scorer.encoding.radgraph import Graph, RadgraphEncoder, unpack
from scorer.statistics.base import Bench
from scorer.statistics.bertscore import BERTSCORE, BertScore
from scorer.statistics.chexbert import CHEXBERT
from scorer.types import Floats
from tests.encoders.texts import HARD, reports

PREDICTIONS = (*HARD, *reports(12, seed=1))
REFERENCES = (*HARD[::-1], *reports(12, seed=2))
"""Hard texts against hard texts, and invented reports against others."""


def check_bertscore(bench: Bench, official: Floats, one: BertScore = BERTSCORE) -> None:
    """(n, 3) scores of the package on the pairs above, within 1e-5."""
    ours = one.compute(PREDICTIONS, REFERENCES, bench).values[:, :3]
    np.testing.assert_allclose(ours, official, atol=1e-5, rtol=0)


def check_chexbert(bench: Bench, official: Mapping[str, tuple[Floats, Floats]]) -> None:
    """Labels of both sides equal the package's, cosines of its vectors within 1e-5."""
    values = CHEXBERT.compute(PREDICTIONS, REFERENCES, bench).values
    vectors, labels = official["prediction"]
    others, other_labels = official["reference"]
    np.testing.assert_array_equal(values[:, 1:15], labels)
    np.testing.assert_array_equal(values[:, 15:], other_labels)
    cosines = (
        (vectors * others).sum(axis=1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(others, axis=1)
    )
    np.testing.assert_allclose(values[:, 0], cosines, atol=1e-5, rtol=0)


def as_package(graph: Graph) -> dict[str, Any]:
    """A graph in the package's form."""
    return {
        str(place): {
            "tokens": one.tokens,
            "label": one.label,
            "start_ix": one.start,
            "end_ix": one.end,
            "relations": [[kind, str(tail + 1)] for kind, tail in one.relations],
        }
        for place, one in enumerate(graph, start=1)
    }


def graphs(encoder: RadgraphEncoder, bench: Bench, texts: Sequence[str]) -> dict[str, Graph]:
    with Encodings(encoder, bench, texts, texts) as encodings:
        return {text: unpack(one.data) for text, one in encodings.get(texts).items()}


def check_radgraph(encoder: RadgraphEncoder, bench: Bench, official: Mapping[str, Any]) -> None:
    """Every annotation, down to the order of relations, is the package's: text -> entities."""
    ours = graphs(encoder, bench, tuple(official))
    assert {text: as_package(ours[text]) for text in official} == dict(official)

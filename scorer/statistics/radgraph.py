"""RadGraph: matches between the two reports' entities and relations, counted on sets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.encoding import Encodings
from scorer.encoding.encoder import missing
from scorer.encoding.radgraph import RADGRAPH as V1
from scorer.encoding.radgraph import RADGRAPH_XL as XL
from scorer.encoding.radgraph import Graph, RadgraphEncoder, unpack
from scorer.statistics.base import Bench, Computed
from scorer.types import Column, StatisticSpec

__all__ = ["LEVELS", "RADGRAPH", "RADGRAPH_XL", "Radgraph", "graph_sets"]

LEVELS = ("entity", "relation", "partial", "complete")
"""What is compared: see `graph_sets`."""

_AT_ONCE = 256


def graph_sets(graph: Graph) -> tuple[set[Hashable], ...]:
    """The four sets of a graph, in order of `LEVELS`; repeats and positions vanish.

    entity: (tokens, label). relation: (head's tokens and label, tail's tokens and label, type).
    partial: (tokens, label), marked where the entity is the head of a relation.
    complete: (tokens, label) of entities that head no relation; for each relation (tokens, label, type, tail's tokens).
    Case counts everywhere but in the relations of `complete`, as in radgraph 0.1.18; the head of its repository
    lowers the case everywhere, which would be another version of this statistic.
    Source: radgraph 0.1.18 `rewards.py`; CXR-Report-Metric `radgraph_evaluate_model.py`.
    """
    entities: set[Hashable] = {(one.tokens, one.label) for one in graph}
    relations: set[Hashable] = set()
    complete: set[Hashable] = set()
    for one in graph:
        if not one.relations:
            complete.add((one.tokens, one.label))
        for kind, place in one.relations:
            tail = graph[place]
            relations.add(((one.tokens, one.label), (tail.tokens, tail.label), kind))
            complete.add((one.tokens.lower(), one.label, kind, tail.tokens.lower()))
    partial: set[Hashable] = {(one.tokens, one.label, bool(one.relations)) for one in graph}
    return entities, relations, partial, complete


@dataclass(frozen=True, kw_only=True)
class Radgraph:
    """Per level, the number of common elements, of the prediction's and of the reference's."""

    spec: StatisticSpec
    encoder: RadgraphEncoder

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        return missing(self.encoder.id, bench)

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """One row per pair: matches, prediction, reference of each level; an empty text has no entity."""
        values = np.empty((len(predictions), 3 * len(LEVELS)))
        with Encodings(self.encoder, bench, predictions, references) as encodings:
            for start in range(0, len(predictions), _AT_ONCE):
                stop = start + _AT_ONCE
                found = encodings.get({*predictions[start:stop], *references[start:stop]})
                sets = {text: graph_sets(unpack(encoding.data)) for text, encoding in found.items()}
                nothing = graph_sets(())
                for row, pair in enumerate(
                    zip(predictions[start:stop], references[start:stop], strict=True), start
                ):
                    ours, theirs = (sets.get(text, nothing) for text in pair)
                    values[row] = [
                        size
                        for mine, other in zip(ours, theirs, strict=True)
                        for size in (len(mine & other), len(mine), len(other))
                    ]
        return Computed(values=values, weights_digest=encodings.weights.digest)


_COLUMNS = tuple(
    Column(name=f"{level}_{what}", unit="count")
    for level in LEVELS
    for what in ("matches", "prediction", "reference")
)

RADGRAPH = Radgraph(
    spec=StatisticSpec(
        id="radgraph",
        version=1,
        columns=_COLUMNS,
        encoder=V1.id,
        source="Jain et al. 2021, RadGraph 1.0 checkpoint; radgraph 0.1.18 with model_type radgraph",
        changes=((1, "2026-11-30", "First version: 1.0 checkpoint, case as in release 0.1.18."),),
    ),
    encoder=V1,
)

RADGRAPH_XL = Radgraph(
    spec=StatisticSpec(
        id="radgraph_xl",
        version=1,
        columns=_COLUMNS,
        encoder=XL.id,
        source="Delbrouck et al. 2024, RadGraph-XL checkpoint; radgraph 0.1.18 with model_type radgraph-xl",
        changes=((1, "2026-11-30", "First version: XL checkpoint, case as in release 0.1.18."),),
    ),
    encoder=XL,
)

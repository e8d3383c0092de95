"""Records, tables and pair documents without their words, and back: signatures, reasons and names of methods
and columns are taken from the registries on the way in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from scorer.checking.artifact import Lack, Numbers, Pairs, Table, as_tuples
from scorer.datasets.base import Card
from scorer.estimates import signature_of
from scorer.inference.ranks import BY_VALUE, METHOD
from scorer.metrics import METRICS
from scorer.text import Track
from scorer.types import Estimate, Record, StudyTable

__all__ = [
    "numbers_from",
    "pair_document_of",
    "pairs_from",
    "record_of",
    "table_from",
    "table_of",
]


def numbers_from(record: Record) -> Numbers:
    """A record without its words."""
    return Numbers(
        model=record.model,
        dataset=record.dataset,
        track=record.track,
        n=record.n,
        n_empty=record.n_empty,
        values={e.metric: (e.value, e.low, e.high) for e in record.estimates},
        missing={metric: _lack(reason) for metric, reason in record.missing.items()},
        digests=dict(record.digests),
        weights=dict(record.weights),
        n_truncated=dict(record.n_truncated),
        seed=record.seed,
        resamples=record.resamples,
        clusters="patient" if record.clusters == "patient" else "study",
        versions=dict(record.versions),
        figures=dict(record.figures),
    )


def _lack(reason: str) -> Lack:
    """The code of a reason; its words stay behind."""
    failed = re.fullmatch(
        r"failed: ([a-z][a-z0-9_]*): ([A-Za-z][A-Za-z -]*) \(([0-9]+) stud(?:y|ies)\).*", reason
    )
    if failed:
        return Lack(why="failed", statistic=failed[1], kind=failed[2][:60].rstrip(), count=int(failed[3]))
    if reason.startswith("failed"):
        return Lack(why="failed", kind="Unknown")
    return Lack(why="unavailable" if reason.startswith("unavailable") else "undefined")


def record_of(numbers: Numbers, card: Card) -> Record:
    """The record that the numbers mean, with signatures and reasons written here."""
    order = {one.spec.id: (place, one) for place, one in enumerate(METRICS)}
    estimates = [
        Estimate(
            metric=metric,
            value=value,
            low=low,
            high=high,
            n=numbers.n,
            n_empty=numbers.n_empty,
            signature=signature_of(order[metric][1], card.key, numbers.track),
        )
        for metric, (value, low, high) in numbers.values.items()
    ]
    return Record(
        model=numbers.model,
        dataset=numbers.dataset,
        track=numbers.track,
        n=numbers.n,
        n_empty=numbers.n_empty,
        estimates=tuple(sorted(estimates, key=lambda e: order[e.metric][0])),
        digests=numbers.digests,
        weights=numbers.weights,
        n_truncated=numbers.n_truncated,
        seed=numbers.seed,
        resamples=numbers.resamples,
        clusters=numbers.clusters,
        versions=numbers.versions,
        missing={metric: _reason(lack) for metric, lack in numbers.missing.items()},
        figures=numbers.figures,
    )


def _reason(lack: Lack) -> str:
    if lack.why == "failed":
        studies = "study" if lack.count == 1 else "studies"
        return f"failed: {lack.statistic or 'scoring'}: {lack.kind} ({lack.count} {studies})"
    if lack.why == "unavailable":
        return "unavailable: not on the machine that scored (to get it: rexrank doctor)"
    return "not defined on these studies"


def table_of(table: Table, columns: tuple[str, ...]) -> StudyTable:
    """The per-study table, with the registry's column names."""
    return StudyTable(
        statistic=f"{table.statistic}@{table.version}",
        columns=columns,
        study_ids=table.study_ids,
        values=np.array(table.values, dtype=np.float64).reshape(len(table.study_ids), len(columns)),
        inputs=table.inputs,
        weights_digest=table.weights_digest,
        n_truncated=table.n_truncated,
    )


def table_from(table: StudyTable, model: str, dataset: str, track: Track) -> Table:
    """A per-study table without its column names."""
    statistic, _, version = table.statistic.partition("@")
    return Table(
        model=model,
        dataset=dataset,
        track=track,
        statistic=statistic,
        version=int(version),
        study_ids=table.study_ids,
        values=tuple(tuple(row) for row in table.values.tolist()),
        inputs=table.inputs,
        weights_digest=table.weights_digest,
        n_truncated=table.n_truncated,
    )


def pairs_from(document: Mapping[str, Any], dataset: str, track: Track) -> Pairs:
    """The pair document of a closed dataset without its words."""
    columns = {}
    for metric, column in document["columns"].items():
        ranked = dict(column["ranked"])
        ranked["is_resampled"] = ranked.pop("method") == METHOD
        columns[metric] = {**column, "ranked": ranked}
    return Pairs.model_validate({"dataset": dataset, "track": track, "columns": as_tuples(columns)})


def pair_document_of(pairs: Pairs) -> dict[str, Any]:
    """The document again, as the board reads it."""
    document = pairs.model_dump(mode="json")["columns"]
    for column in document.values():
        ranked = column["ranked"]
        ranked["method"] = METHOD if ranked.pop("is_resampled") else BY_VALUE
    return {"schema": 1, "columns": document}

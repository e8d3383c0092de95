"""The document of a snapshot: boards as they stood, what they were made of, and what the numbers meant.

Frozen files are read for ever: within format 1 a field that is added has a default, and none is renamed or
removed. `tests/snapshots/golden/snapshot-1.json` holds the code to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, ValidationError

from scorer.board import Board
from scorer.errors import InputError, Problem
from scorer.snapshots.csv_text import Value, csv_bytes
from scorer.snapshots.document import BoardDocument, Document, board_document
from scorer.store import digest
from scorer.types import MetricSpec, Record, StatisticSpec

__all__ = [
    "CELL_COLUMNS",
    "ChangeDocument",
    "DatasetDocument",
    "DefinitionDocument",
    "ModelDocument",
    "RecordDocument",
    "Snapshot",
    "Stored",
    "board_csv",
    "cell_rows",
    "compose_snapshot",
    "definition",
    "read_snapshot",
    "record_document",
]

CELL_COLUMNS = (
    "dataset",
    "track",
    "model",
    "label",
    "is_probe",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "n_empty",
    "rank",
    "rank_low",
    "rank_high",
    "group",
    "better",
    "state",
    "signature",
)
"""Columns of `board.csv` and of the CSV exports: one row a cell, probes and missing cells included."""


class ChangeDocument(Document):
    """A version of a metric or statistic, and why it is not the one before."""

    version: int
    date: str
    what: str


class DefinitionDocument(Document):
    """What a metric or statistic was when the snapshot was frozen."""

    id: str
    version: int
    label: str
    source: str
    changes: tuple[ChangeDocument, ...] = Field(description="newest first")


class DatasetDocument(Document):
    """What a dataset was."""

    id: str
    version: int
    name: str
    release: Literal["texts", "studies", "aggregate"]
    licence: str
    source: str


class ModelDocument(Document):
    """What a submission said of its model."""

    id: str
    name: str
    version: str
    institutions: tuple[str, ...]
    date: str
    licence: str
    paper: str = Field(description="https link; empty when there is none")
    code: str = Field(description="https link; empty when there is none")
    lifecycle: str = Field(description="active, superseded or withdrawn")
    supersedes: str = Field(description="id of the model that this one replaces; empty for none")
    is_probe: bool


class RecordDocument(Document):
    """Where a row's numbers come from."""

    model: str
    dataset: str
    track: str
    path: str = Field(description="of the record, inside the results folder")
    sha256: str = Field(description="of the record's file at `commit`")
    digests: dict[str, str] = Field(
        description="predictions, references, statistics tables and more, by name"
    )
    weights: dict[str, str] = Field(description="digest of the encoder's weights, by statistic")
    seed: int
    resamples: int
    clusters: str
    versions: dict[str, str] = Field(description="packages that the numbers were made with")


class Snapshot(Document):
    """A frozen, citable set of boards."""

    format: Literal["rexrank-snapshot/1"] = "rexrank-snapshot/1"
    version: str
    date: str = Field(description="day of `commit`, UTC")
    commit: str = Field(description="git commit that holds every record and submission")
    frozen_with: dict[str, str] = Field(description="packages that computed ranks and wrote the files")
    signatures: tuple[str, ...] = Field(description="every signature in the snapshot, sorted")
    metrics: tuple[DefinitionDocument, ...]
    statistics: tuple[DefinitionDocument, ...]
    datasets: tuple[DatasetDocument, ...]
    models: tuple[ModelDocument, ...]
    records: tuple[RecordDocument, ...]
    boards: tuple[BoardDocument, ...]

    def board(self, dataset: str, track: str) -> BoardDocument | None:
        """One board, or None when the snapshot has none of that dataset and track."""
        return next((b for b in self.boards if (b.dataset, b.track) == (dataset, track)), None)


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A record with the name and bytes of its file.

    Attributes:
        path: inside the results folder, with forward slashes.
    """

    path: str
    data: bytes
    record: Record


def record_document(stored: Stored) -> RecordDocument:
    """Provenance of one record."""
    record = stored.record
    return RecordDocument(
        model=record.model,
        dataset=record.dataset,
        track=record.track,
        path=stored.path,
        sha256=digest(stored.data),
        digests=dict(record.digests),
        weights=dict(record.weights),
        seed=record.seed,
        resamples=record.resamples,
        clusters=record.clusters,
        versions=dict(record.versions),
    )


def definition(spec: MetricSpec | StatisticSpec) -> DefinitionDocument:
    """The definition of a metric or statistic, with its history."""
    return DefinitionDocument(
        id=spec.id,
        version=spec.version,
        label=spec.label if isinstance(spec, MetricSpec) else spec.id,
        source=spec.source,
        changes=tuple(ChangeDocument(version=v, date=date, what=what) for v, date, what in spec.changes),
    )


def compose_snapshot(
    *,
    version: str,
    date: str,
    commit: str,
    frozen_with: Mapping[str, str],
    metrics: Iterable[MetricSpec],
    statistics: Iterable[StatisticSpec],
    datasets: Sequence[DatasetDocument],
    models: Sequence[ModelDocument],
    records: Sequence[Stored],
    boards: Sequence[Board],
) -> Snapshot:
    """Puts a snapshot together; order of the sequences is kept, everything else is canonical."""
    documents = tuple(board_document(board) for board in boards)
    signatures = {cell.signature for b in documents for row in b.rows for cell in row.cells.values()}
    return Snapshot(
        version=version,
        date=date,
        commit=commit,
        frozen_with=dict(frozen_with),
        signatures=tuple(sorted(signature for signature in signatures if signature)),
        metrics=tuple(definition(spec) for spec in metrics),
        statistics=tuple(definition(spec) for spec in statistics),
        datasets=tuple(datasets),
        models=tuple(models),
        records=tuple(record_document(one) for one in records),
        boards=documents,
    )


def cell_rows(boards: Iterable[BoardDocument]) -> Iterable[dict[str, Value]]:
    """Boards as a long table: one row a cell, keys `CELL_COLUMNS`."""
    for board in boards:
        for row in board.rows:
            for column in board.columns:
                cell = row.cells[column.metric]
                yield {
                    "dataset": board.dataset,
                    "track": board.track,
                    "model": row.model,
                    "label": row.label,
                    "is_probe": row.is_probe,
                    "metric": column.metric,
                    "value": cell.value,
                    "low": cell.low,
                    "high": cell.high,
                    "n": cell.n,
                    "n_empty": cell.n_empty,
                    "rank": cell.rank,
                    "rank_low": cell.rank_low,
                    "rank_high": cell.rank_high,
                    "group": cell.group,
                    "better": column.better,
                    "state": cell.state,
                    "signature": cell.signature,
                }


def board_csv(boards: Iterable[BoardDocument]) -> bytes:
    """`board.csv`: the cells of all boards, spreadsheet-safe."""
    return csv_bytes(CELL_COLUMNS, cell_rows(boards))


def read_snapshot(data: bytes, path: str) -> Snapshot:
    """Reads `snapshot.json` back, strictly.

    Raises:
        InputError: it is not a snapshot of this format; every deviation is listed.
    """
    try:
        return Snapshot.model_validate_json(data)
    except ValidationError as error:
        raise InputError(
            Problem(
                path=path,
                field=".".join(str(part) for part in one["loc"]),
                code="broken-snapshot",
                message=one["msg"],
                hint="restore the file from git",
            )
            for one in error.errors(include_input=False, include_url=False)
        ) from None

"""The CSV files under `/data/v1/`, spreadsheet-safe; columns are part of version 1 and are only added to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scorer.snapshots.csv_text import Value, csv_bytes
from scorer.snapshots.document import Document
from site_builder.data_v1 import documents as v1
from site_builder.world import World

__all__ = ["COLUMNS", "datasets_csv", "metrics_csv", "models_csv", "published_csv", "snapshots_csv"]

COLUMNS: dict[str, tuple[str, ...]] = {
    "models": (
        "id", "name", "version", "is_probe", "is_submitted", "lifecycle", "supersedes", "institutions", "date",
        "weights", "parameters", "trained_on", "inputs", "reward_metrics", "page",
    ),
    "datasets": (
        "id", "version", "name", "modality", "split", "n_studies", "tracks", "access", "release", "licence", "source",
        "references_sha256",
    ),
    "metrics": (
        "id", "version", "label", "column_group", "needs", "low", "high", "better", "decimals", "source",
        "is_per_study", "is_ranked", "on_board", "page",
    ),
    "snapshots": ("version", "date", "commit", "doi", "page", "boards"),
    "published": (
        "edition", "date", "kind", "line", "dataset", "split", "track", "model", "metric", "value", "better",
        "trained_on_dataset", "note",
    ),
}  # fmt: skip
"""Columns by table. A cell with several values joins them with "; "."""


def models_csv(document: v1.ModelsFile) -> bytes:
    """One row a model."""
    return _table("models", document.models)


def datasets_csv(document: v1.DatasetsFile) -> bytes:
    """One row a dataset."""
    return _table("datasets", document.datasets)


def metrics_csv(document: v1.MetricsFile) -> bytes:
    """One row a metric."""
    return _table("metrics", document.metrics)


def snapshots_csv(document: v1.SnapshotsFile) -> bytes:
    """One row a snapshot."""
    return _table("snapshots", document.snapshots)


def _table(name: str, entries: Iterable[Document]) -> bytes:
    columns = COLUMNS[name]
    return csv_bytes(columns, ({c: _joined(getattr(entry, c)) for c in columns} for entry in entries))


def _joined(value: object) -> Value:
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    assert value is None or isinstance(value, str | int | float | bool)
    return value


def published_csv(world: World) -> bytes:
    """Every figure of every published edition, with the line of its source file."""
    from scorer.published import metric

    def rows() -> Iterable[Mapping[str, Value]]:
        for edition in world.editions:
            for row in edition.rows:
                yield {
                    "edition": edition.id,
                    "date": edition.date.isoformat() if edition.date else None,
                    "kind": edition.kind,
                    "line": row.line,
                    "dataset": row.dataset,
                    "split": row.split,
                    "track": row.track,
                    "model": row.model,
                    "metric": row.metric,
                    "value": row.value,
                    "better": metric(row.metric).better,
                    "trained_on_dataset": row.trained_on_dataset,
                    "note": row.note,
                }

    return csv_bytes(COLUMNS["published"], rows())

"""The JSON files under `/data/v1/`: strict documents, each with a JSON Schema beside it.

Within version 1 a field may be added; none is renamed, removed or given another meaning. What has no value
is null, an unknown text is empty.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scorer.snapshots.document import BoardDocument, CellDocument, Document
from scorer.snapshots.snapshot import ChangeDocument, Snapshot
from scorer.types import Better

__all__ = [
    "SCHEMAS",
    "BoardFile",
    "CorrectionDocument",
    "CorrectionsFile",
    "DatasetEntry",
    "DatasetsFile",
    "EditionEntry",
    "EditionsFile",
    "FileEntry",
    "IndexFile",
    "LinkDocument",
    "MetricEntry",
    "MetricsFile",
    "ModelEntry",
    "ModelFile",
    "ModelsFile",
    "PlaceDocument",
    "SnapshotEntry",
    "SnapshotsFile",
    "schema_of",
]


class BoardFile(BoardDocument):
    """One board, live: rows in the board's own order, ranks with their intervals."""

    format: Literal["rexrank-board/1"] = "rexrank-board/1"
    title: str
    page: str = Field(description="address of the page below the site's root")
    licence: str
    snapshot: str | None = Field(description="newest snapshot that holds this board, with its own numbers")


class LinkDocument(Document):
    """A link of a model's card; https only."""

    label: str
    url: str


class ModelEntry(Document):
    """What is known of a model."""

    id: str
    name: str
    version: str
    is_probe: bool
    is_submitted: bool = Field(
        description="predictions came by pull request; false: published elsewhere only"
    )
    lifecycle: str = Field(description="active, superseded or withdrawn; empty when only published elsewhere")
    supersedes: str
    institutions: tuple[str, ...]
    date: str = Field(description="of the submission, ISO; empty when unknown")
    weights: str
    parameters: str
    trained_on: tuple[str, ...]
    inputs: tuple[str, ...]
    reward_metrics: tuple[str, ...]
    links: tuple[LinkDocument, ...]
    page: str


class ModelsFile(Document):
    """All models, probes included."""

    format: Literal["rexrank-models/1"] = "rexrank-models/1"
    models: tuple[ModelEntry, ...]


class PlaceDocument(Document):
    """A model's numbers on one board."""

    board: str
    n: int
    n_empty: int
    snapshot: str | None = Field(description="newest snapshot that holds exactly these numbers, to cite")
    address: str = Field(description="below the site's root: permanent when there is a snapshot, else live")
    cells: dict[str, CellDocument] = Field(description="by metric id")


class ModelFile(ModelEntry):
    """One model with all its numbers."""

    format: Literal["rexrank-model/1"] = "rexrank-model/1"
    places: tuple[PlaceDocument, ...]


class DatasetEntry(Document):
    """What a dataset is and who may see what."""

    id: str
    version: int
    name: str
    summary: str
    modality: str
    split: str
    n_studies: int
    n_track: dict[str, int] = Field(description="studies that count, by track")
    tracks: tuple[str, ...]
    access: str
    release: str
    licence: str
    source: str
    how_to_get: str
    references_sha256: str = Field(
        description="of the canonical references; empty where nobody of us has them"
    )


class DatasetsFile(Document):
    """All datasets."""

    format: Literal["rexrank-datasets/1"] = "rexrank-datasets/1"
    datasets: tuple[DatasetEntry, ...]


class MetricEntry(Document):
    """What a metric is."""

    id: str
    version: int
    label: str
    column_group: str
    needs: tuple[str, ...] = Field(description="statistics that it is computed from")
    low: float | None
    high: float | None
    better: Better
    decimals: int
    source: str
    is_per_study: bool
    is_ranked: bool
    on_board: bool
    changes: tuple[ChangeDocument, ...] = Field(description="newest first")
    page: str


class MetricsFile(Document):
    """All registered metrics, in column order."""

    format: Literal["rexrank-metrics/1"] = "rexrank-metrics/1"
    metrics: tuple[MetricEntry, ...]


class SnapshotEntry(Document):
    """A frozen snapshot and the digests of its files."""

    version: str
    date: str
    commit: str
    doi: str | None
    page: str
    boards: tuple[str, ...]
    files: dict[str, str] = Field(description="sha256 by path below `page`")


class SnapshotsFile(Document):
    """All snapshots, oldest first."""

    format: Literal["rexrank-snapshots/1"] = "rexrank-snapshots/1"
    latest: str | None
    snapshots: tuple[SnapshotEntry, ...]


class CorrectionDocument(Document):
    """A correction, dispute or withdrawal on record."""

    date: str
    kind: Literal["correction", "dispute", "withdrawal"]
    outcome: Literal["open", "accepted", "rejected"]
    model: str
    dataset: str | None
    track: str | None
    metrics: tuple[str, ...]
    snapshots: tuple[str, ...]
    what: str
    reason: str
    decided_by: str


class CorrectionsFile(Document):
    """All corrections, oldest first."""

    format: Literal["rexrank-corrections/1"] = "rexrank-corrections/1"
    corrections: tuple[CorrectionDocument, ...]


class EditionEntry(Document):
    """A source of figures that others published; the figures stand in published.csv."""

    id: str
    title: str
    date: str | None
    when: str = Field(description="the date, or what is known of it")
    kind: str
    links: tuple[LinkDocument, ...]
    n_figures: int
    page: str


class EditionsFile(Document):
    """All published editions, oldest first."""

    format: Literal["rexrank-editions/1"] = "rexrank-editions/1"
    editions: tuple[EditionEntry, ...]


class FileEntry(Document):
    """A file under `/data/v1/`."""

    path: str = Field(description="below /data/v1/")
    what: str
    media_type: str
    format: str | None = Field(description="value of the file's field `format`; null for tables")
    schema_path: str | None = Field(description="JSON Schema, below /data/v1/")
    bytes: int
    sha256: str


class IndexFile(Document):
    """Everything there is under `/data/v1/`."""

    format: Literal["rexrank-index/1"] = "rexrank-index/1"
    title: str
    date: str = Field(description="of the newest content, ISO")
    licence: str
    files: tuple[FileEntry, ...]


SCHEMAS: dict[str, type[Document]] = {
    "index": IndexFile,
    "board": BoardFile,
    "models": ModelsFile,
    "model": ModelFile,
    "datasets": DatasetsFile,
    "metrics": MetricsFile,
    "snapshots": SnapshotsFile,
    "snapshot": Snapshot,
    "editions": EditionsFile,
    "corrections": CorrectionsFile,
}
"""JSON Schemas by name; `schema/<name>.json` describes documents of format `rexrank-<name>/1`."""


def schema_of(name: str, site: str = "") -> dict[str, object]:
    """The JSON Schema of a kind of file.

    Args:
        site: address of the site with a final slash, for `$id`; "" leaves it out.
    """
    schema = SCHEMAS[name].model_json_schema(mode="serialization")
    identity = {"$id": f"{site}data/v1/schema/{name}.json"} if site else {}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **identity, **schema}

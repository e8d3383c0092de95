"""From the world of the builder to the documents of `/data/v1/`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scorer.board import Board, Row
from scorer.datasets.base import Card
from scorer.snapshots.snapshot import ChangeDocument
from scorer.store import digest
from scorer.types import MetricSpec
from site_builder.data_v1 import documents as v1
from site_builder.models import Model
from site_builder.render import safe_url
from site_builder.views.boards import board_path, board_title
from site_builder.views.citations import holder, row_address
from site_builder.world import World

__all__ = [
    "board_file",
    "corrections",
    "datasets",
    "editions",
    "metrics",
    "model_file",
    "models",
    "snapshots",
]


def board_file(world: World, board: Board) -> v1.BoardFile:
    """A live board."""
    holding = [f.version for f in world.snapshots if f.snapshot.board(board.dataset, board.track)]
    document = world.documents[board.dataset, board.track]
    return v1.BoardFile(
        **{name: getattr(document, name) for name in type(document).model_fields},
        title=board_title(world, board),
        page=board_path(board.dataset, board.track),
        licence=world.publisher.licence,
        snapshot=holding[-1] if holding else None,
    )


def _entry(model: Model) -> dict[str, object]:
    return {
        "id": model.id,
        "name": model.name,
        "version": model.version,
        "is_probe": model.is_probe,
        "is_submitted": model.is_submitted,
        "lifecycle": model.lifecycle,
        "supersedes": model.supersedes,
        "institutions": model.institutions,
        "date": model.date,
        "weights": model.weights,
        "parameters": model.size,
        "trained_on": model.trained_on,
        "inputs": model.inputs,
        "reward_metrics": model.reward_metrics,
        "links": _links(model.links),
        "page": model.path,
    }


def _links(pairs: Sequence[tuple[str, str]]) -> tuple[v1.LinkDocument, ...]:
    return tuple(v1.LinkDocument(label=label, url=safe) for label, url in pairs if (safe := safe_url(url)))


def models(world: World) -> v1.ModelsFile:
    """All models."""
    return v1.ModelsFile(models=tuple(v1.ModelEntry.model_validate(_entry(m)) for m in world.models.values()))


def model_file(world: World, model: Model, places: Sequence[tuple[Board, Row]]) -> v1.ModelFile:
    """One model, its numbers on every board, and where to cite them from."""
    placed = []
    for board, row in places:
        document = world.documents[board.dataset, board.track]
        own = document.by_model[row.model]
        frozen = holder(world.snapshots, board, row)
        placed.append(
            v1.PlaceDocument(
                board=document.id,
                n=own.n,
                n_empty=own.n_empty,
                snapshot=frozen.version if frozen else None,
                address=row_address(frozen, board, row.model),
                cells=own.cells,
            )
        )
    return v1.ModelFile.model_validate({**_entry(model), "places": placed})


def datasets(world: World) -> v1.DatasetsFile:
    """All datasets."""
    return v1.DatasetsFile(datasets=tuple(_dataset(card) for card in world.datasets.values()))


def _dataset(card: Card) -> v1.DatasetEntry:
    split = card.splits[card.split]
    return v1.DatasetEntry(
        id=card.id,
        version=card.version,
        name=card.name,
        summary=card.summary,
        modality=card.modality,
        split=card.split,
        n_studies=split.n_studies,
        n_track=dict(split.n_track),
        tracks=tuple(card.tracks),
        access=card.access,
        release=card.release,
        licence=card.licence,
        source=card.source,
        how_to_get=card.how_to_get,
        references_sha256=split.digest,
    )


def metrics(world: World) -> v1.MetricsFile:
    """All metrics."""
    return v1.MetricsFile(metrics=tuple(_metric(spec) for spec in world.metrics))


def _metric(spec: MetricSpec) -> v1.MetricEntry:
    return v1.MetricEntry(
        id=spec.id,
        version=spec.version,
        label=spec.label,
        column_group=spec.group,
        needs=spec.needs,
        low=spec.low if math.isfinite(spec.low) else None,
        high=spec.high if math.isfinite(spec.high) else None,
        better=spec.better,
        decimals=spec.decimals,
        source=spec.source,
        is_per_study=spec.is_per_study,
        is_ranked=spec.is_ranked,
        on_board=spec.on_board,
        changes=tuple(ChangeDocument(version=v, date=date, what=what) for v, date, what in spec.changes),
        page=f"metrics/{spec.id}/",
    )


def snapshots(world: World) -> v1.SnapshotsFile:
    """All snapshots."""
    entries = tuple(
        v1.SnapshotEntry(
            version=frozen.version,
            date=frozen.snapshot.date,
            commit=frozen.snapshot.commit,
            doi=frozen.doi or None,
            page=frozen.path,
            boards=tuple(board.id for board in frozen.snapshot.boards),
            files={path: digest(data) for path, data in frozen.files.items()},
        )
        for frozen in world.snapshots
    )
    return v1.SnapshotsFile(latest=entries[-1].version if entries else None, snapshots=entries)


def corrections(world: World) -> v1.CorrectionsFile:
    """All corrections."""
    return v1.CorrectionsFile(
        corrections=tuple(
            v1.CorrectionDocument.model_validate(one.model_dump(exclude={"slug"}))
            for one in world.corrections
        )
    )


def editions(world: World) -> v1.EditionsFile:
    """All published editions."""
    return v1.EditionsFile(
        editions=tuple(
            v1.EditionEntry(
                id=edition.id,
                title=edition.title,
                date=edition.date.isoformat() if edition.date else None,
                when=edition.when,
                kind=edition.kind,
                links=_links(edition.links),
                n_figures=len(edition.rows),
                page=f"editions/{edition.id}/",
            )
            for edition in world.editions
        )
    )

"""Everything on the site as data: stable JSON and CSV under `/data/v1/`, their schemas, and an index of it all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scorer.board import Board, Row
from scorer.snapshots.document import Document
from scorer.snapshots.snapshot import board_csv
from scorer.store import canonical_json, digest
from site_builder.data_v1 import convert, tables
from site_builder.data_v1.croissant import croissant
from site_builder.data_v1.documents import SCHEMAS, FileEntry, IndexFile, schema_of
from site_builder.page import Asset, Made
from site_builder.world import World

__all__ = ["ROOT", "make"]

ROOT = "data/v1/"


def make(world: World) -> Iterator[Made]:
    """All files, the index last."""
    entries: list[FileEntry] = []
    for path, what, document, data in _files(world):
        kind = path.removesuffix(".json") if document else ""
        name = (
            {"boards": "board", "models": "model"}.get(path.partition("/")[0], kind) if "/" in path else kind
        )
        entries.append(
            FileEntry(
                path=path,
                what=what,
                media_type=_MEDIA[path.rpartition(".")[2]]
                if path != "croissant.json"
                else "application/ld+json",
                format=f"rexrank-{name}/1" if document else None,
                schema_path=f"schema/{name}.json" if document else None,
                bytes=len(data),
                sha256=digest(data),
            )
        )
        yield Asset(path=f"{ROOT}{path}", data=data)
    for name in SCHEMAS:
        data = canonical_json(schema_of(name, world.base_url))
        yield Asset(path=f"{ROOT}schema/{name}.json", data=data)
    index = IndexFile(
        title=world.publisher.title, date=world.date, licence=world.publisher.licence, files=tuple(entries)
    )
    yield Asset(path=f"{ROOT}index.json", data=index.to_compact_bytes())


_MEDIA = {"json": "application/json", "csv": "text/csv"}


def _files(world: World) -> Iterator[tuple[str, str, Document | None, bytes]]:
    """(path below `ROOT`, what it is, its document or None for a table, bytes)."""

    def json(path: str, what: str, document: Document) -> tuple[str, str, Document, bytes]:
        return path, what, document, document.to_compact_bytes()

    boards = [board for board in world.boards if board.rows]
    for board in boards:
        id = f"{board.dataset}.{board.track}"
        yield json(f"boards/{id}.json", f"the board of {id}", convert.board_file(world, board))
        yield (
            f"boards/{id}.csv",
            f"the board of {id}, a row a number",
            None,
            board_csv([world.documents[board.dataset, board.track]]),
        )
    models, datasets = convert.models(world), convert.datasets(world)
    metrics, snapshots = convert.metrics(world), convert.snapshots(world)
    yield json("models.json", "all models", models)
    yield json("datasets.json", "all datasets", datasets)
    yield json("metrics.json", "all metrics, in column order", metrics)
    yield json("snapshots.json", "all snapshots with the digests of their files", snapshots)
    yield json("editions.json", "sources of published figures", convert.editions(world))
    yield json("corrections.json", "corrections, disputes and withdrawals", convert.corrections(world))
    csvs = {
        "boards": board_csv(world.documents[board.dataset, board.track] for board in boards),
        "models": tables.models_csv(models),
        "datasets": tables.datasets_csv(datasets),
        "metrics": tables.metrics_csv(metrics),
        "snapshots": tables.snapshots_csv(snapshots),
        "published": tables.published_csv(world),
    }
    for name, data in csvs.items():
        yield f"{name}.csv", _TABLES[name], None, data
    newest = world.snapshots[-1].snapshot if world.snapshots else None
    described = croissant(
        world.publisher,
        csvs,
        date=world.date,
        version=newest.version if newest else "",
        snapshot_date=newest.date if newest else "",
    )
    yield "croissant.json", "Croissant metadata of the tables", None, canonical_json(described)
    places = _places(boards)
    for id, model in world.models.items():
        document = convert.model_file(world, model, places.get(id, ()))
        yield json(f"models/{id}.json", f"one model and all its numbers: {id}", document)


_TABLES: Mapping[str, str] = {
    "boards": "every number of every board, a row a number",
    "models": "all models, a row a model",
    "datasets": "all datasets, a row a dataset",
    "metrics": "all metrics, a row a metric",
    "snapshots": "all snapshots, a row a snapshot",
    "published": "figures that others published, as reported, a row a figure",
}


def _places(boards: list[Board]) -> dict[str, list[tuple[Board, Row]]]:
    found: dict[str, list[tuple[Board, Row]]] = {}
    for board in boards:
        for row in board.rows:
            found.setdefault(row.model, []).append((board, row))
    return found

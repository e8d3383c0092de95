"""Gathers what a snapshot is made of: boards, records with their bytes, models, datasets, definitions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scorer.board import Board
from scorer.boards import build_boards
from scorer.cells import Workshop
from scorer.datasets.base import Card
from scorer.errors import InputError, Problem
from scorer.metrics import METRICS
from scorer.probes import PROBES
from scorer.scoring import Cell
from scorer.snapshots.freeze import frozen_with
from scorer.snapshots.repository import Commit
from scorer.snapshots.snapshot import DatasetDocument, ModelDocument, Snapshot, Stored, compose_snapshot
from scorer.snapshots.version import Version
from scorer.statistics import STATISTICS
from scorer.submission import Submission
from scorer.verification import verify_records

__all__ = ["Gathered", "dataset_document", "gather", "model_document"]


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Everything that stands on the boards, and nothing else of the results folder.

    `edited` names every record that its per-study tables do not give: a number that nobody scored.
    """

    boards: tuple[Board, ...]
    cells: tuple[Cell, ...]
    records: tuple[Stored, ...]
    models: tuple[ModelDocument, ...]
    datasets: tuple[DatasetDocument, ...]
    edited: tuple[Problem, ...]

    def snapshot(self, version: Version, commit: Commit) -> Snapshot:
        """The snapshot of it at a commit."""
        columns = {column.spec.id: column.spec for board in self.boards for column in board.columns}
        needed = {name for spec in columns.values() for name in spec.needs}
        return compose_snapshot(
            version=str(version),
            date=commit.date,
            commit=commit.id,
            frozen_with=frozen_with(),
            metrics=[one.spec for one in METRICS if one.spec.id in columns],
            statistics=[one.spec for one in STATISTICS if one.spec.id in needed],
            datasets=self.datasets,
            models=self.models,
            records=self.records,
            boards=self.boards,
        )


def gather(results: Path, state_dir: Path) -> Gathered:
    """Builds the boards and reads the records behind them.

    Raises:
        InputError: a submission is broken; a snapshot must not silently lack it.
    """
    shop = Workshop(results, state_dir)
    submissions = _submissions(shop)
    boards = build_boards(shop)
    shown = {(row.model, board.dataset, board.track) for board in boards for row in board.rows}
    probes = {row.model for board in boards for row in board.rows if row.is_probe}
    records = []
    for record in shop.results.records():
        if (record.model, record.dataset, record.track) in shown:
            path = shop.results.record_path(record.model, record.dataset, record.track)
            name = path.relative_to(results).as_posix()
            records.append(Stored(path=name, data=path.read_bytes(), record=record))
    used = {board.dataset for board in boards}
    return Gathered(
        boards=boards,
        cells=shop.cells(),
        records=tuple(records),
        models=(
            *(model_document(one) for one in submissions),
            *(_probe_document(one.model, one.label) for one in PROBES if one.model in probes),
        ),
        datasets=tuple(dataset_document(card) for card in shop.cards if card.id in used),
        edited=tuple(verify_records(shop)),
    )


def _submissions(shop: Workshop) -> Iterable[Submission]:
    """All submissions, withdrawn ones included: a later diff then knows why a row left."""
    found: list[Submission] = []
    problems: list[Problem] = []
    for model in shop.results.submission_ids():
        try:
            found.append(shop.submission(model))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def model_document(submission: Submission) -> ModelDocument:
    """The public facts of a submission."""
    licences = [("code", submission.licence.code), ("weights", submission.licence.weights)]
    return ModelDocument(
        id=submission.id,
        name=submission.name,
        version=submission.version,
        institutions=submission.institutions,
        date=str(submission.date or ""),
        licence=", ".join(f"{what}: {licence}" for what, licence in licences if licence),
        paper=submission.links.paper_url,
        code=submission.links.code or "",
        lifecycle=submission.lifecycle,
        supersedes=submission.supersedes or "",
        is_probe=False,
    )


def _probe_document(model: str, label: str) -> ModelDocument:
    return ModelDocument(
        id=model,
        name=label,
        version="",
        institutions=(),
        date="",
        licence="",
        paper="",
        code="",
        lifecycle="active",
        supersedes="",
        is_probe=True,
    )


def dataset_document(card: Card) -> DatasetDocument:
    """The public facts of a dataset card."""
    return DatasetDocument(
        id=card.id,
        version=card.version,
        name=card.name,
        release=card.release,
        licence=card.licence,
        source=card.source,
    )

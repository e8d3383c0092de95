"""Citations and printed numbers out of a snapshot: what the site's "cite" dialogue and `rexrank cite` show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scorer.citing import Citation, Publisher, cite_frozen_board, cite_row, cite_snapshot
from scorer.numbers import shown
from scorer.snapshots.document import BoardDocument, ColumnDocument, RowDocument
from scorer.snapshots.dois import read_dois
from scorer.snapshots.snapshot import Snapshot
from scorer.types import Estimate

__all__ = ["board_title", "cited_part", "cited_snapshot", "holds", "number_sentence"]

_TRACKS = {"findings": "findings", "findings_impression": "findings + impression"}


def board_title(snapshot: Snapshot, board: BoardDocument) -> str:
    """A board in words: "IU X-ray, findings"."""
    names = {one.id: one.name for one in snapshot.datasets}
    return f"{names.get(board.dataset, board.dataset)}, {_TRACKS[board.track]}"


def cited_snapshot(snapshot: Snapshot, publisher: Publisher, results: Path) -> Citation:
    """The citation of a snapshot, with its DOI once that is known."""
    doi = read_dois(results).get(snapshot.version, "")
    return cite_snapshot(publisher, version=snapshot.version, date=snapshot.date, doi=doi)


def cited_part(
    snapshot: Snapshot, whole: Citation, *, board: str, model: str | None = None
) -> Citation | None:
    """The citation of a board, or of a model's row with its ordering number and signature in the note.

    None when the snapshot has no such board or row.
    """
    found = next((b for b in snapshot.boards if b.id == board), None)
    if found is None:
        return None
    title = board_title(snapshot, found)
    if model is None:
        return cite_frozen_board(whole, board=board, title=title)
    row = found.by_model.get(model)
    if row is None:
        return None
    column = next((c for c in found.columns if c.metric == found.order), None)
    note = number_sentence(found, row, column) if column else f"n = {row.n}"
    return cite_row(whole, model=model, label=row.label, board=board, title=title, note=note)


def number_sentence(board: BoardDocument, row: RowDocument, column: ColumnDocument) -> str:
    """A number with all that must stay beside it.

    "RadCliQ-v1 0.833 (95 % interval 0.801 to 0.866), rank 3 (2–6), n = 590, radcliq_v1@1|…"
    """
    cell = row.cells[column.metric]
    if cell.value is None:
        return f"{column.label}: no number, n = {board.n}"
    digits = column.decimals
    interval = (
        f" (95 % interval {shown(cell.low, digits)} to {shown(cell.high, digits)})"
        if cell.low is not None and cell.high is not None
        else " (no interval)"
    )
    rank = f", rank {cell.rank_words}" if cell.rank_words else ""
    empty = f", {cell.n_empty} empty" if cell.n_empty else ""
    return (
        f"{column.label} {shown(cell.value, digits)}{interval}{rank}, n = {cell.n}{empty}, {cell.signature}"
    )


def holds(snapshot: Snapshot, *, dataset: str, track: str, model: str, estimates: Iterable[Estimate]) -> bool:
    """Whether a snapshot holds exactly these numbers under these signatures, so that it may be cited for them."""
    board = snapshot.board(dataset, track)
    row = board.by_model.get(model) if board else None
    if row is None:
        return False
    cells = [(row.cells.get(estimate.metric), estimate) for estimate in estimates]
    return all(cell and (cell.value, cell.signature) == (one.value, one.signature) for cell, one in cells)

"""What a model's page says about citing its numbers, its way through the snapshots, and corrections on record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer.board import Board, Row
from scorer.citation_formats import FORMATS
from scorer.citing import cite_board, cite_frozen_board, cite_row, cite_snapshot
from scorer.snapshots.cited import board_title as frozen_title
from scorer.snapshots.cited import holds, number_sentence
from scorer.snapshots.diff import timeline
from scorer.snapshots.document import BoardDocument
from site_builder.snapshots import FrozenSnapshot
from site_builder.views.boards import board_path, board_title
from site_builder.wording import interval, number
from site_builder.world import World

__all__ = ["CitedBoard", "MomentView", "cited_board", "cited_boards", "holder", "moments", "row_address"]


@dataclass(frozen=True, kw_only=True)
class CitedBoard:
    """How to cite a model's numbers on one board.

    Attributes:
        version: the snapshot that holds exactly these numbers; "" when none does.
        href: address below the site's root. address: absolute, "" while the site's own is not known.
        formats: (name, text). numbers: a sentence a metric, with interval, rank, n and signature.
    """

    id: str
    name: str
    title: str
    version: str
    href: str
    address: str
    formats: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MomentView:
    """A model's number in one snapshot; `is_other` when it differs from the snapshot before."""

    board: str
    metric: str
    version: str
    href: str
    value: str
    interval: str
    rank: str
    is_other: bool


def cited_boards(world: World, places: Sequence[tuple[Board, Row]]) -> Iterator[CitedBoard]:
    """A citation for every board on which the model has a number; made once, as pages and files both show it."""
    for board, row in places:
        if any(cell.estimate for cell in row.cells.values()):
            key = (board.dataset, board.track, row.model)
            if key not in world.cited:
                world.cited[key] = _cited(world, board, row)
            yield world.cited[key]


def cited_board(world: World, board: Board) -> CitedBoard:
    """A citation of a whole board: as frozen, where a snapshot holds all its numbers, else as it stands."""
    frozen = next((f for f in reversed(world.snapshots) if _holds_all(f, board)), None)
    id = f"{board.dataset}.{board.track}"
    title = board_title(world, board)
    if frozen:
        one = cite_snapshot(
            world.publisher, version=frozen.version, date=frozen.snapshot.date, doi=frozen.doi
        )
        citation = cite_frozen_board(one, board=id, title=title)
    else:
        citation = cite_board(
            world.publisher, dataset=board.dataset, track=board.track, title=title, date=board.date
        )
    return CitedBoard(
        id=id,
        name=title,
        title=title,
        version=frozen.version if frozen else "",
        href=f"{frozen.path}{id}/" if frozen else board_path(board.dataset, board.track),
        address=citation.url if citation.url.startswith("https://") else "",
        formats=tuple((name, FORMATS[key](citation)) for name, key in _FORMATS),
        numbers=(),
    )


def _holds_all(frozen: FrozenSnapshot, board: Board) -> bool:
    return bool(board.rows) and all(holder([frozen], board, row) for row in board.rows)


def _cited(world: World, board: Board, row: Row) -> CitedBoard:
    frozen = holder(world.snapshots, board, row)
    document = _document(world, frozen, board)
    then = document.by_model[row.model]
    id = document.id
    ordering = next((c for c in document.columns if c.metric == document.order), None)
    note = number_sentence(document, then, ordering) if ordering else ""
    if frozen:
        title = frozen_title(frozen.snapshot, document)
        whole = cite_snapshot(
            world.publisher, version=frozen.version, date=frozen.snapshot.date, doi=frozen.doi
        )
    else:
        title = board_title(world, board)
        whole = cite_board(
            world.publisher, dataset=board.dataset, track=board.track, title=title, date=board.date
        )
    citation = cite_row(whole, model=row.model, label=then.label, board=id, title=title, note=note)
    return CitedBoard(
        id=id,
        name=then.label,
        title=title,
        version=frozen.version if frozen else "",
        href=row_address(frozen, board, row.model),
        address=citation.url if citation.url.startswith("https://") else "",
        formats=tuple((name, FORMATS[key](citation)) for name, key in _FORMATS),
        numbers=tuple(
            number_sentence(document, then, column)
            for column in document.columns
            if then.cells[column.metric].value is not None
        ),
    )


_FORMATS = (("BibTeX", "bibtex"), ("RIS", "ris"), ("CSL-JSON", "csl"))


def holder(snapshots: Sequence[FrozenSnapshot], board: Board, row: Row) -> FrozenSnapshot | None:
    """The newest snapshot that holds all of the row's numbers as they are now."""
    estimates = [cell.estimate for cell in row.cells.values() if cell.estimate]
    for frozen in reversed(snapshots):
        place = {"dataset": board.dataset, "track": board.track, "model": row.model}
        if holds(frozen.snapshot, **place, estimates=estimates):
            return frozen
    return None


def row_address(frozen: FrozenSnapshot | None, board: Board, model: str) -> str:
    """The address of a model's row below the site's root: in a snapshot, where it stays, or on the live board."""
    if frozen:
        return f"{frozen.path}{board.dataset}.{board.track}/#{model}"
    return f"{board_path(board.dataset, board.track)}?sel={model}"


def _document(world: World, frozen: FrozenSnapshot | None, board: Board) -> BoardDocument:
    then = frozen.snapshot.board(board.dataset, board.track) if frozen else None
    return then or world.documents[board.dataset, board.track]


def moments(world: World, model: str) -> Iterator[MomentView]:
    """A model's numbers through the snapshots, ordering metrics only, oldest first."""
    by_version = {frozen.version: frozen.snapshot for frozen in world.snapshots}
    before: dict[str, float | None] = {}
    for moment in timeline(by_version.values(), model):
        snapshot = by_version[moment.version]
        board = next(b for b in snapshot.boards if b.id == moment.board)
        if moment.metric != board.order:
            continue
        column = next(c for c in board.columns if c.metric == moment.metric)
        cell = moment.cell
        yield MomentView(
            board=frozen_title(snapshot, board),
            metric=column.label,
            version=moment.version,
            href=f"snapshots/{moment.version}/{moment.board}/#{model}",
            value=number(cell.value, column.decimals),
            interval=interval(cell.low, cell.high, column.decimals),
            rank=cell.rank_words,
            is_other=moment.board in before and before[moment.board] != cell.value,
        )
        before[moment.board] = cell.value

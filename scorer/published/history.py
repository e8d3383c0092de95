"""What changed between published editions, board by board, and each model's figures through time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorer.published.cells import Change, changes_of
from scorer.published.metrics import METRICS
from scorer.published.standing import board_values, ranks
from scorer.published.types import Edition

__all__ = ["BoardDiff", "EditionDiff", "Move", "diff_editions", "steps"]


@dataclass(frozen=True, kw_only=True)
class Move:
    """A model's rank by one metric before and after; n are the models with a figure each time."""

    model: str
    metric: str
    old: int
    new: int
    n_old: int
    n_new: int


@dataclass(frozen=True, kw_only=True)
class BoardDiff:
    """One board against the time before.

    Attributes:
        earlier: id of the edition it is compared with; "" for a board that was not there before.
        new, gone: models. changes: figures that moved by more than rounding, with old and new value.
        moves: ranks that changed, whatever the reason. A board of which only new or changed rows were seen
            has neither gone models nor moves.
    """

    dataset: str
    split: str
    track: str
    earlier: str
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def board(self) -> tuple[str, str, str]:
        """(dataset, split, track)."""
        return self.dataset, self.split, self.track


@dataclass(frozen=True, kw_only=True)
class EditionDiff:
    """An edition against one before it, or against the last showing of each board.

    Attributes:
        earlier: id of the one edition compared with; "" when every board names its own.
        boards: in the order of the later edition. boards_gone: boards that only the earlier one has.
    """

    earlier: str
    later: str
    boards: tuple[BoardDiff, ...]
    boards_gone: tuple[tuple[str, str, str], ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """All re-scored figures."""
        return tuple(change for board in self.boards for change in board.changes)


def diff_editions(earlier: Edition, later: Edition) -> EditionDiff:
    """What differs between two editions, directly."""
    known = set(earlier.boards)
    changes = tuple(changes_of([earlier, later]))
    boards = tuple(
        _board_diff(board, earlier if board in known else None, later, changes) for board in later.boards
    )
    gone = () if later.is_partial else tuple(board for board in earlier.boards if board not in later.boards)
    return EditionDiff(earlier=earlier.id, later=later.id, boards=boards, boards_gone=gone)


def steps(editions: Sequence[Edition]) -> tuple[EditionDiff, ...]:
    """Every edition of the leaderboard after the first against the last complete showing of each board.

    Editions that hold one board only, or only changed rows, thus hide nothing. Figures are compared with
    their own last showing, ranks with the last complete board.
    """
    leaderboard = [edition for edition in editions if edition.kind == "edition"]
    changes = tuple(changes_of(leaderboard))
    complete: dict[tuple[str, str, str], Edition] = {}
    listed: dict[tuple[str, str, str], dict[str, None]] = {}
    found: list[EditionDiff] = []
    for edition in leaderboard:
        boards = tuple(
            _board_diff(board, complete.get(board), edition, changes, listed.get(board, {}))
            for board in edition.boards
        )
        found.append(EditionDiff(earlier="", later=edition.id, boards=boards))
        for board in edition.boards:
            shown = {row.model: None for row in edition.rows if row.board == board}
            listed[board] = {**listed.get(board, {}), **shown} if edition.is_partial else shown
            if not edition.is_partial:
                complete[board] = edition
    return tuple(found[1:])


def _board_diff(
    board: tuple[str, str, str],
    earlier: Edition | None,
    later: Edition,
    changes: Sequence[Change],
    listed: Mapping[str, None] | None = None,
) -> BoardDiff:
    """`listed`: the models known to be on the board before, those of partial editions included."""
    dataset, split, track = board
    if earlier is None:
        return BoardDiff(dataset=dataset, split=split, track=track, earlier="")
    before, after = (board_values(edition, dataset, track, split) for edition in (earlier, later))
    known = before if listed is None else listed
    is_complete = not (earlier.is_partial or later.is_partial)
    return BoardDiff(
        dataset=dataset,
        split=split,
        track=track,
        earlier=earlier.id,
        new=() if earlier.is_partial else tuple(model for model in after if model not in known),
        gone=tuple(model for model in known if model not in after) if is_complete else (),
        changes=tuple(c for c in changes if c.later.edition == later.id and c.later.board == board),
        moves=tuple(_moves(before, after)) if is_complete else (),
    )


def _moves(before: dict[str, dict[str, float]], after: dict[str, dict[str, float]]) -> Iterator[Move]:
    for metric in METRICS:
        if not metric.is_ranked:
            continue
        columns = [{model: row.get(metric.id) for model, row in board.items()} for board in (before, after)]
        old, new = (ranks(column, metric.better) for column in columns)
        n_old, n_new = (sum(value is not None for value in column.values()) for column in columns)
        for model in after:
            was, now = old.get(model), new[model]
            if was is not None and now is not None and was != now:
                yield Move(model=model, metric=metric.id, old=was, new=now, n_old=n_old, n_new=n_new)

"""What changed between two snapshots: new, withdrawn, re-scored and moved, each with its reason.

A rank may move while the number stays; the reason is then the models that came, went or were scored anew
in the same column. Numbers under different signatures are named side by side, never subtracted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from scorer.snapshots.corrections import Correction
from scorer.snapshots.document import BoardDocument, CellDocument, ColumnDocument, RowDocument
from scorer.snapshots.reasons import Reason, reasons_for_leaving, reasons_for_number
from scorer.snapshots.snapshot import Snapshot

__all__ = ["Change", "Difference", "Kind", "compare", "timeline"]

Kind = Literal["new", "withdrawn", "rescored", "moved"]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One thing that is different.

    Attributes:
        kind: "new" or "withdrawn" for a row (metric "" when the whole row) or for one number of a row that
            stays; "rescored" when the number or its signature differs; "moved" when only the rank does.
        old_value, new_value: full floats, None where there is none. old_rank, new_rank: likewise.
        is_comparable: whether both numbers have the same signature, so that `shift` means something.
        decimals: digits the metric shows.
    """

    board: str
    model: str
    label: str
    metric: str
    kind: Kind
    old_value: float | None = None
    new_value: float | None = None
    old_rank: int | None = None
    new_rank: int | None = None
    is_comparable: bool = True
    decimals: int = 3
    reasons: tuple[Reason, ...] = ()

    @property
    def shift(self) -> float | None:
        """New minus old where both may be compared."""
        if self.old_value is None or self.new_value is None or not self.is_comparable:
            return None
        return self.new_value - self.old_value


@dataclass(frozen=True, kw_only=True)
class Difference:
    """All changes from one snapshot to another, board by board in the order of the newer one."""

    old: str
    new: str
    changes: tuple[Change, ...]

    def of(self, kind: Kind) -> tuple[Change, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind == kind)

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return {
            "old": self.old,
            "new": self.new,
            "changes": [{**asdict(change), "shift": change.shift} for change in self.changes],
        }


def compare(old: Snapshot, new: Snapshot, corrections: Sequence[Correction] = ()) -> Difference:
    """Everything that differs between two snapshots.

    Args:
        corrections: records of corrections and disputes; those dated after `old` and up to `new` explain.
    """
    recent = [one for one in corrections if old.date < one.date <= new.date]
    before = {board.id: board for board in old.boards}
    after = {board.id: board for board in new.boards}
    changes: list[Change] = []
    for id in [*after, *(id for id in before if id not in after)]:
        changes += _board(id, before.get(id), after.get(id), old, new, recent)
    return Difference(old=old.version, new=new.version, changes=tuple(changes))


def _board(
    id: str,
    before: BoardDocument | None,
    after: BoardDocument | None,
    old: Snapshot,
    new: Snapshot,
    corrections: Sequence[Correction],
) -> Iterator[Change]:
    was = {row.model: row for row in before.rows} if before else {}
    now = {row.model: row for row in after.rows} if after else {}
    columns = {column.metric: column for board in (before, after) if board for column in board.columns}
    order = (after or before).order  # type: ignore[union-attr]
    numbers: list[Change] = []
    for model in [*now, *(model for model in was if model not in now)]:
        if model not in was:
            numbers.append(_arrival(id, now[model], columns[order]))
        elif model not in now:
            why = reasons_for_leaving(new, model, [c for c in corrections if c.concerns(model, id)])
            numbers.append(_departure(id, was[model], columns[order], why))
        else:
            concerned = [one for one in corrections if one.concerns(model, id)]
            numbers += _cells(id, was[model], now[model], columns, old, new, concerned)
    yield from numbers
    yield from _moves(id, was, now, columns, numbers)


def _arrival(board: str, row: RowDocument, column: ColumnDocument) -> Change:
    cell = row.cells.get(column.metric)
    return Change(
        board=board,
        model=row.model,
        label=row.label,
        metric="",
        kind="new",
        new_value=cell.value if cell else None,
        new_rank=cell.rank if cell else None,
        decimals=column.decimals,
        reasons=(Reason(kind="submission", words="first time on this board"),),
    )


def _departure(board: str, row: RowDocument, column: ColumnDocument, why: Iterable[Reason]) -> Change:
    cell = row.cells.get(column.metric)
    return Change(
        board=board,
        model=row.model,
        label=row.label,
        metric="",
        kind="withdrawn",
        old_value=cell.value if cell else None,
        old_rank=cell.rank if cell else None,
        decimals=column.decimals,
        reasons=tuple(why),
    )


_NOTHING = CellDocument(
    value=None,
    low=None,
    high=None,
    n=None,
    n_empty=None,
    signature=None,
    state="missing",
    reason="",
    rank=None,
    rank_low=None,
    rank_high=None,
    group=None,
    p_above=None,
)


def _cells(
    board: str,
    was: RowDocument,
    now: RowDocument,
    columns: dict[str, ColumnDocument],
    old: Snapshot,
    new: Snapshot,
    corrections: Sequence[Correction],
) -> Iterator[Change]:
    for metric, column in columns.items():
        one, other = was.cells.get(metric, _NOTHING), now.cells.get(metric, _NOTHING)
        if (one.value, one.signature) == (other.value, other.signature):
            continue
        kind: Kind = "new" if one.value is None else "withdrawn" if other.value is None else "rescored"
        why = reasons_for_number(old, new, board, now.model, metric, one, other, corrections)
        yield Change(
            board=board,
            model=now.model,
            label=now.label,
            metric=metric,
            kind=kind,
            old_value=one.value,
            new_value=other.value,
            old_rank=one.rank,
            new_rank=other.rank,
            is_comparable=one.signature == other.signature,
            decimals=column.decimals,
            reasons=why,
        )


def _moves(
    board: str,
    was: dict[str, RowDocument],
    now: dict[str, RowDocument],
    columns: dict[str, ColumnDocument],
    numbers: Sequence[Change],
) -> Iterator[Change]:
    """Ranks that moved although the number stayed, with the rows whose numbers did it."""
    for metric, column in columns.items():
        causes = [c for c in numbers if c.metric in ("", metric)]
        changed = {c.model for c in causes}
        for model in now:
            one = was[model].cells.get(metric, _NOTHING) if model in was else _NOTHING
            other = now[model].cells.get(metric, _NOTHING)
            if model in changed or one.rank == other.rank or one.rank is None or other.rank is None:
                continue
            words = "; ".join(_cause(c) for c in causes if not _is_probe(c.model, was, now))
            yield Change(
                board=board,
                model=model,
                label=now[model].label,
                metric=metric,
                kind="moved",
                old_value=one.value,
                new_value=other.value,
                old_rank=one.rank,
                new_rank=other.rank,
                decimals=column.decimals,
                reasons=(Reason(kind="others", words=words or "another rule for ranks"),),
            )


def _cause(change: Change) -> str:
    said = {"new": "is new", "withdrawn": "left", "rescored": "was scored anew", "moved": "moved"}
    return f"{change.label} {said[change.kind]}"


def _is_probe(model: str, was: dict[str, RowDocument], now: dict[str, RowDocument]) -> bool:
    return (now.get(model) or was[model]).is_probe


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A model's number in one snapshot."""

    version: str
    date: str
    board: str
    metric: str
    cell: CellDocument


def timeline(snapshots: Iterable[Snapshot], model: str) -> tuple[Moment, ...]:
    """Every number of a model through the snapshots, by board and metric, oldest first."""
    found = [
        Moment(version=s.version, date=s.date, board=board.id, metric=metric, cell=cell)
        for s in snapshots
        for board in s.boards
        if model in board.by_model
        for metric, cell in _in_order(board, board.by_model[model])
        if cell.value is not None
    ]
    order = {key: place for place, key in enumerate(dict.fromkeys((m.board, m.metric) for m in found))}
    return tuple(sorted(found, key=lambda moment: order[moment.board, moment.metric]))


def _in_order(board: BoardDocument, row: RowDocument) -> Iterator[tuple[str, CellDocument]]:
    return ((column.metric, row.cells[column.metric]) for column in board.columns)

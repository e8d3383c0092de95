"""What changed: between any two published editions, between any two snapshots, and in the definitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from scorer.published import Edition
from scorer.published import metric as published_metric
from scorer.published.history import BoardDiff, EditionDiff, diff_editions, steps
from scorer.published.quality import check_quality
from scorer.snapshots.diff import Change, Difference, compare
from scorer.snapshots.snapshot import Snapshot
from site_builder.page import Made, Page
from site_builder.render import render
from site_builder.views.reported import board_id, when_short
from site_builder.wording import number, signed
from site_builder.world import World, track_label

__all__ = ["make"]

RANKED_FIRST = "radcliq_v1"
ANY_TWO = 8
"""Of so many newest snapshots any two have a page."""


@dataclass(frozen=True, kw_only=True)
class FigureView:
    """A figure that another edition shows otherwise. `reason` is what the source states, "" for nothing."""

    model: str
    metric: str
    old: str
    new: str
    change: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class MoveView:
    """A rank that moved by the ordering column."""

    model: str
    metric: str
    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class BoardView:
    """One published board against the time before. `n_moves` counts moved ranks in all columns."""

    id: str
    title: str
    since: str
    new: tuple[str, ...]
    gone: tuple[str, ...]
    figures: tuple[FigureView, ...]
    moves: tuple[MoveView, ...]
    n_moves: int

    @property
    def is_quiet(self) -> bool:
        return not (self.new or self.gone or self.figures or self.n_moves)


@dataclass(frozen=True, kw_only=True)
class StepView:
    """An edition in one line: what it changed against the last showing of each board."""

    title: str
    when: str
    href: str
    edition: str
    n_new: int
    n_gone: int
    n_figures: int
    changed: tuple[str, ...]


def make(world: World) -> Iterator[Made]:
    """The index, a page per edition, and a page for any two editions or snapshots."""
    editions = [edition for edition in world.editions if edition.kind == "edition"]
    titles = {edition.id: edition for edition in world.editions}
    taken, compared = _compared(tuple(world.editions))
    pairs = _pairs([frozen.snapshot for frozen in world.snapshots])
    differences = [(old, new, compare(old, new, world.corrections)) for old, new in pairs]
    yield Page(
        path="history/",
        title="What changed",
        description="Every change of a number or a rank: between snapshots, between published editions, and why.",
        date=world.date,
        find="history changes corrections editions",
        html=render(
            "history.html",
            "../",
            steps=[_step(world, step, titles) for step in reversed(taken)],
            n_findings=len(check_quality(world.editions)),
            snapshots=[_line(d, old.date, new.date) for old, new, d in reversed(differences)],
            grid=_grid(editions),
            definitions=_definitions(world),
            corrections=tuple(reversed(world.corrections)),
        ),
    )
    for step in taken:
        yield _edition_page(world, titles[step.later], step, titles)
    for old, new, between in compared:
        yield _pair_page(world, old, new, between)
    for _, _, difference in differences:
        yield _snapshot_page(world, difference)


def _pairs(snapshots: Sequence[Snapshot]) -> list[tuple[Snapshot, Snapshot]]:
    """Any two of the newest snapshots, and each older one with its successor: the rest is `rexrank diff`."""
    newest = len(snapshots) - ANY_TWO
    numbered = combinations(enumerate(snapshots), 2)
    return [(old, new) for (i, old), (j, new) in numbered if j == i + 1 or i >= newest]


@lru_cache(maxsize=2)  # published figures stay the same while a served site is built again and again
def _compared(
    editions: tuple[Edition, ...],
) -> tuple[tuple[EditionDiff, ...], tuple[tuple[Edition, Edition, EditionDiff], ...]]:
    """Each edition against the time before, and any two of the leaderboard directly."""
    tables = [edition for edition in editions if edition.kind == "edition"]
    return steps(editions), tuple((old, new, diff_editions(old, new)) for old, new in combinations(tables, 2))


def _step(world: World, step: EditionDiff, titles: dict[str, Edition]) -> StepView:
    edition = titles[step.later]
    return StepView(
        title=edition.title,
        when=when_short(edition),
        href=f"history/{edition.id}/",
        edition=f"editions/{edition.id}/",
        n_new=len({model for board in step.boards for model in board.new}),
        n_gone=len({model for board in step.boards for model in board.gone}),
        n_figures=len(step.changes),
        changed=tuple(dict.fromkeys(change.later.model for change in step.changes)),
    )


def _boards(world: World, difference: EditionDiff, titles: dict[str, Edition]) -> list[BoardView]:
    return [_board(world, board, titles) for board in difference.boards]


def _board(world: World, board: BoardDiff, titles: dict[str, Edition]) -> BoardView:
    place = (board.dataset, board.split, board.track)
    name = world.dataset_name(world.board_of(board.dataset, board.split) or board.dataset)
    metric = RANKED_FIRST if any(move.metric == RANKED_FIRST for move in board.moves) else ""
    metric = metric or next((move.metric for move in board.moves), "")
    return BoardView(
        id=board_id(place),
        title=f"{name}, {board.split.replace('-', ' ')} split, {track_label(board.track)}",
        since=titles[board.earlier].when if board.earlier else "",
        new=board.new,
        gone=board.gone,
        figures=tuple(
            FigureView(
                model=change.later.model,
                metric=published_metric(change.later.metric).label,
                old=f"1/{change.earlier.printed}" if change.is_converted else change.earlier.printed,
                new=change.later.printed,
                change=signed(change.new - change.old, published_metric(change.later.metric).decimals),
                reason=change.later.note if change.is_explained else "",
            )
            for change in board.changes
        ),
        moves=tuple(
            MoveView(
                model=move.model,
                metric=published_metric(move.metric).label,
                old=f"{move.old} of {move.n_old}",
                new=f"{move.new} of {move.n_new}",
            )
            for move in board.moves
            if move.metric == metric
        ),
        n_moves=len(board.moves),
    )


def _edition_page(world: World, edition: Edition, step: EditionDiff, titles: dict[str, Edition]) -> Page:
    boards = _boards(world, step, titles)
    return Page(
        path=f"history/{edition.id}/",
        title=f"What changed in {edition.title}",
        description=f"New, gone, changed and moved in the edition of {edition.when}, board by board.",
        date=edition.date.isoformat() if edition.date else "",
        html=render(
            "history_edition.html",
            "../../",
            title=f"What changed in the edition of {edition.when}",
            lede="Each figure is compared with its own last showing, ranks with the last complete board.",
            links=((edition.title, f"editions/{edition.id}/"),),
            boards=boards,
            gone=(),
        ),
    )


def _pair_page(world: World, old: Edition, new: Edition, difference: EditionDiff) -> Page:
    titles = {old.id: old, new.id: new}
    gone = [
        f"{world.dataset_name(world.board_of(dataset, split) or dataset)}, {split}, {track_label(track)}"
        for dataset, split, track in difference.boards_gone
    ]
    return Page(
        path=f"history/{old.id}-{new.id}/",
        title=f"{old.label} to {new.label}, as reported",
        description=f"What differs between the published editions of {old.when} and {new.when}.",
        date=new.date.isoformat() if new.date else "",
        html=render(
            "history_edition.html",
            "../../",
            title=f"From the edition of {when_short(old)} to that of {when_short(new)}",
            lede="The two editions are compared directly, whatever stood between them.",
            links=((old.title, f"editions/{old.id}/"), (new.title, f"editions/{new.id}/")),
            boards=_boards(world, difference, titles),
            gone=gone,
        ),
    )


def _grid(editions: Sequence[Edition]) -> list[tuple[str, list[tuple[str, str]]]]:
    """For every later edition: its label, and (label, address) of its comparison with each earlier one."""
    return [
        (new.label, [(old.label, f"history/{old.id}-{new.id}/") for old in editions[:place]])
        for place, new in enumerate(editions)
        if place
    ]


def _line(difference: Difference, old: str, new: str) -> dict[str, object]:
    return {
        "old": difference.old,
        "new": difference.new,
        "dates": (old, new),
        "href": f"history/{difference.old}-{difference.new}/",
        "arrived": len(difference.of("new")),
        "withdrawn": len(difference.of("withdrawn")),
        "rescored": len(difference.of("rescored")),
        "moved": len(difference.of("moved")),
    }


_KINDS = {
    "new": "New",
    "withdrawn": "Withdrawn or gone",
    "rescored": "Scored anew",
    "moved": "Moved, number unchanged",
}


def _snapshot_page(world: World, difference: Difference) -> Page:
    boards: dict[str, dict[str, list[dict[str, object]]]] = {}
    for change in difference.changes:
        boards.setdefault(change.board, {}).setdefault(_KINDS[change.kind], []).append(_change(change))
    names = {
        f"{b.dataset}.{b.track}": f"{world.dataset_name(b.dataset)}, {track_label(b.track)}"
        for b in world.boards
    }
    return Page(
        path=f"history/{difference.old}-{difference.new}/",
        title=f"Snapshot {difference.old} to {difference.new}",
        description=f"What changed between the snapshots {difference.old} and {difference.new}, and why.",
        html=render(
            "history_snapshots.html",
            "../../",
            d=difference,
            boards=[(names.get(id, id), kinds) for id, kinds in boards.items()],
        ),
    )


def _change(change: Change) -> dict[str, object]:
    return {
        "label": change.label,
        "metric": change.metric,
        "old": number(change.old_value, change.decimals),
        "new": number(change.new_value, change.decimals),
        "shift": signed(change.shift, change.decimals) if change.shift else "",
        "old_rank": change.old_rank,
        "new_rank": change.new_rank,
        "is_comparable": change.is_comparable,
        "reasons": [reason.words for reason in change.reasons],
    }


def _definitions(world: World) -> list[tuple[str, str, str]]:
    """(date, words, address) of every metric version after the first, newest first."""
    found = [
        (date, f"{spec.label} version {version}: {what}", f"metrics/{spec.id}/#changes")
        for spec in world.metrics
        for version, date, what in spec.changes
        if version > 1
    ]
    return sorted(found, reverse=True)

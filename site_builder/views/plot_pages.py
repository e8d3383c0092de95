"""The plots of a board: metric against metric, agreement of metrics, the best so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.board import Board, BoardColumn
from scorer.inference.agreement import AgreementColumn, agreement_matrix
from site_builder.page import Made, Page
from site_builder.plots.lines import steps
from site_builder.plots.matrix import matrix
from site_builder.plots.plot import Plot, plot_assets
from site_builder.plots.points import Point, points
from site_builder.render import render
from site_builder.views.boards import board_path, board_title
from site_builder.wording import count
from site_builder.world import World

__all__ = ["RESAMPLES", "has_plots", "make"]

RESAMPLES = 2_000
"""For intervals of rank correlations, which are shown with two digits."""

MOST = 4
"""Columns set against the ordering one."""


def has_plots(board: Board) -> bool:
    """Whether a board has enough rows for a page of plots."""
    ranked = [c for c in board.columns if c.spec.is_ranked]
    return len(ranked) > 1 and sum(row.cells[board.order].estimate is not None for row in board.rows) > 2


def make(world: World) -> Iterator[Made]:
    """A page of plots per board that has enough rows."""
    for board in world.boards:
        if not has_plots(board):
            continue
        found = tuple(plot for plot in _plots(world, board) if plot is not None)
        path = f"{board_path(board.dataset, board.track)}plots/"
        yield Page(
            path=path,
            title=f"{board_title(world, board)}, plots",
            description=f"Metrics against one another on {board_title(world, board)}.",
            date=board.date,
            html=render(
                "plots.html",
                "../../../../",
                title=f"{board_title(world, board)}: plots",
                lede="Points are rows of the board. A point without a name had no room for it; every number is in the "
                "table under its plot.",
                back=("the board", board_path(board.dataset, board.track)),
                plots=found,
            ),
        )
        yield from plot_assets(path, found)


def _plots(world: World, board: Board) -> Iterator[Plot | None]:
    order = next(c for c in board.columns if c.spec.id == board.order)
    others = [c for c in board.columns if c.spec.is_ranked and c.spec.id != board.order]
    shown = [c for c in others if c.spec.on_board][:MOST]
    for column in shown:
        yield _against(board, order, column)
    yield _agreement(board, [order, *others])
    given = [
        (world.model(row.model).date, row.label, e.value)
        for row in board.rows
        if not row.is_probe and (e := row.cells[board.order].estimate)
    ]
    dated = [one for one in given if one[0]]
    undated = len(given) - len(dated)
    spec = order.spec
    yield steps(
        "best",
        f"Best {spec.label} so far",
        f"Every submission by its date; the line is the best value up to then, {spec.better} is better."
        + (f" {count(undated, 'submission has', 'submissions have')} no date." if undated else ""),
        spec.better,
        spec.decimals,
        dated,
    )


def _against(board: Board, across: BoardColumn, upward: BoardColumn) -> Plot | None:
    given = []
    for row in board.rows:
        x, y = row.cells[across.spec.id].estimate, row.cells[upward.spec.id].estimate
        if x is not None and y is not None:
            is_first = row.model in across.top
            kind = 2 if row.is_probe else 1 if is_first else 0
            given.append(Point(id=row.model, name=row.label, x=x.value, y=y.value, kind=kind))
    a, b = across.spec, upward.spec
    return points(
        f"{a.id}-{b.id}",
        f"{b.label} against {a.label}",
        f"Circles are models, squares models not separable from the best by {a.label}, hollow diamonds probes. "
        f"{a.label}: {a.better} is better; {b.label}: {b.better} is better.",
        (a.label, a.decimals),
        (b.label, b.decimals),
        given,
    )


def _agreement(board: Board, columns: Sequence[BoardColumn]) -> Plot | None:
    rows = [row for row in board.rows if not row.is_probe]
    if len(rows) < 3:
        return None
    values = {
        c.spec.id: AgreementColumn(
            values=[e.value if (e := row.cells[c.spec.id].estimate) else None for row in rows],
            better=c.spec.better,
        )
        for c in columns
    }
    return matrix(
        "agreement",
        "Do the metrics order models alike?",
        "Spearman's rank correlation over the models of this board, each metric turned so that good models agree at "
        "+1; intervals resample models and are wide with few of them.",
        {c.spec.id: c.spec.label for c in columns},
        agreement_matrix(values, "spearman", resamples=min(RESAMPLES, 40_000 // len(rows))),
    )

"""Pages of boards: the list, and one page per dataset and track with its exports and editions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scorer.board import Board
from site_builder.page import Made, Page
from site_builder.plots.forest import forest
from site_builder.plots.plot import plot_assets
from site_builder.render import render
from site_builder.views.boards import board_path, board_title, board_view, leaders
from site_builder.views.cases import cases_path, has_cases
from site_builder.views.citations import cited_board
from site_builder.views.plot_pages import has_plots
from site_builder.views.reported import board_id, editions_of, reported_table, when_short
from site_builder.views.statuses import statuses
from site_builder.world import World, track_label

__all__ = ["BoardLine", "board_line", "make"]


@dataclass(frozen=True, kw_only=True)
class BoardLine:
    """A board in one line of a list."""

    title: str
    path: str
    n: int
    n_models: int
    leading: str
    leaders: tuple[tuple[str, str], ...]
    by: str
    date: str
    n_editions: int


def board_line(world: World, board: Board) -> BoardLine:
    """Who leads a board by its ordering column, and how much stands there."""
    column = next((c for c in board.columns if c.spec.id == board.order), None)
    leading, pairs = leaders(world, column) if column else ("", ())
    return BoardLine(
        title=board_title(world, board),
        path=board_path(board.dataset, board.track),
        n=board.n,
        n_models=sum(not row.is_probe for row in board.rows),
        leading=leading,
        leaders=pairs,
        by=column.spec.label if column and leading else "",
        date=board.date,
        n_editions=len(editions_of(world, board.dataset, board.track)),
    )


def make(world: World) -> Iterator[Made]:
    """The list of boards, then every board with its CSV and JSON."""
    lines = tuple(board_line(world, board) for board in world.boards)
    yield Page(
        path="boards/",
        title="Boards",
        description="Boards by dataset and track, with rank intervals and tie groups.",
        date=world.date,
        find="boards leaderboards",
        html=render("boards.html", "../", boards=lines),
    )
    for board in world.boards:
        view = board_view(world, board)
        plots = [plot] if (plot := forest(board)) else []
        found = editions_of(world, board.dataset, board.track)
        complete = [(e, place) for e, place in found if e.kind == "edition" and not e.is_partial]
        newest = (complete or list(found))[-1:]
        editions = [(when_short(e), f"editions/{e.id}/#{board_id(place)}") for e, place in reversed(found)]
        siblings = [
            (f"{track_label(b.track)} board", board_path(b.dataset, b.track))
            for b in world.boards
            if b.dataset == board.dataset and b.track != board.track
        ]
        if has_cases(world, board.dataset):
            siblings.append(("its cases, study by study", cases_path(board.dataset)))
        yield Page(
            path=view.path,
            title=view.title,
            description=f"{view.title}: {view.lede} {view.order_sentence}",
            date=board.date,
            find=f"{view.title} board",
            html=render(
                "board.html",
                "../../../",
                b=view,
                plots=plots,
                has_plots=has_plots(board),
                statuses=statuses(board),
                siblings=siblings,
                cited=cited_board(world, board),
                tables=[reported_table(world, e, place) for e, place in newest],
                editions=editions,
                current=f"editions/{newest[0][0].id}/#{board_id(newest[0][1])}" if newest else "",
            ),
        )
        yield from plot_assets(view.path, plots)
        if view.few:
            yield Page(
                path=f"{view.path}all/",
                title=f"{view.title}: all rows",
                description=f"{view.title}: {view.lede} {view.order_sentence}",
                date=board.date,
                html=render("board_all.html", "../../../../", b=view),
            )

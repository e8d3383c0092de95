"""A board in the terminal."""

from __future__ import annotations

from scorer.board import Board, Cell, Row
from scorer.types import MetricSpec

__all__ = ["print_board"]


def print_board(board: Board, mark: str = "") -> None:
    """Prints a board to stdout: models in default order, probes in between, rank intervals and tie groups.

    Args:
        mark: model whose row is set in bold.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    shown = [column.spec for column in board.columns if column.spec.on_board]
    # A narrow terminal gets fewer intervals and columns, never a number cut in half.
    with_intervals = {
        spec.id for spec in shown if console.width >= 36 + 22 * len(shown) or spec.id == board.order
    }
    while console.width < 60 + 10 * (len(shown) - 1) and len(shown) > 1:
        shown.remove(next(spec for spec in reversed(shown) if spec.id != board.order))
    table = Table(title=_title(board), title_justify="left")
    table.add_column("Rank", no_wrap=True)
    table.add_column("Model")
    for spec in shown:
        arrow = "" if not spec.is_ranked else " ↑" if spec.better == "higher" else " ↓"
        table.add_column(spec.label + arrow, justify="right", no_wrap=True)
    for row in board.rows:
        style = "bold" if row.model == mark else "dim" if row.is_probe else ""
        cells = [_value(row.cells[spec.id], spec, with_interval=spec.id in with_intervals) for spec in shown]
        table.add_row(_rank(row, board.order), escape(row.label), *cells, style=style)
    console.print(table)


def _title(board: Board) -> str:
    label = next((c.spec.label for c in board.columns if c.spec.id == board.order), board.order)
    return f"{board.dataset} · {board.track} · {board.n} studies · ordered by {label}, 95 % intervals"


def _rank(row: Row, order: str) -> str:
    cell = row.cells.get(order)
    if row.is_probe:
        return "probe"
    if cell is None or cell.rank is None:
        return "–"
    if cell.rank_low is None or cell.rank_high is None:
        return str(cell.rank)
    return f"{cell.rank} ({cell.rank_low}–{cell.rank_high})"


def _value(cell: Cell, spec: MetricSpec, *, with_interval: bool) -> str:
    from scorer.numbers import shown

    estimate = cell.estimate
    if estimate is None:
        return "–"
    text = shown(estimate.value, spec.decimals)
    if not with_interval or estimate.low is None or estimate.high is None:
        return text
    dash = " to " if estimate.low < 0 else "–"
    return f"{text} ({shown(estimate.low, spec.decimals)}{dash}{shown(estimate.high, spec.decimals)})"

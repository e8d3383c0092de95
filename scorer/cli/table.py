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

    shown = [column.spec for column in board.columns if column.spec.on_board]
    title = f"{board.dataset} · {board.track} · {board.n} studies · ordered by {board.order}"
    table = Table(title=title, title_justify="left")
    table.add_column("Rank")
    table.add_column("Model")
    for spec in shown:
        arrow = "" if not spec.is_ranked else " ↑" if spec.better == "higher" else " ↓"
        table.add_column(spec.label + arrow, justify="right")
    for row in board.rows:
        style = "bold" if row.model == mark else "dim" if row.is_probe else ""
        cells = [_value(row.cells[spec.id], spec) for spec in shown]
        table.add_row(_rank(row, board.order), escape(row.label), *cells, style=style)
    Console().print(table)


def _rank(row: Row, order: str) -> str:
    cell = row.cells.get(order)
    if row.is_probe:
        return "probe"
    if cell is None or cell.rank is None:
        return "–"
    if cell.rank_low is None or cell.rank_high is None:
        return str(cell.rank)
    return f"{cell.rank} ({cell.rank_low}–{cell.rank_high})"


def _value(cell: Cell, spec: MetricSpec) -> str:
    from scorer.numbers import shown

    estimate = cell.estimate
    if estimate is None:
        return "–"
    text = shown(estimate.value, spec.decimals)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({shown(estimate.low, spec.decimals)}–{shown(estimate.high, spec.decimals)})"

"""The forest plot of a board's ordering column: every row's value and interval on one scale."""

from __future__ import annotations

from scorer.board import Board, BoardColumn, Row
from scorer.types import Estimate
from site_builder.plots.plot import Plot, layout, plain, whiskers
from site_builder.plots.svg import Scale, element, figure, short, text
from site_builder.wording import interval, number

__all__ = ["MOST", "forest"]

_ROW, _LEFT, _RIGHT, _WIDTH, _TOP = 20, 230, 150, 760, 8
MOST = 60
"""Rows drawn; the table holds all."""


def forest(board: Board) -> Plot | None:
    """The plot of the ordering column; None when nothing is scored."""
    column = next((c for c in board.columns if c.spec.id == board.order), None)
    if column is None:
        return None
    rows = [(row, cell.estimate) for row in board.rows if (cell := row.cells[column.spec.id]).estimate]
    pairs = [(row, e) for row, e in rows if e is not None]
    if not pairs:
        return None
    spec = column.spec
    left_out = f" The first {MOST} of {len(pairs)} rows are drawn." if len(pairs) > MOST else ""
    return Plot(
        id="forest",
        title=f"{spec.label} with 95 % intervals",
        note=f"{spec.better.capitalize()} is better. Squares are models, hollow diamonds are probes.{left_out}",
        svg=figure(
            "forest",
            f"{spec.label} with 95 % intervals",
            f"One line per row in board order; squares are models, hollow diamonds are probes.{left_out}",
            _WIDTH,
            _TOP + min(MOST, len(pairs)) * _ROW + 34,
            *_drawing(column, pairs[:MOST]),
        ),
        columns=("row", spec.label, "95 % interval"),
        rows=[
            (r.label, number(e.value, spec.decimals), interval(e.low, e.high, spec.decimals))
            for r, e in pairs
        ],
        values=[
            {"model": r.model, "name": r.label, "value": e.value, "low": e.low, "high": e.high}
            for r, e in pairs
        ],
        figure=_plotly(column, pairs[:MOST]),
        numbers_at="#board",
    )


def _drawing(column: BoardColumn, pairs: list[tuple[Row, Estimate]]) -> list[str]:
    spec = column.spec
    ends = [x for _, e in pairs for x in (e.value, e.low, e.high) if x is not None]
    scale = Scale.over(ends, _LEFT, _WIDTH - _RIGHT)
    bottom = _TOP + len(pairs) * _ROW
    parts: list[str] = []
    for value, label in scale.ticks():
        parts.append(element("path", d=f"M{scale(value)} {_TOP}V{bottom}", class_="rx-grid"))
        parts.append(text(scale(value), bottom + 14, label, "middle"))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(text(middle, bottom + 30, f"{spec.label}, {spec.better} is better", "middle"))
    drawn = {
        "rx-whisker": "",
        "rx-mark": "",
        "rx-hollow": "",
    }  # a path a kind: elements are what a drawing costs
    for i, (row, e) in enumerate(pairs):
        y, x = _TOP + i * _ROW + _ROW / 2, scale(e.value)
        words = number(e.value, spec.decimals)
        if e.low is not None and e.high is not None:
            drawn["rx-whisker"] += f"M{scale(e.low)} {y}H{scale(e.high)}"
            words += f" ({interval(e.low, e.high, spec.decimals)})"
        if row.is_probe:
            drawn["rx-hollow"] += f"M{x} {y - 5}l5 5l-5 5l-5 -5z"
        else:
            drawn["rx-mark"] += f"M{x - 3.5} {y - 3.5}h7v7h-7z"
        parts.append(text(_LEFT - 10, y + 4, short(row.label), "end"))
        parts.append(text(_WIDTH - _RIGHT + 12, y + 4, words))
    parts += [element("path", d=d, class_=kind) for kind, d in drawn.items() if d]
    return parts


def _plotly(column: BoardColumn, pairs: list[tuple[Row, Estimate]]) -> dict[str, object]:
    traces = []
    for name, symbol, kept in (("models", "square", False), ("probes", "diamond-open", True)):
        chosen = [(row, e) for row, e in pairs if row.is_probe == kept]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [e.value for _, e in chosen],
                "y": [plain(row.label) for row, _ in chosen],
                "error_x": whiskers((e.value, e.low, e.high) for _, e in chosen),
                "marker": {"symbol": symbol, "size": 9} | ({"line": {"width": 2}} if kept else {}),
            }
        )
    order = [plain(row.label) for row, _ in pairs][::-1]
    axis = {"type": "category", "categoryorder": "array", "categoryarray": order}
    return {
        "data": traces,
        "layout": layout(column.spec.label, yaxis=axis, height=120 + 22 * len(pairs)),
    }

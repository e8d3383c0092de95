"""The forest plot of a board's ordering column: every row's value and interval on one scale."""

from __future__ import annotations

from markupsafe import Markup

from scorer.board import Board
from site_builder.plots.svg import Scale, element, figure, text
from site_builder.wording import interval, number
from site_builder.world import World

__all__ = ["forest"]

_ROW, _LEFT, _RIGHT, _WIDTH, _TOP = 20, 230, 150, 760, 8
MOST = 60
"""Rows drawn; the table below the plot holds all."""


def forest(world: World, board: Board) -> Markup:
    """The section with the plot; "" when nothing is scored."""
    column = next((c for c in board.columns if c.spec.id == board.order), None)
    if column is None:
        return Markup("")
    spec = column.spec
    rows = [(row, cell.estimate) for row in board.rows if (cell := row.cells[spec.id]).estimate]
    shown = rows[:MOST]
    if not shown:
        return Markup("")
    ends = [x for _, e in shown for x in ((e.value, e.low, e.high) if e else ()) if x is not None]
    scale = Scale.over(ends, _LEFT, _WIDTH - _RIGHT)
    height = _TOP + len(shown) * _ROW + 34
    bottom = _TOP + len(shown) * _ROW
    parts = []
    for value, label in scale.ticks():
        parts.append(element("path", d=f"M{scale(value)} {_TOP}V{bottom}", class_="rx-grid"))
        parts.append(text(scale(value), bottom + 14, label, "middle"))
    parts.append(
        text((_LEFT + _WIDTH - _RIGHT) / 2, bottom + 30, f"{spec.label}, {spec.better} is better", "middle")
    )
    for i, (row, e) in enumerate(shown):
        assert e is not None
        y = _TOP + i * _ROW + _ROW / 2
        group = [text(_LEFT - 10, y + 4, _short(row.label), "end")]
        if e.low is not None and e.high is not None:
            group.append(element("path", d=f"M{scale(e.low)} {y}H{scale(e.high)}", class_="rx-whisker"))
        mark = (
            f"M{scale(e.value) - 3.5} {y - 3.5}h7v7h-7z"
            if not row.is_probe
            else f"M{scale(e.value)} {y - 5}l5 5l-5 5l-5 -5z"
        )
        group.append(element("path", d=mark, class_="rx-hollow" if row.is_probe else "rx-mark"))
        words = number(e.value, spec.decimals)
        if e.low is not None:
            words += f" ({interval(e.low, e.high, spec.decimals)})"
        group.append(text(_WIDTH - _RIGHT + 12, y + 4, words, None))
        parts.append(element("g", *group))
    left_out = f" The first {MOST} of {len(rows)} rows are drawn." if len(rows) > MOST else ""
    drawing = figure(
        "forest",
        f"{spec.label} with 95 % intervals",
        f"One line per row in board order; squares are models, hollow diamonds are probes.{left_out}",
        _WIDTH,
        height,
        *parts,
    )
    return Markup(
        '<section id="forest"><h2>{} with intervals</h2><div class="rx-scroll" tabindex="0" role="region" '
        'aria-label="Plot of {}">{}</div><p class="rx-more">Squares are models, hollow diamonds are probes.{} '
        '<a href="#board">The same numbers as a table</a></p></section>'
    ).format(spec.label, spec.label, drawing, left_out)


def _short(label: str) -> str:
    return label if len(label) <= 32 else label[:31] + "…"

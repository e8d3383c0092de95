"""Subgroups: a dot and interval per group, one row each, with the whole as a line."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.inference.subgroups import Subgroup, Subgroups
from site_builder.plots.plot import Plot, layout, plain, whiskers
from site_builder.plots.svg import Scale, element, figure, text
from site_builder.wording import count, interval, number

__all__ = ["dots"]

_ROW, _LEFT, _RIGHT, _WIDTH = 20, 200, 190, 700


def dots(
    id: str, title: str, label: str, decimals: int, whole: float | None, given: Subgroups
) -> Plot | None:
    """The groups of one attribute; None when no group has a value."""
    groups = [g for g in given.groups if g.value is not None]
    if not groups:
        return None
    ends = [x for g in groups for x in (g.value, g.low, g.high) if x is not None]
    scale = Scale.over([*ends, *([whole] if whole is not None else [])], _LEFT, _WIDTH - _RIGHT)
    bottom = 8 + _ROW * len(groups)
    parts: list[str] = []
    for value, words in scale.ticks(5):
        parts.append(element("path", d=f"M{scale(value)} 8V{bottom}", class_="rx-grid"))
        parts.append(text(scale(value), bottom + 14, words, "middle"))
    if whole is not None:
        parts.append(
            element("path", d=f"M{scale(whole)} 8V{bottom}", class_="rx-whisker", stroke_dasharray="4 3")
        )
    for i, g in enumerate(groups):
        y = 8 + _ROW * i + _ROW / 2
        parts.append(text(_LEFT - 8, y + 4, g.label, "end"))
        if g.low is not None and g.high is not None:
            parts.append(element("path", d=f"M{scale(g.low)} {y}H{scale(g.high)}", class_="rx-whisker"))
        parts.append(element("circle", cx=scale(g.value or 0.0), cy=y, r=4, class_="rx-mark"))
        words = (
            f"{number(g.value, decimals)} ({interval(g.low, g.high, decimals) or 'no interval'}), n = {g.n}"
        )
        parts.append(text(_WIDTH - _RIGHT + 8, y + 4, words))
    note = "Dashed line: all studies."
    if given.spread is not None:
        note += f" Spread between best and worst group: {number(given.spread, decimals)}."
    if given.worst is not None:
        note += f" Worst here: {given.worst}; with many groups some group is worst by chance."
    if given.n_suppressed:
        note += f" {count(given.n_suppressed, 'group is', 'groups are')} too small to show."
    return Plot(
        id=id,
        title=title,
        note=note,
        svg=figure(id, title, note, _WIDTH, bottom + 22, *parts),
        columns=("group", label, "95 % interval", "studies"),
        rows=[
            (g.label, number(g.value, decimals), interval(g.low, g.high, decimals), str(g.n or ""))
            for g in groups
        ],
        values=[{"group": g.label, "value": g.value, "low": g.low, "high": g.high, "n": g.n} for g in groups],
        figure=_plotly(label, whole, groups),
    )


def _plotly(label: str, whole: float | None, groups: Sequence[Subgroup]) -> dict[str, object]:
    names = [plain(g.label) for g in groups]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [g.value for g in groups],
        "y": names,
        "text": [f"n = {g.n}" for g in groups],
        "hovertemplate": "%{y}: %{x}, %{text}<extra></extra>",
        "error_x": whiskers((g.value or 0.0, g.low, g.high) for g in groups),
        "marker": {"size": 9},
    }
    line = {"type": "line", "x0": whole, "x1": whole, "y0": 0, "y1": 1, "yref": "paper"}
    shapes = [] if whole is None else [{**line, "line": {"dash": "dot", "color": "#888", "width": 1}}]
    axis = {"type": "category", "categoryorder": "array", "categoryarray": names[::-1]}
    return {
        "data": [trace],
        "layout": layout(label, yaxis=axis, shapes=shapes, height=120 + 26 * len(groups)),
    }

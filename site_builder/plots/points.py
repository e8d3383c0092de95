"""One metric against another over the rows of a board, and dataset against dataset: points with their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from site_builder.plots.plot import Plot, layout, plain
from site_builder.plots.svg import Scale, element, figure, marks, shape, short, text
from site_builder.wording import natural_key, number

__all__ = ["Point", "points"]

MOST_LABELS = 150
"""Points that may get a name, models not separable from the best first."""

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 720, 460, 60, 420


@dataclass(frozen=True, kw_only=True)
class Point:
    """A named point; `kind` 0 is a model, 1 a model not separable from the best, 2 a probe."""

    id: str
    name: str
    x: float
    y: float
    kind: int = 0


KINDS = ("models", "not separable from the best", "probes")


def points(
    id: str,
    title: str,
    note: str,
    x: tuple[str, int],
    y: tuple[str, int],
    given: Sequence[Point],
    are_ranks: bool = False,
) -> Plot | None:
    """A scatter plot; None with fewer than two points.

    Labels are written where they do not meet one another; the rest are in the table and, unless there is a
    crowd, on the points' titles.

    Args:
        x, y: (label of the axis, decimals).
        are_ranks: 1 stands at the left and on top, and the diagonal of equal ranks is drawn.
    """
    if len(given) < 2:
        return None
    across = Scale.over((p.x for p in given), _LEFT, _WIDTH - 20)
    upward = Scale.over((p.y for p in given), _BOTTOM, 12)
    parts: list[str] = []
    if are_ranks:
        last = max(max(p.x, p.y) for p in given)
        across = Scale(low=0.4, high=last + 0.6, start=_LEFT, end=_WIDTH - 20)
        upward = Scale(low=0.4, high=last + 0.6, start=12, end=_BOTTOM)
        ends = f"M{across(1)} {upward(1)}L{across(last)} {upward(last)}"
        parts.append(element("path", d=ends, class_="rx-whisker", stroke_dasharray="2 4"))
    for value, label in _ticks(across, are_ranks):
        parts.append(element("path", d=f"M{across(value)} 12V{_BOTTOM}", class_="rx-grid"))
        parts.append(text(across(value), _BOTTOM + 15, label, "middle"))
    for value, label in _ticks(upward, are_ranks):
        parts.append(element("path", d=f"M{_LEFT} {upward(value)}H{_WIDTH - 20}", class_="rx-grid"))
        parts.append(text(_LEFT - 6, upward(value) + 4, label, "end"))
    parts.append(text((_LEFT + _WIDTH) / 2, _BOTTOM + 34, x[0], "middle"))
    parts.append(text(_LEFT, 10, y[0]))
    taken = [(across(p.x) - 5, across(p.x) + 5, upward(p.y) + 4) for p in given]
    drawn = sorted(given, key=lambda p: (-(p.kind == 1), p.kind, p.name))
    parts += marks([(shape(p.kind, across(p.x), upward(p.y)), _CLASSES[p.kind], p.name) for p in drawn])
    for p in drawn[:MOST_LABELS]:
        place = _place((across(p.x), upward(p.y)), short(p.name, 24), taken)
        if place is not None:
            parts.append(text(place[0], place[1], short(p.name, 24), place[2]))
    rows = sorted(given, key=lambda p: (p.kind == 2, natural_key(p.name), p.name))
    return Plot(
        id=id,
        title=title,
        note=note,
        svg=figure(id, title, note, _WIDTH, _HEIGHT, *parts),
        columns=("row", x[0], y[0]),
        rows=[(p.name, number(p.x, x[1]), number(p.y, y[1])) for p in rows],
        values=[{"model": p.id, "name": p.name, "x": p.x, "y": p.y} for p in rows],
        figure=_plotly(given, x[0], y[0], are_ranks),
    )


def _ticks(scale: Scale, are_ranks: bool) -> tuple[tuple[float, str], ...]:
    if not are_ranks:
        return scale.ticks()
    step = 1 if scale.high < 12 else 5
    return tuple((float(i), str(i)) for i in sorted({1, *range(step, int(scale.high) + 1, step)}))


_CLASSES = ("rx-mark", "rx-mark", "rx-hollow")


def _place(
    at: tuple[float, float], label: str, taken: list[tuple[float, float, float]]
) -> tuple[float, float, str | None] | None:
    """Where a label fits without meeting one that is written already; None when it fits on neither side."""
    width = 6.2 * len(label)
    for left, anchor in ((at[0] + 8, None), (at[0] - 8 - width, "end")):
        y = at[1] + 4
        inside = left > _LEFT and left + width < _WIDTH
        if inside and all(
            abs(y - other) > 12 or left > end or left + width < begin for begin, end, other in taken
        ):
            taken.append((left, left + width, y))
            return (at[0] + 8 if anchor is None else at[0] - 8), y, anchor
    return None


def _plotly(given: Sequence[Point], x: str, y: str, are_ranks: bool) -> dict[str, object]:
    traces: list[dict[str, object]] = []
    for kind, symbol in enumerate(("circle", "square", "diamond-open")):
        chosen = [p for p in given if p.kind == kind]
        if chosen:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": KINDS[kind],
                    "x": [p.x for p in chosen],
                    "y": [p.y for p in chosen],
                    "text": [plain(p.name) for p in chosen],
                    "hovertemplate": "%{text}<br>%{x}, %{y}<extra></extra>",
                    "marker": {"symbol": symbol, "size": 9} | ({"line": {"width": 2}} if kind == 2 else {}),
                }
            )
    if not are_ranks:
        return {"data": traces, "layout": layout(x, y, height=520)}
    last = max(max(p.x, p.y) for p in given)
    equal = {"type": "scatter", "mode": "lines", "name": "equal ranks", "hoverinfo": "skip"}
    traces.append(
        {**equal, "x": [1, last], "y": [1, last], "line": {"dash": "dot", "color": "#888", "width": 1}}
    )
    ticks = {
        "tickvals": [value for value, _ in _ticks(Scale(low=0.4, high=last + 0.6, start=0, end=1), True)]
    }
    axes = {"xaxis": {"range": [0.4, last + 0.6], **ticks}, "yaxis": {"range": [last + 0.6, 0.4], **ticks}}
    return {"data": traces, "layout": layout(x, y, height=520, **axes)}

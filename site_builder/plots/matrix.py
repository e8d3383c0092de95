"""Agreement as a matrix: a square per pair, its darkness the strength, its number written in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

from scorer.inference.agreement import Agreement
from site_builder.plots.plot import Plot, layout, plain
from site_builder.plots.svg import element, figure, short, text
from site_builder.wording import interval, number

__all__ = ["matrix"]

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP = 84, 34, 170, 50


def matrix(
    id: str, title: str, note: str, labels: Mapping[str, str], found: Mapping[tuple[str, str], Agreement]
) -> Plot | None:
    """A lower triangle of rank correlations; None with fewer than two columns.

    Args:
        labels: id -> label, in order. found: by pair of ids, the earlier first.
    """
    ids = list(labels)
    if len(ids) < 2:
        return None
    parts: list[str] = []
    for i, row in enumerate(ids[1:], start=1):
        y = _TOP + (i - 1) * _CELL_HEIGHT
        parts.append(text(_LEFT - 8, y + 21, short(labels[row], 24), "end"))
        for j, column in enumerate(ids[:i]):
            x = _LEFT + j * _CELL_WIDTH
            a = found[column, row]
            opacity = None if a.value is None else f"{min(1.0, abs(a.value)) * 0.45:.2f}"
            box = {"x": x + 1, "y": y + 1, "width": _CELL_WIDTH - 2, "height": _CELL_HEIGHT - 2}
            dash = "3 2" if a.value is not None and a.value < 0 else None
            parts.append(
                element(
                    "rect",
                    element("title", _words(labels[column], labels[row], a)),
                    **box,
                    fill_opacity=opacity or "0",
                    stroke_dasharray=dash,
                    class_="rx-square",
                )
            )
            shown = "–" if a.value is None else number(a.value, 2)
            parts.append(text(x + _CELL_WIDTH / 2, y + 21, shown, "middle"))
    for j, column in enumerate(ids[:-1]):
        middle = _LEFT + j * _CELL_WIDTH + _CELL_WIDTH / 2
        lines = wrap(labels[column], 11, max_lines=3, placeholder="…")
        parts += [
            text(middle, _TOP - 8 - 14 * (len(lines) - 1 - k), line, "middle") for k, line in enumerate(lines)
        ]
    pairs = [(a, b, found[a, b]) for i, b in enumerate(ids) for a in ids[:i]]
    return Plot(
        id=id,
        title=title,
        note=note,
        svg=figure(
            id,
            title,
            note,
            _LEFT + _CELL_WIDTH * (len(ids) - 1) + 4,
            _TOP + _CELL_HEIGHT * (len(ids) - 1) + 4,
            *parts,
        ),
        columns=("pair", "correlation", "95 % interval", "models"),
        rows=[
            (
                f"{labels[a]} and {labels[b]}",
                "" if c.value is None else number(c.value, 2),
                interval(c.low, c.high, 2),
                str(c.n),
            )
            for a, b, c in pairs
        ],
        values=[
            {
                "a": a,
                "b": b,
                "coefficient": c.coefficient,
                "value": c.value,
                "low": c.low,
                "high": c.high,
                "n": c.n,
            }
            for a, b, c in pairs
        ],
        figure=_plotly(ids, labels, found),
    )


def _words(a: str, b: str, c: Agreement) -> str:
    value = "not defined" if c.value is None else number(c.value, 2)
    ends = interval(c.low, c.high, 2)
    return f"{a} and {b}: {value}{f' ({ends})' if ends else ''}, {c.n} models"


def _plotly(
    ids: Sequence[str], labels: Mapping[str, str], found: Mapping[tuple[str, str], Agreement]
) -> dict[str, object]:
    def at(a: str, b: str) -> float | None:
        return 1.0 if a == b else (found.get((a, b)) or found[b, a]).value

    # Squares on a grid: the library on the site draws points, bars and pies, and no heat maps.
    cells = [(a, b, at(a, b)) for b in ids for a in ids]
    known = [(plain(labels[a]), plain(labels[b]), value) for a, b, value in cells if value is not None]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [a for a, _, _ in known],
        "y": [b for _, b, _ in known],
        "hovertemplate": "%{y} and %{x}: %{marker.color:.2f}<extra></extra>",
        "marker": {
            "symbol": "square",
            "size": 26,
            "color": [value for _, _, value in known],
            "cmin": -1,
            "cmax": 1,
            "colorscale": "RdBu",
            "reversescale": True,  # blue is agreement, as in the drawing
            "showscale": True,
            "line": {"width": 1, "color": "#888"},
        },
    }
    names = [plain(labels[id]) for id in ids]
    shared = {"type": "category", "categoryorder": "array", "categoryarray": names}
    return {"data": [trace], "layout": layout(height=160 + 34 * len(ids), xaxis=shared, yaxis=shared)}

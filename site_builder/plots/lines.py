"""Ranks across columns or time: a line per model, its ends named; and the best value so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from site_builder.plots.plot import COLOURS, Plot, layout, plain
from site_builder.plots.svg import Scale, element, figure, marks, shape, short, text
from site_builder.wording import number

__all__ = ["Line", "bump", "steps"]

_LEFT, _RIGHT, _TOP, _ROW = 190, 190, 40, 18
_SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "cross",
    "x",
    "triangle-up",
    "triangle-down",
    "star",
    "hourglass",
    "bowtie",
)
"""A plot to explore changes the symbol when its colours have been through."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A model's ranks, one per column; None where it has none."""

    id: str
    name: str
    ranks: Sequence[int | None]


def bump(id: str, title: str, note: str, columns: Sequence[str], lines: Sequence[Line]) -> Plot | None:
    """Ranks by column, best on top; lines that move far are drawn strong. None without two columns and lines."""
    if len(columns) < 2 or len(lines) < 2:
        return None
    worst = max((rank for line in lines for rank in line.ranks if rank is not None), default=0)
    if not worst:
        return None
    width = _LEFT + _RIGHT + 150 * (len(columns) - 1)
    xs = [_LEFT + 150 * i for i in range(len(columns))]

    def y(rank: int) -> float:
        return _TOP + _ROW * (rank - 0.5)

    parts: list[str] = [text(x, 14, label, "middle") for x, label in zip(xs, columns, strict=True)]
    parts += [text(x, 30, f"1 to {worst}", "middle") for x in xs]
    written: dict[tuple[int, int], int] = {}
    for i, line in enumerate(lines):
        places = [(x, y(rank)) for x, rank in zip(xs, line.ranks, strict=True) if rank is not None]
        if not places:
            continue
        known = [rank for rank in line.ranks if rank is not None]
        far = max(known) - min(known) >= max(5, worst // 3)
        path = "M" + "L".join(f"{x} {at}" for x, at in places)
        parts.append(
            element(
                "path", element("title", line.name), d=path, class_="rx-line rx-far" if far else "rx-line"
            )
        )
        parts += [element("path", d=shape(i, x, at, 3), class_="rx-hollow") for x, at in places]
        for side, rank, x, anchor in (
            (0, line.ranks[0], _LEFT - 10, "end"),
            (1, line.ranks[-1], xs[-1] + 10, None),
        ):
            if rank is not None:
                shift = written.get((side, rank), 0)  # equal ranks share a place: their names go side by side
                written[side, rank] = shift + 1
                if not shift:
                    same = [
                        short(other.name, 22)
                        for other in lines
                        if (other.ranks[0] if side == 0 else other.ranks[-1]) == rank
                    ]
                    label = same[0] if len(same) == 1 else f"{same[0]} +{len(same) - 1}"
                    words = f"{rank} {label}" if side else f"{label} {rank}"
                    parts.append(text(x, y(rank) + 4, words, anchor))
    return Plot(
        id=id,
        title=title,
        note=note,
        svg=figure(id, title, note, width, _TOP + _ROW * worst + 10, *parts),
        columns=("model", *columns),
        rows=[(line.name, *("" if r is None else str(r) for r in line.ranks)) for line in lines],
        values=[
            {"model": line.id, "name": line.name, **dict(zip(columns, line.ranks, strict=True))}
            for line in lines
        ],
        figure={
            "data": [
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": plain(line.name),
                    "x": list(columns),
                    "y": list(line.ranks),
                    "marker": {"symbol": _SYMBOLS[i // len(COLOURS) % len(_SYMBOLS)], "size": 8},
                }
                for i, line in enumerate(lines)
            ],
            "layout": layout("", "rank", yaxis={"autorange": "reversed"}, height=120 + 20 * worst),
        },
    )


def steps(
    id: str, title: str, note: str, better: str, decimals: int, given: Sequence[tuple[str, str, float]]
) -> Plot | None:
    """The best value so far by date: (ISO date, name, value); None without two dates."""
    best: list[tuple[str, str, float]] = []
    for date, name, value in sorted(given):
        if not best or (value > best[-1][2] if better == "higher" else value < best[-1][2]):
            if best and best[-1][0] == date:
                best.pop()
            best.append((date, name, value))
    dates = sorted({date for date, _, _ in given})
    if len(dates) < 2:
        return None
    days: Mapping[str, int] = {date: _day(date) for date in dates}
    across = Scale.over(days.values(), 60, 700)
    upward = Scale.over((value for _, _, value in given), 280, 20)
    parts: list[str] = []
    for value, label in upward.ticks():
        parts.append(element("path", d=f"M60 {upward(value)}H700", class_="rx-grid"))
        parts.append(text(54, upward(value) + 4, label, "end"))
    for date in (dates[0], dates[-1]):
        parts.append(text(across(days[date]), 298, date, "middle"))
    parts += marks(
        [
            (shape(0, across(days[date]), upward(value), 3), "rx-hollow", f"{name}, {date}")
            for date, name, value in given
        ]
    )
    path = f"M{across(days[best[0][0]])} {upward(best[0][2])}"
    path += "".join(f"H{across(days[date])}V{upward(value)}" for date, _, value in best[1:]) + "H700"
    parts.append(element("path", d=path, class_="rx-line rx-far"))
    for date, name, value in best:
        parts.append(text(across(days[date]) + 5, upward(value) - 6, short(name, 24)))
    return Plot(
        id=id,
        title=title,
        note=note,
        svg=figure(id, title, note, 800, 310, *parts),
        columns=("date", "model", "value"),
        rows=[(date, name, number(value, decimals)) for date, name, value in sorted(given)],
        values=[{"date": date, "name": name, "value": value} for date, name, value in sorted(given)],
        figure={
            "data": [
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": "models",
                    "x": [date for date, _, _ in given],
                    "y": [value for _, _, value in given],
                    "text": [plain(name) for _, name, _ in given],
                },
                {
                    "type": "scatter",
                    "mode": "lines",
                    "line": {"shape": "hv"},
                    "name": "best so far",
                    "x": [date for date, _, _ in best],
                    "y": [value for _, _, value in best],
                },
            ],
            "layout": layout("date"),
        },
    )


def _day(date: str) -> int:
    import datetime

    parts = [int(part) for part in date.split("-")]
    return datetime.date(*[*parts, 1, 1][:3]).toordinal()

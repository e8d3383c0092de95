"""A plot in all its forms: drawing, numbers as a table, numbers as a file, and a figure to explore."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from scorer.snapshots.csv_text import Value, csv_bytes
from site_builder.page import Asset

__all__ = ["COLOURS", "Plot", "layout", "plain", "plot_assets", "whiskers"]

CONFIG = {"responsive": True, "displaylogo": False}
COLOURS = ("#2f8fd8", "#c97700", "#1f9e74")
"""Of a plot to explore: 3:1 on white and on the dark ground, and never the only difference."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One plot.

    Attributes:
        id: unique on its page. title, note: plain words. svg: the drawing, made by `site_builder.plots`.
        columns, rows: the numbers behind it, rows already written as text for the page.
        values: the same as plain values for the CSV file. figure: a plotly figure, {} without one.
        numbers_at: address of a table that holds the numbers already; "" writes one under the plot.
    """

    id: str
    title: str
    note: str
    svg: Markup
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    values: Sequence[Mapping[str, Value]]
    figure: Mapping[str, Any] = field(default_factory=dict)
    numbers_at: str = ""


def plot_assets(path: str, plots: Iterable[Plot]) -> Iterator[Asset]:
    """The CSV of every plot on a page, and its plotly figure where it has one."""
    for plot in plots:
        names = list(plot.values[0]) if plot.values else list(plot.columns)
        yield Asset(path=f"{path}{plot.id}.csv", data=csv_bytes(names, plot.values))
        if plot.figure:
            text = json.dumps(
                {**plot.figure, "config": CONFIG}, ensure_ascii=False, separators=(",", ":"), allow_nan=False
            )
            yield Asset(path=f"{path}{plot.id}.json", data=text.encode("utf-8"))


def plain(name: str) -> str:
    """A name as plotly shows it literally: it reads a few tags in labels and hover texts."""
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def whiskers(given: Iterable[tuple[float, float | None, float | None]]) -> dict[str, Any]:
    """Plotly's error bars of (value, low, high)."""
    ends = [
        (None, None) if low is None or high is None else (value - low, high - value)
        for value, low, high in given
    ]
    down, up = ([end[side] for end in ends] for side in (0, 1))
    return {"type": "data", "symmetric": False, "arrayminus": down, "array": up}


def layout(
    x: str = "",
    y: str = "",
    xaxis: Mapping[str, Any] | None = None,
    yaxis: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A plotly layout that fits both schemes: no ground of its own, faint lines, margins as wide as the labels.

    Args:
        x, y: titles of the axes. xaxis, yaxis: what else an axis has. more: other keys of the layout.
    """
    clear = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}
    lines = {"gridcolor": "rgba(128,128,128,.3)", "zerolinecolor": "rgba(128,128,128,.3)", "automargin": True}
    return {
        **clear,
        "colorway": list(COLOURS),
        "margin": {"l": 40, "r": 20, "t": 40, "b": 40},
        "xaxis": {"title": {"text": x}, **lines, **(xaxis or {})},
        "yaxis": {"title": {"text": y}, **lines, **(yaxis or {})},
        **more,
    }

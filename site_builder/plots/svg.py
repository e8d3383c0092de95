"""A few SVG pieces: scales with round ticks, and elements whose text and attributes are escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

__all__ = ["CROWD", "Scale", "element", "figure", "marks", "shape", "short", "text"]

CROWD = 150
"""Above this many marks of a plot they share one path a class: a browser styles every element that there is."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Maps [low, high] to pixels [start, end]; either may run backwards."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        share = (value - self.low) / span if span else 0.5
        return round(self.start + share * (self.end - self.start), 1)

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float, pad: float = 0.04) -> Scale:
        """A scale over all values with a little room at both ends."""
        found = list(values)
        low, high = min(found), max(found)
        room = (high - low) * pad or abs(high) * pad or 1.0
        return cls(low=low - room, high=high + room, start=start, end=end)

    def ticks(self, most: int = 6) -> tuple[tuple[float, str], ...]:
        """At most `most` round values inside the scale, with their labels."""
        low, high = sorted((self.low, self.high))
        raw = (high - low) / max(1, most - 1)
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        digits += step * 10**digits % 1 > 1e-6
        first = math.ceil(low / step - 1e-9)
        return tuple(
            (i * step, f"{i * step:.{digits}f}".replace("-0.0", "0.0") if i else f"{0:.{digits}f}")
            for i in range(first, math.floor(high / step + 1e-9) + 1)
        )


def element(name: str, *children: str, **attributes: object) -> Markup:
    """One element; `class_` is class, underscores become hyphens, None leaves an attribute out."""
    attrs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(children)
    return Markup(f"<{name}{attrs}>{inner}</{name}>" if inner else f"<{name}{attrs}/>")


def text(x: float, y: float, words: str, anchor: str | None = None, class_: str | None = None) -> Markup:
    """A text; `anchor` is "middle" or "end"."""
    return element("text", escape(words), x=x, y=y, text_anchor=anchor, class_=class_)


_SHAPES = ("circle", "square", "diamond", "triangle", "cross", "star", "bar")


def shape(kind: int, x: float, y: float, size: float = 4) -> str:
    """SVG path data of a marker, so that series differ by form and not by colour alone."""
    s = size
    paths = (
        f"M{x - s} {y}a{s} {s} 0 1 0 {2 * s} 0a{s} {s} 0 1 0 {-2 * s} 0",
        f"M{x - s} {y - s}h{2 * s}v{2 * s}h{-2 * s}z",
        f"M{x} {y - s * 1.3}l{s * 1.3} {s * 1.3}l{-s * 1.3} {s * 1.3}l{-s * 1.3} {-s * 1.3}z",
        f"M{x} {y - s * 1.2}l{s * 1.2} {s * 2.1}h{-s * 2.4}z",
        f"M{x - s} {y - s}l{2 * s} {2 * s}M{x + s} {y - s}l{-2 * s} {2 * s}",
        f"M{x} {y - s}v{2 * s}M{x - s} {y}h{2 * s}",
    )
    return paths[kind % len(paths)]


def marks(given: Sequence[tuple[str, str, str]]) -> list[Markup]:
    """Marks with their names as titles; in a crowd nobody could point at one, so there they have none.

    Args:
        given: (path data, class, name) of each mark, in the order in which they are drawn.
    """
    if len(given) <= CROWD:
        return [element("path", element("title", escape(name)), d=d, class_=kind) for d, kind, name in given]
    kinds = dict.fromkeys(kind for _, kind, _ in given)
    return [
        element("path", d="".join(d for d, own, _ in given if own == kind), class_=kind) for kind in kinds
    ]


def figure(id: str, title: str, description: str, width: float, height: float, *children: str) -> Markup:
    """A whole SVG with its title and description for readers who do not see it."""
    return element(
        "svg",
        element("title", escape(title), id=f"{id}-t"),
        element("desc", escape(description), id=f"{id}-d"),
        *children,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        role="img",
        aria_labelledby=f"{id}-t {id}-d",
        class_="rx-plot",
    )


def short(label: str, most: int = 32) -> str:
    """A label that fits beside a plot."""
    return label if len(label) <= most else label[: most - 1] + "…"

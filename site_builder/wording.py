"""How figures, dates, ranges and names are written on pages; `scorer.numbers` rounds."""

from __future__ import annotations

import re
from decimal import Decimal

from scorer.naming import natural_key
from scorer.numbers import shown

__all__ = [
    "DASH",
    "count",
    "interval",
    "listed",
    "measured",
    "natural_key",
    "number",
    "p_value",
    "rank_range",
    "signed",
    "sort_key",
    "words",
]

DASH = "–"
"""Between the ends of a range, never in front of a number."""


def number(value: float | None, decimals: int) -> str:
    """`value` with a fixed count of decimals, as `scorer.numbers.shown` rounds; "" for None."""
    return "" if value is None else shown(value, decimals)


def signed(value: float, decimals: int) -> str:
    """A difference with its sign: +0.012, -0.004, 0.000."""
    shown = number(value, decimals)
    return shown if shown.startswith("-") or not Decimal(shown) else f"+{shown}"


def interval(low: float | None, high: float | None, decimals: int) -> str:
    """Two bounds as `0.262–0.297`; `-0.05 to 0.02` where a minus would meet the dash; "" without bounds."""
    if low is None or high is None:
        return ""
    ends = number(low, decimals), number(high, decimals)
    return f"{ends[0]} to {ends[1]}" if "-" in "".join(ends) else DASH.join(ends)


def sort_key(value: float | None, decimals: int) -> str:
    """A number for a machine: so many decimals, ASCII, no exponent, no trailing zeros; "" for None."""
    if value is None:
        return ""
    shown = number(value, decimals)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def rank_range(rank: int | None, low: int | None, high: int | None) -> str:
    """`3 (2–6)`; `3 (3)` when the interval is one rank; `3` without an interval; "" without a rank."""
    if rank is None:
        return ""
    if low is None or high is None:
        return str(rank)
    return f"{rank} ({low})" if low == high else f"{rank} ({low}{DASH}{high})"


def p_value(p: float | None) -> str:
    """`p = 0.012` or `p < 0.001`; "" for None."""
    if p is None:
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {number(p, 3)}"


def count(n: int, one: str, many: str = "") -> str:
    """`1 model`, `1,204 models`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(items: list[str] | tuple[str, ...], most: int = 0) -> str:
    """`A`, `A and B`, `A, B and C`; with `most`, `A, B and 3 more`."""
    if most and len(items) > most + 1:
        items = [*items[:most], f"{len(items) - most} more"]
    return " and ".join(part for part in (", ".join(items[:-1]), "".join(items[-1:])) if part)


def measured(page: str) -> dict[str, str]:
    """What the metrics of a hand-written page measure, without marks: "" -> all of them, id -> one that differs."""
    found = re.finditer(r"^\*\*What (?:it|`(\w+)`) measures\.\*\* (.+?)\n\n", page, re.MULTILINE | re.DOTALL)
    return {one[1] or "": re.sub(r"[*`]", "", " ".join(one[2].split())) for one in found}


def words(identifier: str) -> str:
    """An identifier as words: `radcliq_v1` -> `radcliq v1`."""
    return identifier.replace("_", " ").replace("-", " ")

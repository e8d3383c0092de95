"""The one place where numbers become text."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import cache

__all__ = ["shown"]


def shown(value: float, decimals: int) -> str:
    """A number with a fixed count of digits, half away from zero, from the exact value that the float holds.

    A browser's `toFixed` agrees: 0.2005 (a little more as a float) is "0.201", 0.1445 (a little less) is "0.144".
    A result that rounds to zero has no sign, and the sign is ASCII, so that a shown number parses.
    """
    number = Decimal(value).quantize(_step(decimals), rounding=ROUND_HALF_UP)
    return format(number if number else abs(number), "f")


@cache
def _step(decimals: int) -> Decimal:
    return Decimal(1).scaleb(-decimals)

"""The one place where numbers become text."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

__all__ = ["shown"]


def shown(value: float, decimals: int) -> str:
    """A number with a fixed count of digits, half away from zero, from its shortest exact decimal form.

    0.2005 is "0.201" although its double lies below; a result that rounds to zero has no sign.
    """
    number = Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    return str(number if number else abs(number))

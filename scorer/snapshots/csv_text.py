"""CSV that a spreadsheet opens as what it is: text stays text, numbers stay numbers.

A spreadsheet runs a text cell that begins with =, +, -, @, tab or carriage return as a formula. Such a
cell gets a leading apostrophe; numbers are written as numbers and never guarded. The JSON exports hold the
same texts unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

__all__ = ["Value", "csv_bytes", "guarded"]

Value = str | int | float | bool | None
"""What a table cell can hold; None is an empty cell."""

_ACTIVE = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guarded(text: str) -> str:
    """The text, with an apostrophe in front when a spreadsheet would take it for a formula.

    Leading blanks do not hide a formula from every spreadsheet, so they are looked through.
    """
    return f"'{text}" if text.lstrip(" ").startswith(_ACTIVE) else text


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Value]]) -> bytes:
    """UTF-8 CSV (RFC 4180) with a header, LF line ends, full floats, true/false, and empty cells for None."""
    lines = [",".join(columns), *(",".join(_printed(row[column]) for column in columns) for row in rows)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _printed(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else repr(value)


@lru_cache(maxsize=16384)  # ids and signatures stand in thousands of rows
def _text(value: str) -> str:
    text = guarded(value)
    # The csv module leaves a lone carriage return unquoted when lines end with LF, and readers then break there.
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(c in text for c in ',"\r\n') else text

"""The order of names."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["natural_key"]


@lru_cache(maxsize=8192)
def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts names as people do: runs of digits by value, letters without case; ties by the exact text."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    parts = [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", folded)
        if part
    ]
    return (*parts, (2, 0, name))

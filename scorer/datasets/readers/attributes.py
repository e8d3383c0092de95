"""Study attributes in one vocabulary, from the spellings of the source files."""

from __future__ import annotations

import re

__all__ = ["age_band", "sex", "view"]


def age_band(value: object) -> str:
    """The band of an age written 63, "63", "063Y", "007M" or "90+": "0-17" to "80+"; "" when unknown."""
    match = re.fullmatch(
        r"(\d{1,3})(?:\.\d+)?\s*(\+|[YMWD]|years?(?: old)?)?", str(value).strip(), re.IGNORECASE
    )
    if not match:
        return ""
    unit = (match[2] or "").upper()
    years = 0 if unit in {"M", "W", "D"} else int(match[1])
    bands = ((18, "0-17"), (40, "18-39"), (60, "40-59"), (80, "60-79"))
    return next((band for limit, band in bands if years < limit), "80+")


def sex(value: object) -> str:
    """ "female" or "male" from F, M, Female, Male in any case; "" otherwise."""
    initial = str(value).strip().lower()
    return {"f": "female", "female": "female", "m": "male", "male": "male"}.get(initial, "")


def view(positions: object) -> str:
    """ "frontal and lateral", "frontal" or "lateral" from a list of view names; "" when none is known."""
    names = [positions] if isinstance(positions, str) else positions if isinstance(positions, list) else []
    words = {str(name).strip().upper() for name in names}
    is_frontal = any(re.match(r"FRONTAL|AP\b|PA\b|(POSTERO|ANTERO)_", word) for word in words)
    is_lateral = any(word in {"LATERAL", "LL", "RL"} for word in words)
    return " and ".join(name for name, here in (("frontal", is_frontal), ("lateral", is_lateral)) if here)

"""Snapshot versions: `YYYY.N`, the N-th snapshot of a year, counted from 1."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scorer.errors import UsageError, printable

__all__ = ["Version"]

_FORM = re.compile(r"(2[0-9]{3})\.([1-9][0-9]{0,2})")


@dataclass(frozen=True, order=True)
class Version:
    """A snapshot's name; versions order by year, then by number (2026.2 before 2026.10)."""

    year: int
    number: int

    def __str__(self) -> str:
        return f"{self.year}.{self.number}"

    @property
    def tag(self) -> str:
        """The git tag that pins the snapshot."""
        return f"snapshot-{self}"

    @classmethod
    def parse(cls, text: str) -> Version:
        """Reads `2026.1`; exactly one spelling each, so that a version can be a path.

        Raises:
            UsageError: another form (`2026`, `2026.01`, `v2026.1`).
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise UsageError(
                f"{printable(text)!r} is not a snapshot version; write the year and a number: 2026.1"
            )
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def is_version(cls, text: str) -> bool:
        """Whether `parse` would accept it."""
        return _FORM.fullmatch(text) is not None

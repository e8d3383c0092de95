"""Collects problems: all of them, but one kind in one file cannot flood the rest."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable

from scorer.errors import InputError, Problem
from scorer.guard import limits

__all__ = ["Problems", "nearest"]


class Problems:
    """Grows while a file is read; `raise_if_any` ends the reading.

    Of one kind (`code`) in one file the first 20 are kept whole, the others are counted and said in one
    further line, so that ten thousand equal faults stay readable and cheap. The same problem counts once.
    """

    def __init__(self) -> None:
        self._kept: dict[Problem, None] = {}
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(
        self,
        code: str,
        message: str,
        *,
        path: str = "",
        line: int = 0,
        field: str = "",
        hint: str = "",
        severity: str = "error",
    ) -> None:
        key = (path, code, severity)
        if self._counts[key] >= limits.PROBLEMS_SHOWN:
            self._counts[key] += 1
            return
        problem = Problem(
            path=path, line=line, field=field, code=code, message=message, hint=hint, severity=severity
        )
        if problem not in self._kept:
            self._counts[key] += 1
            self._kept[problem] = None

    def count(self, code: str, path: str, n: int) -> None:
        """Counts further errors of a kind of which enough are shown."""
        self._counts[path, code, "error"] += n

    def is_full(self, code: str, path: str) -> bool:
        """Whether a further error of this kind in this file would only be counted, so that its words can be saved
        (`count`)."""
        return self._counts[path, code, "error"] >= limits.PROBLEMS_SHOWN

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(**problem.as_dict())  # type: ignore[arg-type]

    @property
    def found(self) -> tuple[Problem, ...]:
        """Everything, sorted by place, warnings among it."""
        more = [
            Problem(
                path=path,
                line=0,
                code=code,
                message=f"and {n - limits.PROBLEMS_SHOWN:,} more problems of this kind ({code})",
                severity=severity,
            )
            for (path, code, severity), n in self._counts.items()
            if n > limits.PROBLEMS_SHOWN
        ]
        return tuple(sorted(self._kept)) + tuple(sorted(more))

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.found if problem.severity == "error")

    @property
    def has_errors(self) -> bool:
        return any(severity == "error" for _, _, severity in self._counts)

    def raise_if_any(self) -> None:
        """Raises InputError when there is an error; warnings alone do not raise."""
        if self.has_errors:
            raise InputError(self.errors)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that a misspelt one most likely stands for; "" when none is near."""
    matches = difflib.get_close_matches(word[:100].lower(), list(known), n=1, cutoff=0.6)
    return matches[0] if matches else ""

"""Every error that this package raises on purpose, and the problems that intake collects.

RexrankError
├── InputError            the input is wrong (exit 1); carries every problem found, not only the first
├── UsageError            the command was called in a way that makes no sense (exit 2)
├── MissingError          something is not on this machine (exit 3); says the command that gets it
│   ├── DatasetMissing
│   └── WeightsMissing
└── StageError            a scoring stage failed; names stage, class and a count, never a text or an id
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

__all__ = [
    "DatasetMissing",
    "InputError",
    "MissingError",
    "Problem",
    "RexrankError",
    "StageError",
    "UsageError",
    "WeightsMissing",
    "printable",
]


def printable(text: str, limit: int = 120) -> str:
    """Gives untrusted text a form that is safe in a terminal, a log and an annotation.

    Control, format, surrogate and separator characters become escapes (`\\n`, `\\u202e`), and anything
    longer than `limit` characters is cut with an ellipsis.
    """
    shown = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[: limit + 1]
    )
    return shown if len(text) <= limit else shown[:limit] + "…"


@dataclass(frozen=True, kw_only=True, order=True)
class Problem:
    """One thing wrong with an input: where, what, and how to fix it.

    Attributes:
        path: file, relative to the repository where possible; "" when no file is meant.
        line: 1-based line; 0 when unknown.
        field: dotted name inside the file ("links.paper"); "" when none.
        code: stable kebab-case identifier of the kind of problem ("unknown-key").
        message: what is wrong, in plain words; untrusted text in it has passed `printable`.
        hint: how to fix it; "" when there is nothing to add.
        severity: "error" (refused) or "warning" (accepted, said).
    """

    path: str = ""
    line: int = 0
    field: str = ""
    code: str
    message: str
    hint: str = ""
    severity: str = "error"

    def as_dict(self) -> dict[str, object]:
        """The JSON form printed by `rexrank check --json`."""
        return asdict(self)

    def __str__(self) -> str:
        where = self.path + (f":{self.line}" if self.line else "")
        parts = [part for part in (where, self.field) if part]
        said = ": ".join([*parts, self.message])
        return f"{said}; {self.hint}" if self.hint else said


class RexrankError(Exception):
    """The root: an error whose message is meant for the person at the keyboard."""

    exit_code = 1


def _place(problem: Problem) -> tuple[object, ...]:
    """By file and line; what concerns a whole file stands behind its lines, and "and 70 more" behind everything."""
    return problem.path, problem.line or 10**9, problem.message.startswith("and "), problem


class InputError(RexrankError):
    """The input is wrong. `problems` holds all of them, sorted by place."""

    exit_code = 1

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems, key=_place))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UsageError(RexrankError):
    """The command line or call makes no sense."""

    exit_code = 2


class MissingError(RexrankError):
    """Something needed is not on this machine; `command` gets it."""

    exit_code = 3

    def __init__(self, what: str, command: str) -> None:
        self.what, self.command = what, command
        super().__init__(f"{what}; to get it: {command}")


class DatasetMissing(MissingError):
    """The references of a dataset are not registered on this machine."""


class WeightsMissing(MissingError):
    """The weights of an encoder or judge are not on this machine."""


class StageError(RexrankError):
    """A scoring stage failed. The message names stage, exception class and a count and nothing else."""

    def __init__(self, stage: str, kind: str, count: int = 1, advice: str = "") -> None:
        self.stage, self.kind, self.count, self.advice = stage, kind, count, advice
        super().__init__(
            f"{stage}: {kind} ({count} {'study' if count == 1 else 'studies'})"
            + (f"; {advice}" if advice else "")
        )

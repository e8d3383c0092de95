"""Corrections, disputes and withdrawals on record: `results/corrections/<date>-<slug>.yaml`.

    kind: correction              # or dispute, withdrawal
    model: alpha
    dataset: open-set             # optional: all datasets when left out
    track: findings               # optional
    metrics: [overlap]            # optional: all metrics when left out
    snapshots: ["2026.1"]         # optional: snapshots that hold the old numbers
    what: The figures of the first run were made with an unfinished checkpoint.
    reason: The submitters reported it and sent new predictions.
    decided_by: maintainers       # a role, never a person: maintainers, submitters, dataset owners
    outcome: accepted             # open, accepted or rejected

A record explains; it changes no number. Numbers change by a new submission or a new score.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from scorer.errors import InputError, Problem, printable
from scorer.text import Track

__all__ = ["Correction", "read_corrections"]

_NAME = re.compile(r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})-(?P<slug>[a-z0-9][a-z0-9-]{1,63})\.yaml")
_LIMIT = 16 * 1024

_Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{1,63}$")]
_Words = Annotated[
    str, StringConstraints(min_length=10, max_length=1000, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")
]
_Version = Annotated[str, StringConstraints(pattern=r"^2[0-9]{3}\.[1-9][0-9]{0,2}$")]


class Correction(BaseModel):
    """One record; `date` and `slug` come from the file's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    date: str
    slug: str
    kind: Literal["correction", "dispute", "withdrawal"]
    model: _Id
    dataset: _Id | None = None
    track: Track | None = None
    metrics: tuple[_Id, ...] = ()
    snapshots: tuple[_Version, ...] = ()
    what: _Words
    reason: _Words
    decided_by: Literal["maintainers", "submitters", "dataset owners"]
    outcome: Literal["open", "accepted", "rejected"] = Field(default="accepted")

    def concerns(self, model: str, board: str) -> bool:
        """Whether it is about a model's row on a board (`<dataset>.<track>`)."""
        dataset, _, track = board.rpartition(".")
        return self.model == model and self.dataset in (None, dataset) and self.track in (None, track)

    def concerns_metric(self, metric: str) -> bool:
        """Whether it is about a metric."""
        return not self.metrics or metric in self.metrics


def read_corrections(results: Path) -> tuple[Correction, ...]:
    """All records, oldest first.

    Raises:
        InputError: every problem of every file, with its field and, where known, its line.
    """
    found: list[Correction] = []
    problems: list[Problem] = []
    folder = results / "corrections"
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        shown = f"{results.name}/corrections/{printable(path.name)}"
        try:
            found.append(_read(path, shown))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(found)


def _read(path: Path, shown: str) -> Correction:
    match = _NAME.fullmatch(path.name)
    if match is None or not _is_day(match["date"]):
        hint = "name it <date>-<slug>.yaml: 2026-03-02-alpha-new-checkpoint.yaml"
        raise InputError(
            [Problem(path=shown, code="file-name", message="not a correction's name", hint=hint)]
        )
    if path.is_symlink() or path.stat().st_size > _LIMIT:
        said = "is a link" if path.is_symlink() else f"is over the limit ({_LIMIT // 1024} KiB)"
        raise InputError([Problem(path=shown, code="file", message=said)])
    try:
        text = path.read_text(encoding="utf-8")
        # The base loader keeps every scalar the text that was written; the types below decide.
        node = yaml.compose(text, yaml.BaseLoader)
        document = yaml.load(text, yaml.BaseLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InputError([Problem(path=shown, code="broken-yaml", message=type(error).__name__)]) from None
    if not isinstance(node, yaml.MappingNode) or not isinstance(document, dict):
        raise InputError([Problem(path=shown, code="wrong-type", message="one mapping is expected")])
    lines = {key.value: key.start_mark.line + 1 for key, _ in node.value}
    twice = len(node.value) != len(lines)
    named = {"date", "slug"} & set(lines)
    if twice or named:
        said = f"{', '.join(sorted(named))}: stands in the file's name" if named else "a key stands twice"
        raise InputError([Problem(path=shown, code="duplicate-key", message=said)])
    try:
        return Correction(date=match["date"], slug=match["slug"], **document)
    except (ValidationError, TypeError) as error:
        if isinstance(error, TypeError):
            raise InputError([Problem(path=shown, code="wrong-type", message="a key is not text")]) from None
        raise InputError(
            Problem(
                path=shown,
                line=lines.get(str(one["loc"][0]), 0),
                field=printable(".".join(map(str, one["loc"]))),
                code=one["type"].replace("_", "-"),
                message=one["msg"],
                hint="see docs/maintaining.md" if one["type"] == "extra_forbidden" else "",
            )
            for one in error.errors(include_input=False, include_url=False)
        ) from None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True

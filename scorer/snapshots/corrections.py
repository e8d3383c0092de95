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

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from scorer.errors import printable
from scorer.guard import Problems, limits, nearest, read_bytes, read_card
from scorer.submission.fields import Line, MetricId, Slug
from scorer.text import Track

__all__ = ["Correction", "read_corrections"]

_NAME = re.compile(r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})-(?P<slug>[a-z0-9][a-z0-9-]{1,63})\.yaml")

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
    model: Slug
    dataset: Slug | None = None
    track: Track | None = None
    metrics: tuple[MetricId, ...] = ()
    snapshots: tuple[_Version, ...] = ()
    what: Line
    reason: Line
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
    problems = Problems()
    folder = results / "corrections"
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    read = [_read(path, f"{results.name}/corrections/{printable(path.name)}", problems) for path in paths]
    problems.raise_if_any()
    return tuple(one for one in read if one is not None)


def _read(path: Path, shown: str, problems: Problems) -> Correction | None:
    match = _NAME.fullmatch(path.name)
    if match is None or not _is_day(match["date"]):
        hint = "name it <date>-<slug>.yaml: 2026-03-02-alpha-new-checkpoint.yaml"
        problems.add("file-name", "not a correction's name", path=shown, hint=hint)
        return None
    data = read_bytes(path, shown, limits.CARD_BYTES, problems)
    card = None if data is None else read_card(data, shown, problems)
    if card is None:
        return None
    for name in {"date", "slug"} & set(card.value):
        problems.add(
            "unknown-key", "stands in the file's name", path=shown, line=card.line((name,)), field=name
        )
        return None
    try:
        return Correction(date=match["date"], slug=match["slug"], **card.value)
    except ValidationError as error:
        for one in error.errors(include_input=False, include_url=False):
            key = str(one["loc"][0])
            is_unknown = one["type"] == "extra_forbidden"
            near = nearest(key, Correction.model_fields) if is_unknown else ""
            problems.add(
                "unknown-key" if is_unknown else one["type"].replace("_", "-"),
                "is not a known key" if is_unknown else one["msg"],
                path=shown,
                line=card.line((key,)),
                field=printable(".".join(map(str, one["loc"]))),
                hint=f"did you mean '{near}'?" if near else one.get("ctx", {}).get("hint", ""),
            )
        return None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True

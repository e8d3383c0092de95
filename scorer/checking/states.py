"""What is known of a cell that has no record, in public: failed, refused, held back or waiting. A file without
any text of anybody's: `results/scores/<model>/<dataset>.<track>.state.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scorer.errors import InputError, Problem
from scorer.store import canonical_json, write_atomic
from scorer.text import Track

__all__ = ["SENTENCES", "State", "clear_state", "read_state", "read_states", "state_path", "write_state"]

SENTENCES = {
    "failed": "scoring failed ({stage}: {kind}); it is tried again with the next run",
    "refused": "not scored: {kind} ({count})",
    "held": "scored, not published: no significant improvement over this owner's best entry",
    "waiting": "waits: one private scoring per owner and period ({count} days to go)",
}


class State(BaseModel):
    """Why a cell has no (new) record.

    Attributes:
        state: see `SENTENCES`. stage: where it stopped. kind: exception class or rule, never a message.
        count: studies, or days for a waiting cell. submitted: digest of the predictions that it is about.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    form: Literal[1] = 1
    model: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,63}$")]
    dataset: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,63}$")]
    track: Track
    state: Literal["failed", "refused", "held", "waiting"]
    stage: Literal["plan", "predictions", "pairing", "gate", "quota", "scoring", "ladder", "artifact"]
    kind: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z -]{0,59}$")]
    count: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    submitted: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""

    @property
    def sentence(self) -> str:
        """The state in plain words, for pages and terminals."""
        return SENTENCES[self.state].format(stage=self.stage, kind=self.kind, count=self.count)


def state_path(root: Path, model: str, dataset: str, track: str) -> Path:
    """Where the state of a cell lies under a results folder."""
    return root / "scores" / model / f"{dataset}.{track}.state.json"


def write_state(root: Path, state: State) -> bool:
    """Gives whether anything changed."""
    path = state_path(root, state.model, state.dataset, state.track)
    return write_atomic(path, canonical_json(state.model_dump(mode="json")))


def clear_state(root: Path, model: str, dataset: str, track: str) -> bool:
    """Removes the state of a cell that has a record now; gives whether there was one."""
    path = state_path(root, model, dataset, track)
    if not path.is_file():
        return False
    path.unlink()
    return True


def read_state(root: Path, model: str, dataset: str, track: str) -> State | None:
    """The state of a cell, or None.

    Raises:
        InputError: the file is damaged or not about this cell.
    """
    path = state_path(root, model, dataset, track)
    if not path.is_file():
        return None
    try:
        state = State.model_validate(json.loads(path.read_bytes()))
        if (state.model, state.dataset, state.track) == (model, dataset, track):
            return state
    except (ValueError, ValidationError):
        pass
    problem = Problem(path=str(path), code="broken-file", message="not a state", hint="remove it")
    raise InputError([problem])


def read_states(root: Path) -> Iterator[State]:
    """All states, by model, dataset and track."""
    for path in sorted((root / "scores").glob("*/*.state.json")):
        dataset, _, track = path.name.removesuffix(".state.json").rpartition(".")
        state = read_state(root, path.parent.name, dataset, track)
        assert state is not None
        yield state

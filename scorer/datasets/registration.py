"""Which datasets this machine has: `datasets.json` in the state folder, a path and the digests seen there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scorer.datasets.base import Card, Reader
from scorer.datasets.references import differences, references_digest
from scorer.errors import DatasetMissing, InputError, Problem
from scorer.store import canonical_json, write_atomic
from scorer.types import Study

__all__ = ["Registration", "State", "read_registered", "read_registrations", "register_card", "state_of"]

State = Literal["ships", "registered", "gone", "missing"]
"""References come with the package; are registered; were, and the path is gone; are not on this machine."""

_FILE = "datasets.json"


@dataclass(frozen=True, kw_only=True)
class Registration:
    """Where the references of a dataset lie. digests: sha256 by split, as seen when it was registered."""

    path: Path
    digests: dict[str, str]


def read_registrations(state_dir: Path) -> dict[str, Registration]:
    """All registrations by dataset id.

    Raises:
        InputError: the state file is damaged.
    """
    path = state_dir / _FILE
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_bytes())
        return {
            str(id): Registration(path=Path(entry["path"]), digests={**entry["digests"]})
            for id, entry in content["datasets"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "delete it and register the datasets again with `rexrank data add`"
        raise _refused(
            path, "broken-file", [f"not a list of registrations ({type(error).__name__})"], hint
        ) from None


def register_card(card: Card, reader: Reader, path: Path, state_dir: Path) -> dict[str, tuple[Study, ...]]:
    """Verifies a user's copy against the card and remembers where it is; gives the splits found.

    The scored split must be there; others are registered when they are.

    Raises:
        InputError: no such path; a reader's problems; counts or digests that differ from the card's.
    """
    path = path.expanduser().absolute()
    if not path.exists():
        raise _refused(path, "no-such-path", ["there is no such file or folder"])
    found = {split: studies for split in card.splits if (studies := reader(path, card, split))}
    said = [line for split, studies in found.items() for line in differences(card, split, studies)]
    if card.split not in found:
        said.insert(0, f"{card.split}: the scored split is not there")
    if said:
        raise _refused(path, "other-references", said, " ".join(card.how_to_get.split()))
    registrations = read_registrations(state_dir)
    digests = {split: references_digest(studies) for split, studies in found.items()}
    registrations[card.id] = Registration(path=path, digests=digests)
    entries = {id: {"path": str(entry.path), "digests": entry.digests} for id, entry in registrations.items()}
    write_atomic(state_dir / _FILE, canonical_json({"datasets": entries, "schema": 1}))
    return found


def read_registered(card: Card, reader: Reader, split: str, state_dir: Path | None) -> tuple[Study, ...]:
    """Studies of a split, as they were when registered.

    Raises:
        DatasetMissing: not registered, the path is gone, or it holds no such split; with the command.
        InputError: the files are not what they were.
    """
    command = f"rexrank data add {card.id} PATH"
    entry = read_registrations(state_dir).get(card.id) if state_dir else None
    if entry is None:
        raise DatasetMissing(f"the references of {card.id} are not on this machine", command)
    if not entry.path.exists():
        raise DatasetMissing(f"the references of {card.id} are no longer where they were registered", command)
    if split not in entry.digests:
        raise DatasetMissing(f"the {split} split of {card.id} was not there when it was registered", command)
    studies = reader(entry.path, card, split)
    if not studies or references_digest(studies) != entry.digests[split]:
        said = f"{split}: the references have changed since they were registered"
        raise _refused(
            entry.path, "changed-references", [said], f"restore them, or register again: {command}"
        )
    if said := "; ".join(differences(card, split, studies)):
        raise _refused(
            entry.path, "other-references", [said], f"register the copy the card describes: {command}"
        )
    return studies


def state_of(card: Card, state_dir: Path | None) -> State:
    """Where a dataset stands on this machine, from the state file alone; nothing is read or verified."""
    if card.ships_in:
        return "ships"
    entry = read_registrations(state_dir).get(card.id) if state_dir else None
    if entry is None:
        return "missing"
    return "registered" if entry.path.exists() else "gone"


def _refused(path: Path, code: str, messages: list[str], hint: str = "") -> InputError:
    return InputError(Problem(path=str(path), code=code, message=message, hint=hint) for message in messages)

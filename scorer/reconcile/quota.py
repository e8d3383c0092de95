"""How often a private split is scored, counted from the history of main: nothing else is trusted to remember."""

from __future__ import annotations

import json
import re
from functools import cached_property

from scorer.cells import Workshop
from scorer.checking.git import Git
from scorer.checking.states import State
from scorer.checking.truth import Wanted
from scorer.errors import InputError
from scorer.guard import limits
from scorer.scoring import Cell

__all__ = ["Quota"]

_DAY = 86_400
_SCORED = re.compile(
    r"results/scores/(?P<model>[^/]+)/(?P<dataset>[^/]+)\.(?:findings|findings_impression)(?:\.state)?\.json"
)


class Quota:
    """What each owner has used up. Cells that pass are counted at once, so one plan cannot overdraw."""

    def __init__(self, shop: Workshop, git: Git | None, commit: str, now: float) -> None:
        self.shop, self.git, self.commit, self.now = shop, git, commit, now
        self._granted: dict[tuple[str, str], set[str]] = {}

    def holds(self, cell: Cell, found: Wanted) -> State | None:
        """The state of a cell that has to wait, or None when it may be scored now."""
        rules = found.card.private_rules
        assert rules is not None
        if self.git is None:
            return self._waiting(cell, found, "No history", rules.days_between)
        owner = self._owner(cell.model)
        seen = self._history.get(cell.dataset, {})
        if (owner, found.submitted) in seen:
            return (
                None  # scored before; a new metric or another track of the same predictions tells nothing new
            )
        granted = self._granted.setdefault((cell.dataset, owner), set())
        if found.submitted in granted:
            return None
        last = max((time for (whose, _), time in seen.items() if whose == owner), default=None)
        days = 0 if last is None else rules.days_between - int((self.now - last) // _DAY)
        if days > 0 or granted:
            return self._waiting(
                cell, found, "One scoring per owner", max(days, 1) if not granted else rules.days_between
            )
        today = sum(self.now - time < _DAY for time in seen.values())
        today += sum(len(one) for (dataset, _), one in self._granted.items() if dataset == cell.dataset)
        if today >= rules.daily_scorings:
            return self._waiting(cell, found, "Daily limit of all owners", 1)
        granted.add(found.submitted)
        return None

    def _waiting(self, cell: Cell, found: Wanted, kind: str, days: int) -> State:
        return State(
            model=cell.model,
            dataset=cell.dataset,
            track=cell.track,
            state="waiting",
            stage="quota",
            kind=kind,
            count=days,
            submitted=found.submitted,
        )

    def _owner(self, model: str) -> str:
        """Who answers for an entry; an entry without an owner answers for itself."""
        try:
            return (self.shop.submission(model).owner or model).lower()
        except InputError:
            return model

    @cached_property
    def _history(self) -> dict[str, dict[tuple[str, str], float]]:
        """Dataset -> (owner, predictions) -> when main first showed that they had been scored."""
        assert self.git is not None
        found: dict[str, dict[tuple[str, str], float]] = {}
        log = self.git.run(
            "log",
            "--format=%x01%ct",
            "--raw",
            "-z",
            "--no-renames",
            "--no-abbrev",
            "-m",
            self.commit,
            "--",
            "results/scores",
        )
        blobs: dict[str, list[tuple[str, str, float]]] = {}
        time = 0.0
        fields = iter(log.replace(b"\n", b"\0").split(b"\0"))
        for field in fields:
            if field.startswith(b"\x01"):
                time = float(field[1:])
            elif field.startswith(b":"):
                path = _SCORED.fullmatch(next(fields, b"").decode("utf-8", "replace"))
                blob = field.split(b" ")[3].decode("ascii")
                if path and set(blob) != {"0"}:
                    blobs.setdefault(blob, []).append((path["model"], path["dataset"], time))
        for blob, data in self.git.blobs(blobs, limits.MIB).items():
            submitted = _submitted(data)
            for model, dataset, when in blobs[blob] if submitted else ():
                known = found.setdefault(dataset, {})
                key = (self._owner(model), submitted)
                known[key] = min(when, known.get(key, when))
        return found


def _submitted(data: bytes) -> str:
    """Digest of the predictions that a record, or a state of something scored, is about; "" for anything else."""
    try:
        document = json.loads(data)
        if "state" in document:
            return str(document["submitted"]) if document["state"] == "held" else ""
        return str(document["digests"]["submitted"])
    except (ValueError, KeyError, TypeError):
        return ""

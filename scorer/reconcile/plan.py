"""What there is to score on main: cells without a current record, minus those that a rule holds back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scorer._version import __version__
from scorer.cells import Workshop
from scorer.checking.artifact import as_tuples
from scorer.checking.git import Git
from scorer.checking.states import State, read_state
from scorer.checking.truth import wanted
from scorer.errors import InputError, Problem
from scorer.estimates import signature_of
from scorer.guard import limits
from scorer.metrics import METRICS
from scorer.probes import is_probe
from scorer.reconcile.quota import Quota
from scorer.scoring import Cell
from scorer.store import canonical_json, digest
from scorer.text import Track

__all__ = ["Plan", "PlannedCell", "make_plan", "read_plan", "work_key", "write_plan"]

_Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,63}$")]


class PlannedCell(BaseModel):
    """A cell to score. key: sha256 over everything that decides its record, see `work_key`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    model: _Id
    dataset: _Id
    track: Track
    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Plan(BaseModel):
    """What one run will do: the commit it looked at, cells to score, and states of the cells held back."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    form: Literal[1] = 1
    commit: Annotated[str, Field(pattern=r"^([0-9a-f]{40})?$")] = ""
    cells: tuple[PlannedCell, ...] = ()
    states: tuple[State, ...] = ()


def work_key(cell: Cell, shop: Workshop, submitted: str) -> str:
    """Identity of a cell's work: scorer version, signatures of all metrics, references, predictions."""
    card = shop.card(cell.dataset)
    signatures = [signature_of(one, card.key, cell.track) for one in METRICS]
    inputs = [card.splits[card.split].digest, submitted or cell.model]
    return digest(canonical_json([__version__, signatures, *inputs]))


def make_plan(
    shop: Workshop, *, git: Git | None, commit: str, now: float, retry_failed: bool = False
) -> Plan:
    """Plans every missing and stale cell of every readable submission.

    A cell that failed, was refused or was held back with the predictions it has now is left alone, the failed
    ones only until `retry_failed`. Cells of private splits pass the quota.

    Args:
        git: history of main, for quotas; without it no private cell is planned. now: seconds since 1970.
    """
    cells, states = [], []
    quota = Quota(shop, git, commit, now)
    for cell in shop.cells():
        if cell.state == "current" or (cell.state == "failed" and not retry_failed):
            continue
        found = wanted(shop, cell.model, cell.dataset, cell.track)
        if found is None:
            continue
        last = read_state(shop.results.root, cell.model, cell.dataset, cell.track)
        if last is not None and last.submitted == found.submitted and not is_probe(cell.model):
            done = {"refused", "held"} if retry_failed else {"refused", "held", "failed"}
            if last.state in done:
                continue
        held = quota.holds(cell, found) if found.card.private_rules and not is_probe(cell.model) else None
        if held is not None:
            if held != last:
                states.append(held)
            continue
        key = work_key(cell, shop, found.submitted)
        cells.append(PlannedCell(model=cell.model, dataset=cell.dataset, track=cell.track, key=key))
    return Plan(commit=commit, cells=tuple(cells), states=tuple(states))


def write_plan(plan: Plan) -> bytes:
    """Canonical bytes of a plan."""
    return canonical_json(plan.model_dump(mode="json"))


def read_plan(data: bytes, path: str) -> Plan:
    """Reads a plan that crossed a boundary.

    Raises:
        InputError: it is anything else.
    """
    try:
        if len(data) <= limits.MIB:
            return Plan.model_validate(as_tuples(json.loads(data)))
    except (ValueError, RecursionError, ValidationError):
        pass
    raise InputError(
        [Problem(path=path, code="not-a-plan", message="is not a plan", hint="run rexrank plan again")]
    )


def lines_of(plan: Plan) -> Iterable[str]:
    """A plan in the terminal."""
    yield from (f"score  {cell.model}  {cell.dataset}  {cell.track}" for cell in plan.cells)
    yield from (f"{s.state}  {s.model}  {s.dataset}  {s.track}  {s.sentence}" for s in plan.states)
    yield f"{len(plan.cells)} cells to score, {len(plan.states)} held back"

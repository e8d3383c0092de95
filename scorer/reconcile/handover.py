"""What a scoring run leaves behind for others: one artifact of numbers, states of cells without a record, and
signatures for records that a maintainer carries over by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scorer.cells import Workshop
from scorer.checking.artifact import write_artifact
from scorer.checking.signing import sign
from scorer.checking.states import State, clear_state, write_state
from scorer.errors import InputError, Problem
from scorer.probes import is_probe
from scorer.reconcile.plan import Plan, read_plan
from scorer.reconcile.private import Outcome
from scorer.reconcile.record import Key, pack
from scorer.scoring import Cell
from scorer.store import write_atomic

__all__ = ["Handover", "PlannedCells", "planned_cells"]


@dataclass(frozen=True)
class PlannedCells:
    """The cells of a plan; probes are always allowed, for nobody gains by them."""

    plan: Plan

    def allows(self, cell: Cell) -> bool:
        """Whether a cell may be scored in this run."""
        named = {(one.model, one.dataset, one.track) for one in self.plan.cells}
        return is_probe(cell.model) or (cell.model, cell.dataset, cell.track) in named


def planned_cells(path: Path | None) -> PlannedCells | None:
    """The plan in a file; None without one.

    Raises:
        InputError: the file is no plan.
    """
    if path is None:
        return None
    try:
        return PlannedCells(read_plan(path.read_bytes(), path.name))
    except OSError as error:
        message = f"cannot be read ({error.strerror})"
        raise InputError([Problem(path=str(path), code="unreadable", message=message)]) from None


class Handover:
    """Collects outcomes, writes their states into the results, and the artifact when one is wanted."""

    def __init__(self, shop: Workshop, artifact: Path | None, plan: PlannedCells | None) -> None:
        self.shop, self.artifact, self.plan = shop, artifact, plan
        self._cells: list[Key] = []
        self._states: list[State] = []

    def add(self, outcome: Outcome) -> None:
        """Keeps an outcome, and what was finished before it should the run be killed now."""
        cell, root = outcome.cell, self.shop.results.root
        if outcome.state is None:
            self._cells.append((cell.model, cell.dataset, cell.track))
            clear_state(root, cell.model, cell.dataset, cell.track)
        elif not is_probe(cell.model) and (self.plan is not None or outcome.state.state != "failed"):
            self._states.append(outcome.state)
            write_state(root, outcome.state)
        self._write()

    def write(self, key: Path | None) -> None:
        """The last word: the artifact with everything, and signatures with `key`."""
        self._write(always=True)
        for model, dataset, track in self._cells if key else ():
            if not self.shop.card(dataset).is_public and not is_probe(model):
                assert key is not None
                sign(self.shop.results.record_path(model, dataset, track), key)

    def _write(self, *, always: bool = False) -> None:
        if self.artifact is not None and (always or self._cells or self._states):
            commit = self.plan.plan.commit if self.plan else ""
            write_atomic(self.artifact, write_artifact(pack(self.shop, self._cells, self._states, commit)))

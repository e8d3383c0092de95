"""From what main holds to what it should hold: plan the cells without a current record, take in what a scoring
job made of them, publish it. Every step looks at content only, so it can be repeated, killed and raced."""

from __future__ import annotations

from scorer.reconcile.plan import Plan, PlannedCell, make_plan, read_plan, write_plan
from scorer.reconcile.record import Taken, pack, take_in

__all__ = ["Plan", "PlannedCell", "Taken", "make_plan", "pack", "read_plan", "take_in", "write_plan"]

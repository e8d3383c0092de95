"""Scores one cell under the rules of its dataset: gates before a private scoring, the Ladder after it, and for
every cell a public, text-free state when there is no record in the end.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scorer.boards import PREFERRED_ORDER, board_draws
from scorer.cells import Filled, Workshop
from scorer.checking.states import State
from scorer.datasets.base import Card, Rules
from scorer.errors import InputError, MissingError, RexrankError, StageError
from scorer.inference.pairs import compare
from scorer.metrics import METRICS, metric
from scorer.predictions import predictions_digest
from scorer.probes import is_probe
from scorer.scoring import Cell
from scorer.statistics import Bench
from scorer.store import write_atomic
from scorer.text import TRACKS, Report, counts_in_track, normalise
from scorer.types import Study

__all__ = ["Outcome", "fill_cell", "gate_fault"]

SIGNIFICANT = 0.05


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a cell: filled, or a state that says why there is no record to publish."""

    cell: Cell
    filled: Filled
    state: State | None = None


def fill_cell(shop: Workshop, cell: Cell, bench: Bench, *, recompute: Iterable[str] = ()) -> Outcome:
    """Scores a cell; a private one only through its gates, and it is published only if it may."""
    card = shop.card(cell.dataset)
    try:
        reports = {} if is_probe(cell.model) else shop.predictions(cell.model, cell.dataset)
        studies = shop.studies(card.id, card.split)
    except (InputError, MissingError) as error:
        return _stopped(cell, "failed", "predictions", _words(type(error).__name__), problem=str(error))
    submitted = predictions_digest(reports) if reports else ""
    rules = card.private_rules
    if rules is not None and reports and (fault := gate_fault(reports, studies, card, rules)):
        return _stopped(cell, "refused", "gate", fault[0], count=fault[1], submitted=submitted)
    path = shop.results.record_path(cell.model, cell.dataset, cell.track)
    before = path.read_bytes() if path.is_file() else None
    try:
        filled = shop.fill(cell, bench, recompute=recompute)
    except RexrankError:
        raise
    except Exception as error:  # its message may hold a text, so only the class goes on
        system = (
            os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
        )  # disk full and such
        said = str(StageError("scoring", type(error).__name__, len(studies), advice=system))
        return _stopped(
            cell, "failed", "scoring", _words(type(error).__name__), submitted=submitted, problem=said
        )
    if filled.record is None:
        return _stopped(cell, "failed", "pairing", "InputError", submitted=submitted, problem=filled.problem)
    is_new = before is None or submitted not in before.decode("utf-8")
    if (
        rules is not None
        and rules.only_improvements
        and reports
        and is_new
        and not _improves(shop, card, cell)
    ):
        if before is None:
            path.unlink()
        else:
            write_atomic(path, before)
        return _stopped(cell, "held", "ladder", "No significant improvement", submitted=submitted)
    return Outcome(cell=cell, filled=filled)


def gate_fault(
    reports: Mapping[str, Report], studies: Iterable[Study], card: Card, rules: Rules
) -> tuple[str, int] | None:
    """The first gate that predictions do not pass, with a count, or None: (rule in words, studies)."""
    listed = list(studies)
    needed = {
        s.id
        for s in listed
        if any(counts_in_track(s.reference, track) for track in TRACKS if track in card.tracks)
    }
    wrong = len(needed - reports.keys()) + len(reports.keys() - {s.id for s in listed})
    if wrong:
        return "Study ids do not match the split", wrong
    texts = Counter(f"{normalise(r.findings)}\n{normalise(r.impression)}" for r in reports.values())
    empty = texts.pop("\n", 0)
    if empty > (1 - rules.min_non_empty) * len(reports) + 1e-9:
        return "Too many empty predictions", empty
    most = max(texts.values(), default=0)
    if most > rules.max_identical * len(reports):
        return "Too many identical predictions", most
    words = sum(len(r.findings.split()) + len(r.impression.split()) for r in reports.values()) / max(
        len(reports), 1
    )
    theirs = sum(
        len(s.reference.findings.split()) + len(s.reference.impression.split()) for s in listed
    ) / len(listed)
    if not rules.min_length * theirs <= words <= rules.max_length * theirs:
        return "Implausible length of predictions", len(reports)
    return None


def _improves(shop: Workshop, card: Card, cell: Cell) -> bool:
    """Whether a record may be published: its owner has none other yet, or it is significantly better than the best.

    The metric is the board's default order where both have it, else the first ranked one that both have.
    """
    owner = _owner(shop, cell.model)
    mine = shop.results.read_record(cell.model, cell.dataset, cell.track)
    assert mine is not None
    others = []
    for model in shop.results.submission_ids():
        record = shop.results.read_record(model, cell.dataset, cell.track)
        if model != cell.model and record is not None and _owner(shop, model) == owner:
            others.append(record)
    if not others:
        return True
    ranked = [one.spec.id for one in METRICS if one.spec.is_ranked]
    shared = [
        name
        for name in (*PREFERRED_ORDER, *ranked)
        if mine.estimate(name) and all(o.estimate(name) for o in others)
    ]
    if not shared:
        return False
    name = shared[0]
    sign = 1.0 if metric(name).spec.better == "higher" else -1.0
    best = max(others, key=lambda record: sign * record.estimate(name).value)  # type: ignore[union-attr]
    models, drawn = board_draws(shop, card, cell.track, [cell.model, best.model])
    if len(models) < 2 or name not in drawn:
        return False
    found = compare(drawn[name], list(models).index(cell.model), list(models).index(best.model))
    return sign * found.difference > 0 and found.p < SIGNIFICANT


def _owner(shop: Workshop, model: str) -> str:
    try:
        return (shop.submission(model).owner or model).lower()
    except InputError:
        return model


def _words(name: str) -> str:
    """An exception class as a state may show it."""
    return "".join(c for c in name if c.isalpha())[:60] or RexrankError.__name__


def _stopped(
    cell: Cell, state: str, stage: str, kind: str, *, count: int = 0, submitted: str = "", problem: str = ""
) -> Outcome:
    said = State.model_validate(
        {
            "model": cell.model,
            "dataset": cell.dataset,
            "track": cell.track,
            "state": state,
            "stage": stage,
            "kind": kind,
            "count": count,
            "submitted": submitted,
        }
    )
    return Outcome(cell=cell, filled=Filled(cell=cell, problem=problem or said.sentence), state=said)

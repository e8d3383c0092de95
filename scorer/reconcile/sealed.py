"""The sealed studies of private splits: scored for a snapshot, published as one number beside the open one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from scorer.cells import Workshop
from scorer.datasets.base import Card
from scorer.probes import is_probe
from scorer.statistics import Bench
from scorer.store import canonical_json, write_atomic
from scorer.text import Track
from scorer.types import Record

__all__ = ["score_sealed", "sealed_path"]


def sealed_path(root: Path, dataset: str, track: Track) -> Path:
    """Where the sealed numbers of a dataset and track lie: {"models": {model: {metric: {open, sealed, gap}}}}."""
    return root / "sealed" / f"{dataset}.{track}.json"


def score_sealed(root: Path, state_dir: Path, bench: Bench) -> list[Path]:
    """Scores the sealed studies for every model that has a record on the open ones; gives the files written.

    A gap is sealed minus open. It is the only thing that is ever said about the sealed studies.
    """
    shop, written = Workshop(root, state_dir), []
    for card in shop.cards:
        if card.private_rules is None or not card.private_rules.sealed_share:
            continue
        with tempfile.TemporaryDirectory(prefix="rexrank-sealed-") as scratch:
            shut = _beside(root, Path(scratch) / "results", state_dir)
            found: dict[Track, dict[str, Any]] = {}
            n: dict[Track, int] = {}
            for cell in shut.cells(datasets=[card.id]):
                before = shop.results.read_record(cell.model, cell.dataset, cell.track)
                if before is None or is_probe(cell.model):
                    continue
                record = shut.fill(cell, bench).record
                if record is not None:
                    found.setdefault(cell.track, {})[cell.model] = _gaps(before, record, card)
                    n[cell.track] = record.n
        for track, models in found.items():
            path = sealed_path(root, card.id, track)
            write_atomic(path, canonical_json({"schema": 1, "n": n[track], "models": models}))
            written.append(path)
    return written


def _beside(root: Path, scratch: Path, state_dir: Path) -> Workshop:
    """The same submissions and cards with records of their own."""
    scratch.mkdir(parents=True)
    for name in ("submissions", "datasets"):
        if (root / name).is_dir():
            (scratch / name).symlink_to((root / name).resolve(), target_is_directory=True)
    return Workshop(scratch, state_dir, sealed=True)


def _gaps(before: Record, shut: Record, card: Card) -> dict[str, dict[str, float]]:
    digits = 3 if card.decimals is None else card.decimals
    found = {}
    for estimate in shut.estimates:
        seen = before.estimate(estimate.metric)
        if seen is not None and seen.signature == estimate.signature:
            gap = round(estimate.value - seen.value, digits)
            found[estimate.metric] = {"open": seen.value, "sealed": round(estimate.value, digits), "gap": gap}
    return found

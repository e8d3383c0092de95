"""A canary: one submission whose numbers never change. When they do, something under them has."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from scorer.cells import Workshop
from scorer.datasets.demo import copy_demo
from scorer.statistics import Bench
from scorer.store import canonical_json
from scorer.types import Record

__all__ = ["MODEL", "differences", "frozen_numbers", "numbers_now"]

MODEL = "demo-careful"
TOLERANCE = 1e-9
"""Relative; the metrics without encoders are exact but for the order of a sum."""

Numbers = dict[str, dict[str, tuple[float, float | None, float | None]]]
"""track -> signature -> (value, low, high)"""


def numbers_now() -> Numbers:
    """Scores the canary with the metrics that need no encoder."""
    with tempfile.TemporaryDirectory(prefix="rexrank-canary-") as scratch:
        root = Path(scratch)
        copy_demo(root / "results")
        shop = Workshop(root / "results", root / "state")
        bench = Bench(weights_dir=root / "weights", cache_dir=root / "cache")
        records = [shop.fill(cell, bench).record for cell in shop.cells([MODEL], ["demo-cxr"])]
    return {record.track: _figures(record) for record in records if record is not None}


def _figures(record: Record) -> dict[str, tuple[float, float | None, float | None]]:
    return {
        estimate.signature: (estimate.value, estimate.low, estimate.high) for estimate in record.estimates
    }


def frozen_numbers() -> Numbers:
    """The numbers as they were frozen."""
    data = resources.files("scorer.reconcile").joinpath("canary.json").read_bytes()
    return {
        track: {signature: tuple(figures) for signature, figures in found.items()}
        for track, found in json.loads(data).items()
    }


def frozen_bytes(numbers: Mapping[str, object]) -> bytes:
    """What the frozen file holds for these numbers."""
    return canonical_json(numbers)


def differences(now: Numbers, frozen: Numbers) -> list[str]:
    """What differs, in words; a signature that is new or gone is a version change and no fault."""
    said = []
    for track in sorted(frozen.keys() | now.keys()):
        old, new = frozen.get(track, {}), now.get(track, {})
        if old and not old.keys() & new.keys():
            said.append(f"{track}: no frozen number can be compared any more; freeze the canary again")
        for signature in sorted(old.keys() & new.keys()):
            pairs = list(zip(old[signature], new[signature], strict=True))
            if any(
                (a is None) != (b is None) or (a is not None and b is not None and not _equal(a, b))
                for a, b in pairs
            ):
                said.append(f"{signature}: {new[signature][0]!r} is no longer {old[signature][0]!r}")
    return said


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))

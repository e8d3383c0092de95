"""A model's subgroups by the board's ordering metric, remembered between builds by what they depend on."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import Any

from scorer._version import __version__
from scorer.board import Board, Row
from scorer.cells import Workshop
from scorer.inference.resampling import RESAMPLES, SEED
from scorer.inference.subgroups import Subgroup, Subgroups
from scorer.metrics import metric
from scorer.store import canonical_json, digest, write_atomic
from scorer.subgroups import SubgroupTable, subgroups

__all__ = ["MOST", "model_subgroups"]

MOST = 60
"""Boards with more rows than this get no subgroup plots: ten thousand resamples a model and attribute add up."""


def model_subgroups(shop: Workshop, cache: Path | None, board: Board, row: Row) -> tuple[SubgroupTable, ...]:
    """One table per attribute, holding the ordering metric alone; () for probes, and without per-study tables."""
    record = shop.results.read_record(row.model, board.dataset, board.track)
    if row.is_probe or record is None or len(board.rows) > MOST:
        return ()
    card = shop.card(board.dataset)
    facts = [
        __version__,
        SEED,
        RESAMPLES,
        card.key,
        card.min_subgroup,
        board.track,
        board.order,
        dict(record.digests),
    ]
    path = None if cache is None else cache / "subgroups" / f"{digest(canonical_json(facts))}.json"
    if path is not None:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return tuple(_table(one) for one in json.loads(path.read_bytes()))
    found = subgroups(shop, card, board.track, row.model, [metric(board.order)])
    if path is not None:
        with contextlib.suppress(OSError):
            write_atomic(path, canonical_json([dataclasses.asdict(one) for one in found]))
    return found


def _table(document: dict[str, Any]) -> SubgroupTable:
    groups = {
        id: Subgroups(**{**one, "groups": tuple(Subgroup(**group) for group in one["groups"])})
        for id, one in document["by_metric"].items()
    }
    return SubgroupTable(attribute=document["attribute"], label=document["label"], by_metric=groups)

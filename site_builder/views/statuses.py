"""Where each metric stands on a board: scored, waiting, or not to be had here and what would change that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scorer.board import Board
from scorer.metrics import METRICS

__all__ = ["Status", "statuses"]

_UNAVAILABLE = re.compile(r"unavailable: (?P<what>.*) \(to get it: (?P<command>.*)\)", re.DOTALL)
_FIGURES_OF_OTHERS = ("inv_radcliq_v1", "radcliq_v0")
"""Not columns at first sight, but metrics that others rank by."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """Metrics that stand alike: (label, address) of each, in words how, and the command that changes it or ""."""

    metrics: Sequence[tuple[str, str]]
    words: str
    command: str = ""


def statuses(board: Board) -> tuple[Status, ...]:
    """Scored metrics first, then the others by what they lack, in the order of the columns; one page for each."""
    scored = {column.spec.id for column in board.columns}
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for spec in (one.spec for one in METRICS):
        if not spec.on_board and spec.id not in _FIGURES_OF_OTHERS:
            continue
        where = (spec.label, f"metrics/{spec.id}/")
        found.setdefault(_told(board, spec.id, spec.id in scored), []).append(where)
    found["only as reported by others", ""] = [("FineRadScore", "metrics/fineradscore/")]
    places = sorted(found, key=lambda told: told[0] != _SCORED)
    return tuple(Status(metrics=found[told], words=told[0], command=told[1]) for told in places)


_SCORED = "scored"


def _told(board: Board, metric: str, is_scored: bool) -> tuple[str, str]:
    if is_scored:
        return _SCORED, ""
    reason = board.unscored.get(metric, "awaiting scoring")
    if lacking := _UNAVAILABLE.fullmatch(reason):
        return f"unavailable: {lacking['what']}", lacking["command"]
    return ("available, awaiting scoring" if reason == "awaiting scoring" else reason), ""

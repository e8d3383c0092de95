"""Boards as CSV and JSON: full floats, ASCII numbers, null for what is missing, no formula that a sheet would run."""

from __future__ import annotations

from typing import Any

from scorer.board import Board, Cell, Row
from scorer.snapshots.csv_text import Value, csv_bytes
from scorer.store import canonical_json
from site_builder.world import World

__all__ = ["board_csv", "board_document", "board_json"]

_COLUMNS = (
    "dataset track model name is_probe metric value low high n n_empty rank rank_low rank_high tie_group state"
    " signature"
).split()


def board_csv(board: Board) -> bytes:
    """One line per row and column of the board, full floats; ranks are the board's own."""
    return csv_bytes(
        _COLUMNS, (_line(board, row, id, cell) for row in board.rows for id, cell in row.cells.items())
    )


def _line(board: Board, row: Row, metric: str, cell: Cell) -> dict[str, Value]:
    e = cell.estimate
    return {
        "dataset": board.dataset,
        "track": board.track,
        "model": row.model,
        "name": row.label,
        "is_probe": row.is_probe,
        "metric": metric,
        "value": e.value if e else None,
        "low": e.low if e else None,
        "high": e.high if e else None,
        "n": e.n if e else row.n,
        "n_empty": e.n_empty if e else row.n_empty,
        "rank": cell.rank,
        "rank_low": cell.rank_low,
        "rank_high": cell.rank_high,
        "tie_group": cell.group,
        "state": cell.state,
        "signature": e.signature if e else None,
    }


def board_document(world: World, board: Board) -> dict[str, Any]:
    """The board as plain data."""
    card = world.datasets[board.dataset]
    return {
        "dataset": board.dataset,
        "dataset_version": card.version,
        "track": board.track,
        "n": board.n,
        "n_patients": board.n_patients or None,
        "date": board.date or None,
        "order": board.order,
        "columns": [
            {
                "metric": c.spec.id,
                "label": c.spec.label,
                "better": c.spec.better,
                "signature": c.signature,
                "top": list(c.top),
                "resolvable": c.resolvable,
                "method": c.method,
            }
            for c in board.columns
        ],
        "rows": [_row(row) for row in board.rows],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "model": row.model,
        "name": row.label,
        "is_probe": row.is_probe,
        "in_domain": row.in_domain,
        "n": row.n,
        "n_empty": row.n_empty,
        "signals": [{"id": s.id, "sentence": s.sentence, "value": s.value} for s in row.signals],
        "cells": {
            id: {
                "value": cell.estimate.value if cell.estimate else None,
                "low": cell.estimate.low if cell.estimate else None,
                "high": cell.estimate.high if cell.estimate else None,
                "rank": cell.rank,
                "rank_low": cell.rank_low,
                "rank_high": cell.rank_high,
                "tie_group": cell.group,
                "state": cell.state,
            }
            for id, cell in row.cells.items()
        },
    }


def board_json(world: World, board: Board) -> bytes:
    """`board_document` as canonical JSON."""
    return canonical_json(board_document(world, board))

"""The compare page, and for each board the files from which a browser compares any of its rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scorer.board import Board
from scorer.boards.closed import ClosedColumn
from site_builder.page import Asset, Made, Page
from site_builder.render import render
from site_builder.views.boards import board_path, board_title
from site_builder.world import World

__all__ = ["make"]


def make(world: World) -> Iterator[Made]:
    """One page for all boards; `studies.json` and a file of float32 values per model beside each board."""
    offered = []
    for board in world.boards:
        values, pairs = world.study_values(board), world.closed_pairs(board)
        if values is None and not pairs:
            continue
        path = board_path(board.dataset, board.track)
        offered.append((board_title(world, board), path, "per-study numbers" if values else "pair tables"))
        document: dict[str, Any] = {
            "title": board_title(world, board),
            "order": board.order,
            "n": board.n,
            "labels": {row.model: row.label for row in board.rows},
            "metrics": _metrics(board, values.metrics if values else tuple(pairs)),
        }
        if values is not None:
            document["clusters"] = values.clusters
            document["models"] = sorted(values.values)
            for model, found in values.values.items():
                data = found.astype("<f4").tobytes()
                yield Asset(path=f"{path}studies/{model}.f32", data=data)
        else:
            document["pairs"] = _pairs(pairs)
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        yield Asset(path=f"{path}studies.json", data=text.encode("utf-8"))
    yield Page(
        path="compare/",
        title="Compare",
        description="Any two to four models of a board: paired differences with intervals and tests.",
        find="compare models",
        html=render("compare.html", "../", boards=offered),
    )


def _metrics(board: Board, wanted: tuple[str, ...] | Any) -> list[list[Any]]:
    return [
        [c.spec.id, c.spec.label, 1 if c.spec.better == "higher" else -1, c.spec.decimals]
        for metric in wanted
        for c in board.columns
        if c.spec.id == metric
    ]


def _pairs(columns: Mapping[str, ClosedColumn]) -> list[list[Any]]:
    """[a, b, metric, a's value, b's, low, high, p, wins, ties, losses, effect] of every published pair."""
    return [
        [a, b, metric, c.value_a, c.value_b, c.low, c.high, c.p, c.wins, c.ties, c.losses, c.effect]
        for metric, column in columns.items()
        for (a, b), c in column.pairs.items()
    ]

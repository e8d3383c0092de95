"""The compare page, and for each board the files from which a browser compares any of its rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
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
            "title": escape(board_title(world, board)),
            "order": board.order,
            "n": values.n if values else board.n,
            "labels": {row.model: escape(row.label) for row in board.rows},
            "metrics": _metrics(board, values.metrics if values else tuple(pairs)),
        }
        if values is not None:
            clusters = range(values.n) if values.clusters is None else values.clusters
            document["of"] = list(clusters)
            document["sizes"] = [n for _, n in sorted(Counter(clusters).items())]
            document["models"] = sorted(values.values)
            if values.label_errors:
                document["bits"] = values.n_labels
            for model, found in values.values.items():
                data = found.astype("<f4").tobytes()
                if values.label_errors:  # one more row; whole numbers below 2 ** 24 are exact
                    data += values.label_errors[model].astype("<f4").tobytes()
                yield Asset(path=f"{path}studies/{model}.f32", data=data)
        else:
            document["pairs"] = _pairs(pairs)
            document["models"] = sorted(document["pairs"])
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


def _pairs(
    columns: Mapping[str, ClosedColumn],
) -> dict[str, dict[str, list[list[float | int | None] | None]]]:
    """a -> b -> per metric [difference, low, high, p, wins, ties, losses, effect], in both directions."""
    found: dict[str, dict[str, list[list[float | int | None] | None]]] = {}
    for place, column in enumerate(columns.values()):
        for (a, b), c in column.pairs.items():
            there = [c.difference, c.low, c.high, c.p, c.wins, c.ties, c.losses, c.effect]
            back = [
                -c.difference,
                _minus(c.high),
                _minus(c.low),
                c.p,
                c.losses,
                c.ties,
                c.wins,
                _minus(c.effect),
            ]
            for one, other, figures in ((a, b, there), (b, a, back)):
                row = found.setdefault(one, {}).setdefault(other, [None] * len(columns))
                row[place] = figures
    return found


def _minus(value: float | None) -> float | None:
    return None if value is None else -value

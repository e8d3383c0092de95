"""Every metric that people look for stands on a board's page, with its number or with what it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.board import Board
from scorer.boards import build_board
from scorer.metrics import METRICS
from site_builder.views.statuses import statuses
from tests.world import make_world, spoiled

REXRANK = (
    "BLEU-2",
    "BERTScore",
    "SembScore",
    "RadGraph",
    "1/RadCliQ-v1",
    "RaTEScore",
    "GREEN",
    "FineRadScore",
)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    world = make_world(tmp_path_factory.mktemp("statuses"))
    world.submit("good", spoiled(world.studies, 0.2))
    world.score(["good"])
    made = build_board(world.shop, world.shop.card(world.dataset), "findings")
    assert made is not None
    return made


def by_metric(board: Board) -> Mapping[str, tuple[str, str]]:
    told = [(label, (one.words, one.command)) for one in statuses(board) for label, _ in one.metrics]
    assert len(dict(told)) == len(told), "a metric stands once"
    return dict(told)


def test_each_metric_of_rexrank_and_crimson_stands_on_the_board_with_its_status(board: Board) -> None:
    told = by_metric(board)
    assert set(told) >= {*REXRANK, "CRIMSON"}
    assert told["BLEU-2"] == ("scored", "")
    assert told["FineRadScore"][0] == "only as reported by others"
    for metric in ("BERTScore", "SembScore", "RadGraph", "1/RadCliQ-v1", "RaTEScore", "GREEN", "CRIMSON"):
        words, command = told[metric]
        assert words.startswith("unavailable: the ")
        assert command.startswith(("rexrank ", "pip install "))


def test_what_could_be_scored_and_is_not_yet_is_available(board: Board) -> None:
    unscored = {**board.unscored, "green": "awaiting scoring", "crimson": "failed: crimson: HTTP 401"}
    told = by_metric(replace(board, unscored=unscored))
    assert told["GREEN"] == ("available, awaiting scoring", "")
    assert told["CRIMSON"] == ("failed: crimson: HTTP 401", "")


def test_every_address_is_a_page_of_the_site(board: Board) -> None:
    written = {path.stem for path in (Path(__file__).resolve().parents[2] / "docs" / "metrics").glob("*.md")}
    pages = {f"metrics/{id}/" for id in written | {one.spec.id for one in METRICS}}
    assert {href for one in statuses(board) for _, href in one.metrics} <= pages

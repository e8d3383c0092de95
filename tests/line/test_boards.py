"""Boards: what is ranked, what is not, and what is said."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.board import Board
from scorer.boards import build_board
from scorer.boards.closed import closed_path
from scorer.boards.ranking import publish_closed
from scorer.cells import Workshop
from scorer.text import Report
from scorer.verification import verify_records
from tests.world import World, make_world, spoiled


def board_of(world: World, **changes: Any) -> Board:
    shop = world.shop
    board = build_board(shop, shop.card(world.dataset), "findings")
    assert board is not None
    return board


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Scored once; each test gets a copy of its own."""
    made = make_world(tmp_path_factory.mktemp("scored"), n=60)
    for model, share in (("a-good", 0.1), ("b-fair", 0.5), ("c-poor", 0.95)):
        made.submit(model, spoiled(made.studies, share))
    made.submit("d-copy", {study.id: study.reference for study in made.studies})
    made.score()
    return made


@pytest.fixture
def world(scored: World, tmp_path: Path) -> World:
    shutil.copytree(scored.root, tmp_path / "results")
    return replace(scored, root=tmp_path / "results")


def test_models_are_ranked_and_probes_stand_between_them_without_a_rank(world: World) -> None:
    board = board_of(world)
    ranks = {row.model: row.cells["bleu_2"].rank for row in board.rows}
    assert [ranks[m] for m in ("d-copy", "a-good", "b-fair", "c-poor")] == [1, 2, 3, 4]
    assert all(ranks[row.model] is None for row in board.rows if row.is_probe)
    values = [row.cells["bleu_2"].estimate.value for row in board.rows]  # type: ignore[union-attr]
    assert values == sorted(values, reverse=True)


def test_rank_intervals_hold_the_rank_and_the_top_group_holds_the_first(world: World) -> None:
    board = board_of(world)
    for row in board.rows:
        cell = row.cells["rouge_l"]
        if cell.rank is not None:
            assert cell.rank_low is not None
            assert cell.rank_high is not None
            assert cell.rank_low <= cell.rank <= cell.rank_high
    column = next(c for c in board.columns if c.spec.id == "rouge_l")
    assert column.top[0] == "d-copy"
    assert column.resolvable is not None
    assert column.resolvable > 0


def test_a_row_without_a_value_is_last_and_unranked_whichever_metric_orders(world: World) -> None:
    world.submit("a-awaiting", spoiled(world.studies, 0.3))
    board = board_of(world)
    assert board.rows[-1].model == "a-awaiting"
    cell = board.rows[-1].cells["bleu_2"]
    assert (cell.rank, cell.estimate, cell.reason) == (None, None, "awaiting scoring")


def test_a_number_of_another_version_is_shown_as_stale_and_not_ranked(world: World) -> None:
    path = world.root / "scores" / "d-copy" / f"{world.dataset}.findings.json"
    path.write_text(path.read_text().replace("bleu_2@1|", "bleu_2@7|"))
    board = board_of(world)
    cell = next(row for row in board.rows if row.model == "d-copy").cells["bleu_2"]
    assert (cell.state, cell.rank) == ("stale", None)
    assert next(row for row in board.rows if row.model == "a-good").cells["bleu_2"].rank == 1


def test_an_edited_table_is_unverified_and_its_numbers_are_ranked_with_nothing(world: World) -> None:
    path = world.root / "scores" / "a-good" / f"{world.dataset}.findings.ngrams.csv"
    path.write_text(path.read_text().replace(",1,", ",2,"))
    row = next(row for row in board_of(world).rows if row.model == "a-good")
    assert (row.cells["bleu_2"].state, row.cells["bleu_2"].rank) == ("stale", None)
    assert row.cells["bleu_2"].reason.startswith("unverified")
    assert row.cells["rouge_l"].rank is not None
    assert [p.code for p in verify_records(world.shop)] == ["edited-table"]


def test_an_edited_number_in_a_record_is_found(world: World) -> None:
    assert list(verify_records(world.shop)) == []
    path = world.root / "scores" / "c-poor" / f"{world.dataset}.findings.json"
    document = json.loads(path.read_text())
    document["estimates"][0]["value"] += 1e-9
    path.write_text(json.dumps(document))
    (problem,) = verify_records(world.shop)
    assert (problem.code, problem.field, problem.path) == ("edited-record", "bleu_2", str(path))


def test_the_copy_of_the_references_and_the_constant_are_told_in_sentences(world: World) -> None:
    world.submit(
        "e-constant", {study.id: Report(findings="Normal.", impression="Normal.") for study in world.studies}
    )
    world.score()
    said = {row.model: " ".join(signal.sentence for signal in row.signals) for row in board_of(world).rows}
    assert "60 of 60 predictions (100 %) are identical to their own study's reference" in said["d-copy"]
    assert "1 distinct report of 60" in said["e-constant"]
    assert "own study" not in said["c-poor"]


def test_two_submissions_with_the_same_predictions_are_told_of_each_other(world: World) -> None:
    world.submit("f-twin", spoiled(world.studies, 0.95))
    world.score()
    twin = next(row for row in board_of(world).rows if row.model == "f-twin")
    assert any(signal.evidence.get("model") == "c-poor" for signal in twin.signals)


def test_thresholds_of_the_results_folder_replace_the_usual_ones(world: World) -> None:
    (world.root / "signals.yaml").write_text("own_reference_share: 1.5\nany_reference_share: 1.5\n")
    copy = next(row for row in board_of(world).rows if row.model == "d-copy")
    assert not [signal for signal in copy.signals if signal.id == "own-reference"]


def test_how_many_models_lie_below_the_constant_normal_probe_is_counted(world: World) -> None:
    column = next(c for c in board_of(world).columns if c.spec.id == "bleu_2")
    assert column.below_probe is not None
    below, n = column.below_probe
    assert n == 4
    assert 0 <= below < 4  # the copy lies above any constant


def test_remembered_ranks_equal_fresh_ones_and_a_damaged_memory_is_no_error(
    world: World, tmp_path: Path
) -> None:
    fresh = board_of(world)
    for _ in range(2):
        shop = Workshop(world.root, world.state, tmp_path / "memory")
        assert build_board(shop, shop.card(world.dataset), "findings") == fresh
    kept = list((tmp_path / "memory").rglob("*.json"))
    assert kept
    for path in kept:
        path.write_text("{")
    assert build_board(shop, shop.card(world.dataset), "findings") == fresh


def test_a_withdrawn_model_leaves_the_board(world: World) -> None:
    world.submit("d-copy", {study.id: study.reference for study in world.studies}, lifecycle="withdrawn")
    assert "d-copy" not in {row.model for row in board_of(world).rows}


def test_a_broken_submission_does_not_take_the_board_down(world: World) -> None:
    (world.root / "submissions" / "a-good" / "submission.yaml").write_text("id: [")
    assert {row.model for row in board_of(world).rows} >= {"b-fair", "c-poor", "d-copy"}


@pytest.fixture
def closed(tmp_path: Path) -> World:
    made = make_world(tmp_path, n=60, access="private", release="aggregate", patients=True)
    reports = {
        "a-good": spoiled(made.studies, 0.2),
        "b-poor": spoiled(made.studies, 0.9),
    }
    for model, predictions in reports.items():
        folder = made.state / "predictions" / model
        folder.mkdir(parents=True)
        from scorer.predictions import canonical_predictions, predictions_digest

        (folder / f"{made.dataset}.jsonl").write_bytes(canonical_predictions(predictions))
        card = made.root / "submissions" / model / "submission.yaml"
        card.parent.mkdir(parents=True)
        card.write_text(
            f"id: {model}\nname: {model}\nowner: tester\ntracks: [findings]\npredictions:\n  {made.dataset}:\n"
            f"    url: https://example.org/{model}.jsonl\n    sha256: {predictions_digest(predictions)}\n"
        )
    made.score()
    return made


def test_a_closed_dataset_is_ranked_elsewhere_from_its_published_pairs(closed: World, tmp_path: Path) -> None:
    shop = closed.shop
    card = shop.card(closed.dataset)
    here = board_of(closed)
    assert publish_closed(shop, card, "findings")
    away = Workshop(closed.root, tmp_path / "another-machine")
    there = build_board(away, card, "findings")
    assert there is not None
    for row in there.rows:
        mine = next(one for one in here.rows if one.model == row.model)
        for metric in ("bleu_2", "rouge_l"):
            assert row.cells[metric] == replace(mine.cells[metric])
            assert row.is_probe or row.cells[metric].rank_high is not None


def test_published_pairs_hold_no_study_and_count_only_for_the_values_they_were_made_from(
    closed: World, tmp_path: Path
) -> None:
    card = closed.shop.card(closed.dataset)
    publish_closed(closed.shop, card, "findings")
    path = closed_path(closed.root, closed.dataset, "findings")
    text = path.read_text()
    assert not any(study.id in text or study.reference.findings in text for study in closed.studies)
    document = json.loads(text)
    document["columns"]["bleu_2"]["values"]["a-good"] = 0.999
    path.write_text(json.dumps(document))
    there = build_board(Workshop(closed.root, tmp_path / "another-machine"), card, "findings")
    assert there is not None
    row = next(row for row in there.rows if row.model == "a-good")
    assert row.cells["bleu_2"].rank == 1
    assert row.cells["bleu_2"].rank_high is None  # no interval is claimed
    assert row.cells["rouge_l"].rank_high is not None

"""`rexrank try`: a row inside the board, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli import rexrank
from scorer.predictions import canonical_predictions
from scorer.text import Report
from tests.world import World, make_world, spoiled


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(tmp_path)
    made.submit("there", spoiled(made.studies, 0.5))
    made.score(["there"])
    return made


def run(world: World, *line: str) -> Result:
    environment = {"REXRANK_HOME": str(world.state), "COLUMNS": "200"}
    return CliRunner().invoke(rexrank, ["try", *line, "--results", str(world.root)], env=environment)


def test_the_tried_row_stands_inside_the_board_and_nothing_is_written(world: World) -> None:
    world.submit("mine", spoiled(world.studies, 0.1))
    before = world.snapshot()
    result = run(world, str(world.root / "submissions" / "mine"))
    assert result.exit_code == 0, result.output
    assert "mine" in result.output
    assert "there" in result.output
    assert world.snapshot() == before


def test_json_gives_records_with_estimates_intervals_and_signatures(world: World) -> None:
    world.submit("mine", spoiled(world.studies, 0.1))
    result = run(world, str(world.root / "submissions" / "mine"), "--json")
    records = json.loads(result.stdout)["records"]
    assert {(r["model"], r["dataset"], r["track"]) for r in records} == {
        ("mine", "tiny-knee", "findings"),
        ("mine", "tiny-knee", "findings_impression"),
    }
    estimate = records[0]["estimates"][0]
    assert set(estimate) == {"metric", "value", "low", "high", "n", "signature"}
    assert estimate["low"] <= estimate["value"] <= estimate["high"]


def test_a_prediction_file_is_enough(world: World, tmp_path: Path) -> None:
    path = tmp_path / "loose.jsonl"
    path.write_bytes(canonical_predictions(spoiled(world.studies, 0.1)))
    result = run(world, str(path), "--dataset", "tiny-knee", "--json")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["records"]) == 2


def test_a_missing_study_is_refused_by_id(world: World) -> None:
    reports = spoiled(world.studies, 0.1)
    gone = sorted(reports)[3]
    del reports[gone]
    world.submit("mine", reports)
    result = run(world, str(world.root / "submissions" / "mine"))
    assert gone in str(result.exception)
    assert "no prediction" in str(result.exception)


def test_the_compat_reading_carries_its_own_signature_and_shows_no_board(world: World) -> None:
    world.submit("mine", {study.id: Report(findings=study.reference.findings) for study in world.studies})
    folder = str(world.root / "submissions" / "mine")
    ours = {r["track"]: r for r in json.loads(run(world, folder, "--json").stdout)["records"]}
    theirs = json.loads(run(world, folder, "--json", "--reading", "rexrank-compat@1").stdout)["records"]
    for record in theirs:
        bleu = record["estimates"][0]
        assert bleu["signature"].split("|")[2] == "rexrank-compat@1"
        same = ours[record["track"]]["estimates"][0]
        # the word None stands for the absent impression, and both headers always stand
        assert (bleu["value"] == same["value"]) is False or record["track"] == "findings"
    assert "Rank" not in run(world, folder, "--reading", "rexrank-compat@1").output

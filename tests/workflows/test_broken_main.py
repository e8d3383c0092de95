"""What main may hold although no gate let it in: old cards, edited numbers, exchanged tables."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.boards import build_board
from scorer.cells import Workshop
from scorer.store import canonical_json
from scorer.verification import verify_records
from tests.workflows.steps import ROOT, installed
from tests.world import World, make_world, spoiled

OLD_CARD = "model_name: Antique\nteam: Somebody\npaper_link: https://example.org\nRank: 1\n"
"""A card as an earlier schema had it."""


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = make_world(tmp_path_factory.mktemp("main"), release="texts")
    for model, share in (("good", 0.1), ("fair", 0.4), ("poor", 0.9)):
        made.submit(model, spoiled(made.studies, share))
    made.score()
    return made


@pytest.fixture
def world(scored: World, tmp_path: Path) -> World:
    """A copy, to be broken."""
    shutil.copytree(scored.root, tmp_path / "results")
    return replace(scored, root=tmp_path / "results", state=tmp_path / "state")


def build(world: World, tmp_path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """`rexrank build` as a process of its own; the site goes to `site`."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}:{installed(tmp_path / str(len(more)))}",
        "REXRANK_HOME": str(world.state),
        "REXRANK_CACHE": str(tmp_path / "cache"),
    }
    line = [
        sys.executable,
        "-m",
        "scorer.cli",
        "build",
        "--results",
        str(world.root),
        "--out",
        str(tmp_path / "site"),
    ]
    return subprocess.run([*line, *more], env=environment, capture_output=True, text=True, check=False)


def edit(world: World, model: str, more: float) -> Path:
    """Writes a larger number into a record, as a hand would."""
    path = world.root / "scores" / model / f"{world.dataset}.findings.json"
    document = json.loads(path.read_text())
    document["estimates"][0]["value"] += more
    path.write_text(json.dumps(document))
    return path


def test_an_old_card_and_an_edited_record_take_nothing_else_down_and_are_marked(
    world: World, tmp_path: Path
) -> None:
    pytest.importorskip("mkdocs")
    card = world.root / "submissions" / "fair" / "submission.yaml"
    card.write_text(OLD_CARD)
    record = edit(world, "poor", 0.7)
    done = build(world, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "submissions/fair needs an update: " in done.stderr
    board = (tmp_path / "site" / "boards" / world.dataset / "findings" / "index.html").read_text()
    lines = {
        model: row
        for row in re.findall(r"<tr.*?</tr>", board, re.DOTALL)
        for model in ("good", "poor")
        if f"models/{model}/" in row
    }
    assert "unverified: the number is not what its per-study table gives" in lines["poor"]
    assert "unverified" not in lines["good"]
    page = (tmp_path / "site" / "models" / "fair" / "index.html").read_text()
    assert "Its card cannot be read by this version." in page
    strict = build(world, tmp_path, "--strict")
    assert strict.returncode == 1
    assert f"{record}: bleu_2: bleu_2 is not what the per-study tables give" in strict.stderr
    assert "restore both files from git, or run rexrank score" in strict.stderr


def test_an_edited_number_ranks_with_nothing_and_its_neighbours_are_as_before(world: World) -> None:
    shop = world.shop
    before = build_board(shop, shop.card(world.dataset), "findings")
    edit(world, "poor", 0.0001)  # well inside its interval
    shop = world.shop
    after = build_board(shop, shop.card(world.dataset), "findings")
    assert before is not None
    assert after is not None
    cells = {row.model: row.cells for row in after.rows}
    assert (cells["poor"]["bleu_2"].state, cells["poor"]["bleu_2"].rank) == ("stale", None)
    assert cells["poor"]["bleu_2"].reason.startswith("unverified")
    assert cells["poor"]["rouge_l"].rank == 3, "its other numbers stand"
    assert (cells["good"]["bleu_2"].rank, cells["fair"]["bleu_2"].rank) == (1, 2)
    assert {row.model: row.cells["bleu_2"].state for row in before.rows if row.model == "poor"} == {
        "poor": "current"
    }


def test_the_last_digit_of_another_processor_is_no_edit_and_stays_when_scored_again(world: World) -> None:
    """NumPy's exp and log round otherwise on another processor, so a record need not come back to the bit."""
    path = world.root / "scores" / "poor" / f"{world.dataset}.findings.json"
    document = json.loads(path.read_text())
    for field in ("value", "low", "high"):
        document["estimates"][0][field] *= 1 + 4e-16
    path.write_bytes(canonical_json(document))
    elsewhere = path.read_bytes()
    assert list(verify_records(world.shop)) == []
    shop = world.shop
    (cell,) = (c for c in shop.cells(["poor"], [world.dataset]) if c.track == "findings")
    assert shop.fill(cell, world.bench, recompute=["ngrams"]).record is not None
    assert path.read_bytes() == elsewhere

    for field in ("value", "low", "high"):
        document["estimates"][0][field] += 1e-7
        path.write_bytes(canonical_json(document))
        (problem,) = verify_records(world.shop)
        assert (problem.code, problem.field) == ("edited-record", "bleu_2")
        document["estimates"][0][field] -= 1e-7


def test_our_own_records_are_what_their_tables_give(tmp_path: Path) -> None:
    """On whatever machine this runs."""
    assert list(verify_records(Workshop(ROOT / "results", tmp_path / "state"))) == []


def test_values_are_proved_where_patients_are_not_known(tmp_path: Path) -> None:
    """As where the site is built: intervals need the references, values only the tables."""
    world = make_world(tmp_path, patients=True)
    for model, share in (("good", 0.1), ("poor", 0.9)):
        world.submit(model, spoiled(world.studies, share))
    world.score()
    away = replace(world, state=tmp_path / "elsewhere")
    assert list(verify_records(away.shop)) == []
    path = edit(world, "poor", 0.0001)
    (problem,) = verify_records(away.shop)
    assert (problem.code, problem.field, problem.path) == ("edited-record", "bleu_2", str(path))
    document = json.loads(path.read_text())
    document["estimates"][0] |= {"value": 1.7, "low": 1.6, "high": 1.8}
    path.write_text(json.dumps(document))
    said = [problem.message for problem in verify_records(away.shop)]
    assert said == ["bleu_2: outside its range", "bleu_2 is not what the per-study tables give"]


def test_a_number_of_a_closed_dataset_that_cannot_be_is_marked_without_any_table(tmp_path: Path) -> None:
    world = make_world(tmp_path, access="credentialed", release="aggregate", n=40)
    for model, share in (("good", 0.1), ("poor", 0.9)):
        world.submit(model, spoiled(world.studies, share))
    world.score()
    path = world.root / "scores" / "poor" / f"{world.dataset}.findings.json"
    document = json.loads(path.read_text())
    document["estimates"][0] |= {"value": 0.9, "low": 0.1, "high": 0.2}
    path.write_text(json.dumps(document))
    shop = replace(world, state=tmp_path / "elsewhere").shop
    board = build_board(shop, shop.card(world.dataset), "findings")
    assert board is not None
    cells = {row.model: row.cells["bleu_2"] for row in board.rows}
    assert cells["poor"].reason.startswith("unverified: the number")
    assert cells["good"].state == "current"

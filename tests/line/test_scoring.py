"""Cells are filled once, resume after anything, and give the same bytes in any order."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scorer.scoring
from scorer.boards import build_board
from scorer.errors import StageError
from scorer.metrics import METRICS
from scorer.metrics.lexical import BLEU_2
from scorer.statistics import STATISTICS, Computed
from scorer.text import Report
from tests.world import make_world, record_of, spoiled


@pytest.fixture
def world(tmp_path: Path) -> Any:
    made = make_world(tmp_path)
    made.submit("good", spoiled(made.studies, 0.2))
    made.submit("poor", spoiled(made.studies, 0.9))
    return made


def test_a_second_run_changes_nothing_and_needs_nothing(world: Any) -> None:
    world.score()
    before = {path: os.stat(world.root / "scores" / path).st_mtime_ns for path in world.snapshot()}
    assert not [
        cell for cell in world.shop.cells() if cell.dataset == world.dataset and cell.state != "current"
    ]
    world.score()
    assert before == {path: os.stat(world.root / "scores" / path).st_mtime_ns for path in world.snapshot()}


def test_the_order_of_scoring_changes_no_byte(world: Any, tmp_path: Path) -> None:
    world.score(["good"])
    world.score()
    other = make_world(tmp_path / "other")
    other.submit("poor", spoiled(other.studies, 0.9))
    other.score()
    other.submit("good", spoiled(other.studies, 0.2))
    other.score()
    assert world.snapshot() == other.snapshot()


def test_a_changed_prediction_makes_its_own_cells_stale_and_no_other(world: Any) -> None:
    world.score()
    before = world.snapshot()
    world.submit("poor", spoiled(world.studies, 0.5))
    stale = [(c.model, c.reasons) for c in world.shop.cells() if c.state == "stale"]
    assert stale == [("poor", ("predictions changed",))] * 2
    world.score()
    changed = {path.split("/")[0] for path, data in world.snapshot().items() if before.get(path) != data}
    assert changed == {"poor"}


def test_a_new_version_of_a_metric_is_recomputed_from_the_stored_tables(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    world.score()
    bumped = replace(BLEU_2, spec=replace(BLEU_2.spec, version=2))
    registry = tuple(bumped if one is BLEU_2 else one for one in METRICS)
    monkeypatch.setattr(scorer.scoring, "METRICS", registry)
    monkeypatch.setattr(
        "scorer.cells.cell_state",
        lambda record, **k: scorer.scoring.cell_state(record, metrics=registry, **k),
    )
    computed: list[str] = []
    real = scorer.scoring.compute_table
    monkeypatch.setattr(
        scorer.scoring, "compute_table", lambda one, *a: computed.append(one.spec.id) or real(one, *a)
    )
    assert {c.state for c in world.shop.cells(["good"])} == {"stale"}
    world.score(["good"])
    assert computed == []
    signatures = [e["signature"] for e in record_of(world, "good")["estimates"] if e["metric"] == "bleu_2"]
    assert signatures == ["bleu_2@2|ngrams@1|text@1|tiny-knee@1|findings"]


def test_kill_in_the_middle_then_a_second_run_gives_the_bytes_of_an_uninterrupted_one(
    world: Any, tmp_path: Path
) -> None:
    whole = make_world(tmp_path / "whole")
    for model, share in (("good", 0.2), ("poor", 0.9)):
        whole.submit(model, spoiled(whole.studies, share))
    whole.score()
    environment = {**os.environ, "REXRANK_HOME": str(world.state)}
    line = [
        sys.executable,
        "-m",
        "scorer.cli",
        "score",
        "--results",
        str(world.root),
        "--dataset",
        world.dataset,
    ]
    process = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list((world.root / "scores").glob("good/*.csv")):
        assert process.poll() is None, "ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    world.score()
    assert world.snapshot() == whole.snapshot()


def test_a_full_disk_leaves_the_old_files_whole(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.score()
    before = world.snapshot()
    world.submit("good", spoiled(world.studies, 0.7))

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        world.score()
    assert world.snapshot() == before
    monkeypatch.undo()
    world.score()
    assert world.snapshot() != before


class _Failing:
    """A registered statistic that fails with a text in its message."""

    spec = STATISTICS[1].spec

    def missing(self, bench: Any) -> None:
        return None

    def compute(self, predictions: Any, references: Any, bench: Any) -> Computed:
        raise ValueError(f"cannot read {references[0]}")


def test_a_failing_statistic_is_told_without_its_text_and_the_other_metrics_are_scored(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        scorer.scoring, "STATISTICS", tuple(_Failing() if one.spec.id == "lcs" else one for one in STATISTICS)
    )
    world.score(["good"])
    record = record_of(world, "good")
    assert {e["metric"] for e in record["estimates"]} == {"bleu_2", "bleu_4", "empty_rate"}
    assert record["missing"]["rouge_l"] == f"failed: lcs: ValueError ({len(world.studies)} studies)"
    assert not any(study.reference.findings in str(record) for study in world.studies)
    assert {c.state for c in world.shop.cells(["good"])} == {"failed"}
    board = build_board(world.shop, world.shop.card(world.dataset), "findings")
    assert board is not None
    assert "rouge_l" in board.unscored


def test_a_failure_keeps_the_score_that_was_there(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.score()
    before = record_of(world, "good")
    monkeypatch.setattr(
        scorer.scoring, "STATISTICS", tuple(_Failing() if one.spec.id == "lcs" else one for one in STATISTICS)
    )
    shop = world.shop
    for cell in shop.cells(["good"]):
        shop.fill(cell, world.bench, recompute=["lcs"])
    assert record_of(world, "good")["estimates"] == before["estimates"]


def test_a_number_that_is_not_finite_never_becomes_a_score() -> None:
    class Broken(_Failing):
        def compute(self, predictions: Any, references: Any, bench: Any) -> Computed:
            values = np.ones((len(predictions), 3))
            values[1, 0] = np.nan
            return Computed(values=values)

    from scorer.types import Run

    run = Run(
        model="m",
        dataset="d",
        track="findings",
        study_ids=("a", "b"),
        predictions=("x", "y"),
        references=("x", "y"),
    )
    with pytest.raises(StageError, match=r"lcs: not a finite number \(1 study\)"):
        scorer.scoring.compute_table(Broken(), run, "inputs", None)  # type: ignore[arg-type]


def test_empty_predictions_score_worst_and_are_counted(world: Any) -> None:
    reports = {study.id: study.reference for study in world.studies}
    reports[world.studies[0].id] = Report()
    world.submit("one-empty", reports)
    world.score(["one-empty"])
    record = record_of(world, "one-empty")
    assert record["n_empty"] == 1
    bleu = next(e for e in record["estimates"] if e["metric"] == "bleu_2")
    assert bleu["value"] == pytest.approx(1 - 1 / len(world.studies))
    assert bleu["n_empty"] == 1


def test_tables_of_a_closed_dataset_stay_on_the_machine_and_its_record_holds_no_text(tmp_path: Path) -> None:
    closed = make_world(tmp_path, access="credentialed", release="aggregate", patients=True)
    shop = closed.shop
    for cell in shop.cells():
        if cell.dataset == closed.dataset:
            assert not shop.fill(cell, closed.bench).problem
    assert not list((closed.root / "scores").rglob("*.csv"))
    assert list((closed.state / "private").rglob("*.csv"))
    written = b"".join(closed.snapshot().values()).decode()
    for study in closed.studies:
        assert study.id not in written
        assert study.reference.findings not in written
    assert '"clusters": "patient"' in written


def test_several_studies_of_a_patient_widen_the_interval(tmp_path: Path) -> None:
    widths = []
    for patients in (False, True):
        world = make_world(tmp_path / str(patients), n=60, patients=patients)
        # whole patients are good or bad, so studies of one patient agree
        reports = {
            study.id: study.reference if number // 3 % 2 else Report(findings="nothing alike")
            for number, study in enumerate(world.studies)
        }
        world.submit("model", reports)
        world.score(["model"])
        bleu = next(e for e in record_of(world, "model")["estimates"] if e["metric"] == "bleu_2")
        widths.append(bleu["high"] - bleu["low"])
    assert widths[1] > 1.4 * widths[0]  # sqrt(3) in theory

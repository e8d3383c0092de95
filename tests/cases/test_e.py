"""Operations: what is not there, cut or broken is said and never becomes a number."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scorer.boards import build_board, ranking
from scorer.boards.ranking import noise
from scorer.guard import Problems
from scorer.metrics import METRICS, metric
from scorer.reconcile.links import check_links
from scorer.statistics import STATISTICS, Bench
from scorer.text import Report
from scorer.types import StudyTable
from site_builder.reading import read_world
from site_builder.views import model_pages
from tests.cases.conftest import pages_of
from tests.world import World, make_world, record_of, spoiled

ENCODER_OF = {one.spec.id: one.spec.encoder for one in STATISTICS}
NEEDS = {one.spec.id: {ENCODER_OF[id] for id in one.spec.needs} - {""} for one in METRICS}


def fill(world: World, model: str, bench: Bench) -> None:
    """Scores the findings track of one model."""
    shop = world.shop
    (cell,) = (c for c in shop.cells([model], [world.dataset]) if c.track == "findings")
    shop.fill(cell, bench)


def bench_of(weights: Path, folder: Path) -> Bench:
    return Bench(weights_dir=weights, cache_dir=folder / "cache")


def test_without_weights_each_metric_says_once_what_gets_them_and_the_others_are_scored(
    tmp_path: Path,
) -> None:
    pytest.importorskip("torch", reason="needs the encoders extra, which is asked for first")
    world = make_world(tmp_path, n=6)
    world.submit("one", spoiled(world.studies, 0.5))
    fill(world, "one", bench_of(tmp_path / "none", tmp_path))
    record = record_of(world, "one")
    scored = {estimate["metric"] for estimate in record["estimates"]}  # type: ignore[attr-defined]
    assert scored == {metric for metric, encoders in NEEDS.items() if not encoders}
    missing: dict[str, str] = record["missing"]  # type: ignore[assignment]
    assert set(missing) == set(NEEDS) - scored
    for id, reason in missing.items():
        assert reason.startswith("unavailable: "), id
        assert "rexrank " in reason
        assert any(encoder in reason for encoder in NEEDS[id])
    board = build_board(world.shop, world.shop.card(world.dataset), "findings")
    assert board is not None
    assert set(board.unscored) == set(missing)


def test_a_weights_file_that_was_cut_scores_nothing_and_is_named(weights: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "weights"
    shutil.copytree(weights, damaged)
    checkpoint = damaged / "chexbert" / "chexbert.pth"
    whole = checkpoint.read_bytes()
    checkpoint.write_bytes(whole[: len(whole) * 6 // 10])
    config_only = damaged / "distilroberta_base"
    for path in config_only.iterdir():
        if path.name != "config.json":
            path.unlink()
    world = make_world(tmp_path, n=6)
    world.submit("one", spoiled(world.studies, 0.5))
    fill(world, "one", bench_of(damaged, tmp_path))
    missing: dict[str, str] = record_of(world, "one")["missing"]  # type: ignore[assignment]
    assert "chexbert.pth" in missing["semb_score"]
    assert "model.safetensors" in missing["bertscore"]
    assert not re.search(r"(?<!_)config.json", missing["bertscore"])
    assert "radgraph_combined" not in missing
    assert "bleu_2" not in missing
    assert "radcliq_v1" in missing  # one component is not there, so no composite


def test_a_text_beyond_an_encoders_limit_is_cut_and_counted_and_moves_no_other_row(
    weights: Path, tmp_path: Path
) -> None:
    world = make_world(tmp_path, n=6, release="texts")
    bench = bench_of(weights, tmp_path)
    calm = {study.id: Report(findings="Large pneumothorax.") for study in world.studies}
    first, *others = calm
    long = calm | {first: Report(findings="No focal opacity. " * 400 + "Large pneumothorax.")}
    for model, reports in (("calm", calm), ("long", long)):
        world.submit(model, reports)
        fill(world, model, bench)
    # 1,202 words are more than 512 pieces, the two special ones included; RadGraph reads all of them.
    assert record_of(world, "calm")["n_truncated"] == {}
    assert record_of(world, "long")["n_truncated"] == {"bertscore@1": 1, "chexbert@1": 1}
    for statistic in ("bertscore", "chexbert", "radgraph"):
        ours, theirs = (_table(world, model, statistic) for model in ("calm", "long"))
        np.testing.assert_allclose(ours.values[1:], theirs.values[1:], atol=1e-5)
        assert np.isfinite(theirs.values).all()
        assert ours.study_ids == (first, *others)
    site = replace(read_world(world.root, world.state), metrics=())
    page = pages_of(model_pages.make(site))["models/long/"]
    assert "<dt>texts cut by bertscore@1</dt><dd>1</dd>" in page


def test_a_difference_that_another_machine_could_undo_separates_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One filler word more on every study: BLEU-2 lower everywhere, by less than half of the third digit.
    world = make_world(tmp_path, n=24, release="texts")
    for model, n_words in (("short", 300), ("shorter", 299)):
        reports = {s.id: Report(findings=s.reference.findings + " filler" * n_words) for s in world.studies}
        world.submit(model, reports)
        fill(world, model, bench_of(tmp_path, tmp_path))

    def bleu_2() -> tuple[float, set[int | None]]:
        board = build_board(world.shop, world.shop.card(world.dataset), "findings")
        assert board is not None
        cells = [row.cells["bleu_2"] for row in board.rows]
        values = [cell.estimate.value for cell in cells if cell.estimate]
        return values[0] - values[1], {cell.group for cell in cells}

    gap, groups = bleu_2()
    assert 0 < gap < 0.0005
    assert groups == {1, 2}  # counting words is exact, so even this difference is one
    assert [noise(metric(id)) for id in ("bleu_2", "bertscore", "radcliq_v1")] == [0.0, 0.0005, 0.0005]
    monkeypatch.setattr(ranking, "noise", lambda one: 0.0005)
    assert bleu_2()[1] == {1}


def test_a_link_that_answers_404_is_marked_and_its_row_stays(tmp_path: Path) -> None:
    world = make_world(tmp_path, n=6)
    world.submit("gone", spoiled(world.studies, 0.5), links="{code: https://example.org/gone}")
    world.submit("here", spoiled(world.studies, 0.5), links="{code: https://example.org/here}")
    problems = Problems()
    asked = check_links(world.root, problems, lambda link: 404 if link.endswith("gone") else 200)
    assert asked == 2
    (problem,) = problems.found
    assert (problem.severity, problem.field) == ("warning", "links.code")
    assert problem.path.endswith("gone/submission.yaml")
    assert "status 404" in problem.message
    board = build_board(world.shop, world.shop.card(world.dataset), "findings")
    assert board is not None
    assert {row.model for row in board.rows if not row.is_probe} == {"gone", "here"}


def _table(world: World, model: str, statistic: str) -> StudyTable:
    results = world.shop.results
    table = results.read_table(results.table_path(model, world.dataset, "findings", statistic))
    assert table is not None
    return table

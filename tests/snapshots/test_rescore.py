"""The preview of a metric version: shift, moves, correlation; and the same after a new score."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scorer.metrics import METRICS, MeanMetric, Tables
from scorer.metrics.lexical import ROUGE_L
from scorer.snapshots import rescore
from scorer.snapshots.rescore import Column, Value, preview, set_against
from scorer.types import Floats
from tests.snapshots.world import World as Repository
from tests.snapshots.world import rexrank
from tests.world import World, make_world, spoiled

LEXICAL = tuple(one for one in METRICS if one.spec.id in {"bleu_2", "rouge_l", "length_ratio"})


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = make_world(tmp_path_factory.mktemp("rescore"), release="texts")
    for model, share in (("good", 0.1), ("middle", 0.4), ("poor", 0.8)):
        world.submit(model, spoiled(world.studies, share))
    world.score()
    return world


def bumped(per_study: object) -> MeanMetric:
    spec = replace(ROUGE_L.spec, version=2, changes=((2, "2027-01-01", "squared"), *ROUGE_L.spec.changes))
    return MeanMetric(spec=spec, per_study=per_study)  # type: ignore[arg-type]


def with_metric(monkeypatch: pytest.MonkeyPatch, metric: MeanMetric) -> None:
    metrics = tuple(metric if one.spec.id == metric.spec.id else one for one in METRICS)
    monkeypatch.setattr(rescore, "METRICS", metrics)


def of(columns: tuple[Column, ...], board: str, metric: str) -> Column:
    (column,) = [c for c in columns if (c.board, c.metric) == (board, metric)]
    return column


def test_nothing_changes_while_the_registry_is_the_one_that_scored(scored: World) -> None:
    assert preview(scored.shop) == ()
    every = preview(scored.shop, every=True)
    assert {c.metric for c in every} >= {"bleu_2", "rouge_l"}
    assert all(move.shift == 0.0 for column in every for move in column.moves)
    assert of(every, "tiny-knee.findings", "rouge_l").spearman == 1.0


def test_a_bump_is_previewed_from_stored_statistics_with_shift_ranks_and_correlation(
    scored: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    per_study = ROUGE_L.per_study  # type: ignore[attr-defined]

    def reversed_order(tables: Tables) -> Floats:
        return np.asarray(1.0 - per_study(tables))

    with_metric(monkeypatch, bumped(reversed_order))
    columns = preview(scored.shop)
    assert {c.metric for c in columns} == {"rouge_l"}
    column = of(columns, "tiny-knee.findings", "rouge_l")
    assert column.old_signature.startswith("rouge_l@1|")
    assert column.new_signature.startswith("rouge_l@2|")
    assert (column.spearman, column.kendall) == (-1.0, -1.0)
    moves = {move.model: move for move in column.moves}
    assert (moves["good"].old_rank, moves["good"].new_rank) == (1, 3)
    assert moves["good"].new == pytest.approx(1.0 - moves["good"].old, abs=1e-12)
    assert moves["probe-constant-normal"].old_rank is None
    sizes = [abs(move.shift) for move in column.moves]
    assert sizes == sorted(sizes, reverse=True)


def test_the_preview_touches_no_file_and_needs_no_references(
    scored: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(scored.root, tmp_path / "results")
    shutil.rmtree(tmp_path / "results" / "datasets" / "refs")
    world = replace(scored, root=tmp_path / "results", state=tmp_path / "nothing")
    before = world.snapshot()
    with_metric(monkeypatch, bumped(ROUGE_L.per_study))  # type: ignore[attr-defined]
    column = of(preview(world.shop), "tiny-knee.findings", "rouge_l")
    assert column.spearman == 1.0
    assert all(move.shift == 0.0 for move in column.moves)
    assert world.snapshot() == before


def test_a_table_that_the_record_was_not_made_from_is_not_used(
    scored: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(scored.root, tmp_path / "results")
    world = replace(scored, root=tmp_path / "results")
    for path in (world.root / "scores" / "good").glob("tiny-knee.findings.*.csv"):
        path.write_text(path.read_text().replace(",", ",1", 5))
    column = of(preview(world.shop, every=True), "tiny-knee.findings", "rouge_l")
    assert "good" not in [move.model for move in column.moves]
    assert column.n_lost == 1


def test_ranks_and_correlations_by_hand() -> None:
    # Higher is better. Before: a 0.4, b 0.3, c 0.2. After: a 0.1, b 0.3, c 0.2, so b, c, a.
    # Rank differences 2, -1, -1: Spearman 1 - 6 * 6 / (3 * 8) = -0.5. Pairs: ab and ac turn, bc stays: (1 - 2) / 3.
    def numbers(**values: float) -> dict[str, dict[str, dict[str, Value]]]:
        column = {model: Value(value=value, signature="s") for model, value in values.items()}
        return {"x.findings": {"bleu_2": column}}

    (column,) = set_against(numbers(a=0.4, b=0.3, c=0.2, gone=0.9), numbers(a=0.1, b=0.3, c=0.2))
    assert column.spearman == pytest.approx(-0.5)
    assert column.kendall == pytest.approx(-1 / 3)
    assert [(m.model, m.old_rank, m.new_rank) for m in column.moves] == [
        ("a", 1, 3),
        ("b", 2, 1),
        ("c", 3, 2),
    ]
    assert column.n_lost == 1
    (lone,) = set_against(numbers(a=0.4), numbers(a=0.1))
    assert lone.spearman is None


def test_the_command_prints_signatures_shifts_and_correlations(
    scored: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_metric(monkeypatch, bumped(lambda tables: ROUGE_L.per_study(tables) ** 2))  # type: ignore[attr-defined]
    home = scored.root.parent
    done = rexrank(home, "rescore", "--preview", "--results", str(scored.root), home=scored.state)
    assert done.returncode == 0, done.stderr
    assert "rouge_l@2|" in done.stdout
    assert "Spearman 1.000, Kendall 1.000" in done.stdout
    document = json.loads(
        rexrank(
            home, "rescore", "--preview", "--json", "--results", str(scored.root), home=scored.state
        ).stdout
    )
    assert {c["metric"] for c in document["columns"]} == {"rouge_l"}
    assert document["columns"][0]["moves"][0]["shift"] < 0
    assert rexrank(home, "rescore", "--results", str(scored.root)).returncode == 2


def test_records_are_set_against_those_of_a_commit(scored: World, tmp_path: Path) -> None:
    shutil.copytree(scored.root, tmp_path / "repository" / "results")
    git = Repository(tmp_path / "repository")
    git.git("init", "-q", "-b", "main")
    git.commit("records")
    assert rexrank(git.root, "rescore", "--since", "HEAD").stdout == "no number changes\n"
    path = git.results / "scores" / "poor" / "tiny-knee.findings.json"
    document = json.loads(path.read_text())
    document["estimates"][0]["value"] = 0.999
    path.write_text(json.dumps(document))
    done = json.loads(rexrank(git.root, "rescore", "--since", "HEAD", "--json").stdout)
    (column,) = done["columns"]
    assert column["moves"][0]["model"] == "poor"
    assert column["moves"][0]["new"] == 0.999
    assert "not a commit" in rexrank(git.root, "rescore", "--since", "nothing").stderr

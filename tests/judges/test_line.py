"""From `rexrank score` to the board and its page with every judge and RaTEScore, all with weights made here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scorer.cells
import scorer.scoring
from scorer.boards import build_board
from scorer.encoding.ratescore import missing_packages
from scorer.scoring import STATISTICS
from scorer.statistics import Bench
from tests.encoders.texts import reports
from tests.judges.conftest import endpoint_of, our_crimson, our_green, put_prompts
from tests.judges.proxy import Judge
from tests.judges.tiny import CRIMSON_SCRIPT, GREEN_SCRIPT
from tests.ratescore.tiny import make_ratescore
from tests.world import World, make_world, record_of, spoiled


class _Served(World):
    """The world with judges and weights on its bench."""

    @property
    def bench(self) -> Bench:
        return replace(super().bench, judges=_ENDPOINTS)


_ENDPOINTS: dict[str, Any] = {}


@pytest.fixture
def world(judge: Callable[..., Judge], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    ours = {"green": our_green(), "crimson": our_crimson()}
    statistics = tuple(ours.get(one.spec.id, one) for one in STATISTICS)
    monkeypatch.setattr(scorer.scoring, "STATISTICS", statistics)
    monkeypatch.setattr(scorer.cells, "STATISTICS", statistics)
    _ENDPOINTS["green"] = endpoint_of(judge(lambda body: "".join(GREEN_SCRIPT)).url)
    _ENDPOINTS["crimson"] = endpoint_of(judge(lambda body: "".join(CRIMSON_SCRIPT)).url)
    made = make_world(tmp_path)
    made = _Served(root=made.root, state=made.state, dataset=made.dataset, studies=made.studies)
    made.submit("good", spoiled(made.studies, 0.2))
    made.submit("poor", spoiled(made.studies, 0.9))
    put_prompts(made.bench.weights_dir)
    return made


def test_judged_metrics_reach_the_board_with_value_interval_and_identity(world: World) -> None:
    world.score(["good", "poor"])
    record = record_of(world, "good")
    values = {e["metric"]: e["value"] for e in record["estimates"]}  # type: ignore[attr-defined]
    assert values["green"] == pytest.approx(0.5)
    assert values["crimson"] == pytest.approx(2 / 3)
    assert values["green_unread"] == values["crimson_unread"] == 0.0
    weights: Any = record["weights"]
    assert len(weights["green@1"]) == len(weights["crimson@1"]) == 64
    board = build_board(world.shop, world.shop.card(world.dataset), "findings")
    assert board is not None
    shown = {row.model: row.cells["green"].estimate for row in board.rows if row.model in ("good", "poor")}
    assert all(estimate is not None and estimate.value == pytest.approx(0.5) for estimate in shown.values())


def test_a_judge_that_fails_leaves_its_own_metrics_without_a_number_and_no_other(
    world: World, judge: Callable[..., Judge]
) -> None:
    _ENDPOINTS["green"] = endpoint_of(judge(lambda body: "I would rather not.").url)
    world.score(["good"])
    record = record_of(world, "good")
    scored = {e["metric"] for e in record["estimates"]}  # type: ignore[attr-defined]
    missing: Any = record["missing"]
    assert "crimson" in scored
    assert "green" not in scored
    assert missing["green"].startswith("failed: green: unread answers (")
    assert not any(study.reference.findings in str(record) for study in world.studies)


def test_later_metrics_need_the_stored_table_and_no_judge(world: World) -> None:
    from scorer.metrics.green import GREEN

    world.score(["good"])
    path = world.root / "scores" / "good" / f"{world.dataset}.findings.green.csv"
    table = world.shop.results.read_table(path)
    assert table is not None
    columns = dict(zip(table.columns, table.values.T, strict=True))
    assert float(GREEN.finish(GREEN.terms({"green": columns}).sum(axis=0))) == pytest.approx(0.5)
    significant = np.column_stack([columns[name] for name in ("false_finding", "missing_finding")])
    assert (significant == [1, 2]).all()


def put_ratescore(world: World) -> None:
    """RaTEScore's encoders, made here; skips where they cannot run."""
    pytest.importorskip("torch", reason="needs the encoders extra")
    lack = missing_packages()
    if lack is not None:
        pytest.skip(f"needs {lack[0]}: {lack[1]}")
    texts = [study.reference.findings for study in world.studies]
    make_ratescore(world.bench.weights_dir, [*texts, *reports(20, seed=5)])


def test_ratescore_reaches_the_record(world: World) -> None:
    put_ratescore(world)
    world.score(["good"])
    estimates: Any = record_of(world, "good")["estimates"]
    values = {e["metric"]: e["value"] for e in estimates}
    assert 0 < values["ratescore"] <= 1
    assert 0 < values["ratescore_short"] <= 1


def test_what_an_encoder_found_stays_on_the_record_where_it_cannot_run(world: World) -> None:
    """Scored where the weights are, then again elsewhere: the numbers are carried, and what they stand on."""
    put_ratescore(world)
    world.score(["good"])
    first: Any = record_of(world, "good")
    assert 0 <= first["figures"]["ratescore_references_without_entities"] <= len(world.studies)
    shutil.rmtree(world.bench.weights_dir / "ratescore")
    (world.root / "scores" / "good" / f"{world.dataset}.findings.ratescore.csv").unlink()
    cell = next(one for one in world.shop.cells(["good"], [world.dataset]) if one.track == "findings")
    assert not world.shop.fill(cell, world.bench).problem
    second: Any = record_of(world, "good")
    assert second["estimates"] == first["estimates"]
    assert second["weights"] == first["weights"]
    assert second["figures"] == first["figures"]

"""The whole line on real texts: import, check, score, board. Nothing of it is kept in the repository."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.boards import build_board
from scorer.cells import Workshop
from scorer.cli import rexrank
from scorer.datasets import register
from scorer.metrics import METRICS
from scorer.probes import best_constant
from scorer.published import newest_edition, read_editions
from scorer.published.standing import models_below
from scorer.statistics import Bench
from scorer.text import TRACKS, Track


@dataclass
class Real:
    """The scored world."""

    root: Path
    state: Path

    @property
    def shop(self) -> Workshop:
        return Workshop(self.root, self.state)


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Real:
    folder = tmp_path_factory.mktemp("iu")
    root, state = folder / "results", folder / "state"
    register("iu-xray", shared / "data" / "iu_xray", state)
    run = CliRunner()
    for source in sorted((shared / "data" / "iu_xray" / "predictions").glob("*.jsonl")):
        home = root / "submissions" / source.stem
        home.mkdir(parents=True)
        card = f"id: {source.stem}\nname: {source.stem}\nowner: tester\ntracks: [findings, findings_impression]\n"
        (home / "submission.yaml").write_text(card)
        line = ["import", str(source), "--dataset", "iu-xray", "--model", source.stem, "--results", str(root)]
        result = run.invoke(rexrank, line)
        assert result.exit_code == 0, result.output
    checked = run.invoke(rexrank, ["check", "--results", str(root)], env={"REXRANK_HOME": str(state)})
    assert checked.exit_code == 0, checked.output
    shop = Workshop(root, state)
    bench = Bench(weights_dir=folder, cache_dir=folder)
    for cell in shop.cells(datasets=["iu-xray"]):
        assert not shop.fill(cell, bench).problem
    return Real(root=root, state=state)


def test_bleu_2_of_the_seven_sets_equals_the_recorded_means(real: Real, shared: Path) -> None:
    rows = csv.DictReader((shared / "data" / "iu_xray" / "expected_bleu_2.csv").read_text().splitlines())
    expected = {row["submission"]: float(row["bleu_2_mean"]) for row in rows}
    assert len(expected) == 7
    for model, mean in expected.items():
        record = real.shop.results.read_record(model, "iu-xray", "findings_impression")
        assert record is not None
        assert record.n == 590
        estimate = record.estimate("bleu_2")
        assert estimate is not None
        assert estimate.value == pytest.approx(mean, abs=1e-12)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.signature == "bleu_2@1|ngrams@1|text@1|iu-xray@1|findings_impression"


@pytest.mark.parametrize(
    ("track", "on_valid", "on_test"), [("findings", 0.2622, 0.2785), ("findings_impression", 0.2887, 0.2998)]
)
def test_the_constant_normal_probe_reproduces_the_known_figures(
    real: Real, track: Track, on_valid: float, on_test: float
) -> None:
    _, own = best_constant(real.shop.studies("iu-xray", "valid"), track)
    assert round(own, 4) == on_valid
    record = real.shop.results.read_record("probe-constant-normal", "iu-xray", track)
    assert record is not None
    estimate = record.estimate("bleu_2")
    assert estimate is not None
    assert round(estimate.value, 4) == on_test


def test_most_published_models_lie_below_the_constant_normal_probe_on_bleu_2(real: Real, root: Path) -> None:
    """The published findings track is taken to be scored against the findings section alone."""
    for track, expected in (("findings", (28, 30)), ("findings_impression", (8, 9))):
        record = real.shop.results.read_record("probe-constant-normal", "iu-xray", track)  # type: ignore[arg-type]
        assert record is not None
        estimate = record.estimate("bleu_2")
        assert estimate is not None
        newest = newest_edition(read_editions(root / "results"), "iu-xray", track)
        assert newest is not None
        assert models_below(newest, "iu-xray", track, "bleu_2", estimate.value) == expected


def test_the_ladder_is_separable_rung_by_rung_and_the_copy_is_told(real: Real) -> None:
    shop = real.shop
    for track in TRACKS:
        board = build_board(shop, shop.card("iu-xray"), track)
        assert board is not None
        rows = {row.model: row for row in board.rows}
        cells = [rows[model].cells["bleu_2"] for model in ("ladder-25", "ladder-50", "random-validation")]
        groups = [cell.group for cell in cells]
        assert None not in groups
        assert groups == sorted(set(groups)), groups  # type: ignore[type-var]
        for above, below in pairwise(cells):
            assert above.rank_high is not None
            assert below.rank_low is not None
            assert above.rank_high < below.rank_low
        told = [signal.id for signal in rows["reference-copy"].signals]
        assert "own-reference" in told


def test_records_of_real_texts_hold_no_text(real: Real) -> None:
    written = "".join(path.read_text() for path in (real.root / "scores").rglob("*.json"))
    for study in real.shop.studies("iu-xray", "test")[:50]:
        assert study.reference.findings not in written


def test_every_cpu_metric_has_an_estimate_on_both_tracks(real: Real) -> None:
    expected = {one.spec.id for one in METRICS if set(one.spec.needs) <= {"ngrams", "lcs"}}
    for track in TRACKS:
        record = real.shop.results.read_record("ladder-25", "iu-xray", track)
        assert record is not None
        assert {e.metric for e in record.estimates} == expected

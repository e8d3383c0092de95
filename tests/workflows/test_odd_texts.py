"""Texts that the gate accepts and no radiologist would write: every metric gives them a number, and in time."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli import rexrank
from scorer.datasets import load
from scorer.statistics import STATISTICS, Bench
from tests.intake.conftest import lines

ODD = [
    "",
    "  \n\t ",
    "...",
    "?! ;; --",
    "None",
    "NaN",
    "\u001b]8;;https://x\u0007 ::error::x",
    "=1+1",
    "</script><script>alert(1)</script>",
    "\u202eraelc era sgnul",
    "肺野清晰",
    "Легкие чистые",
    "\U0001f468\u200d\u2695\ufe0f",
    "e" + "\u0301" * 300,
    "word " * 3_900,
    "x" * 19_000,
    " " * 19_000 + "!",
    '("' * 9_000,
    "1." * 9_000,
    "no " * 3_900 + "effusion",
]


def test_every_odd_text_that_is_accepted_is_scored_by_every_metric_without_weights(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "submissions" / "odd"
    (folder / "predictions").mkdir(parents=True)
    (folder / "submission.yaml").write_text(
        "id: odd\nname: Odd\nowner: zoe\ntracks: [findings, findings_impression]\n"
    )
    rows = (
        {"study_id": study.id, "findings": ODD[n % len(ODD)], "impression": ODD[-1 - n % len(ODD)]}
        for n, study in enumerate(load("demo-cxr"))
    )
    (folder / "predictions" / "demo-cxr.jsonl").write_bytes(lines(rows))
    results = ["--results", str(tmp_path / "results")]
    assert CliRunner().invoke(rexrank, ["check", str(folder)]).exit_code == 0
    done = CliRunner().invoke(rexrank, ["score", "odd", *results])
    assert done.exit_code == 0, done.output
    for track in ("findings", "findings_impression"):
        record = json.loads((tmp_path / "results" / "scores" / "odd" / f"demo-cxr.{track}.json").read_text())
        assert {e["metric"] for e in record["estimates"]} >= {"bleu_2", "rouge_l"}
        assert not [reason for reason in record["missing"].values() if reason.startswith("failed")]
        assert record["n_empty"] >= 20 or track != "findings", "empty texts, and those of blanks alone"


@pytest.mark.parametrize("text", ["word ", "x", " ", '("', "1.", "no ", "a,b;"], ids=repr)
def test_the_time_of_scoring_grows_with_the_size_of_a_text_and_no_faster(tmp_path: Path, text: str) -> None:
    bench = Bench(weights_dir=tmp_path / "weights", cache_dir=tmp_path / "cache")
    able = [one for one in STATISTICS if one.missing(bench) is None]
    assert able

    def seconds(size: int) -> float:
        texts, references = [text * (size // len(text))] * 40, ["The lungs are clear. No effusion."] * 40
        start = time.process_time()
        for one in able:
            one.compute(texts, references, bench)
        return time.process_time() - start

    seconds(100)  # what is loaded once
    assert any(seconds(20_000) < 12 * max(seconds(2_000), 0.002) for _ in range(6))

"""`rexrank doctor` says what is missing, per metric, and the command that gets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scorer.cli import rexrank
from scorer.metrics import METRICS


def doctor(*arguments: str) -> str:
    result = CliRunner().invoke(rexrank, ["doctor", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def report() -> dict[str, Any]:
    return dict(json.loads(doctor("--json")))


@pytest.fixture
def extra() -> None:
    """Without the extra, its installation comes first and the weights are not spoken of."""
    for package in ("torch", "transformers", "safetensors"):
        pytest.importorskip(package, reason="needs the encoders extra")


@pytest.mark.usefixtures("extra")
def test_a_bare_machine_can_score_the_text_metrics_and_is_told_how_to_get_the_rest() -> None:
    rows = {row["metric"]: row for row in report()["metrics"]}
    assert list(rows) == [one.spec.id for one in METRICS]
    assert rows["bleu_2"] == {"metric": "bleu_2", "statistics": ["ngrams"], "is_ready": True, "missing": []}
    assert rows["semb_score"]["missing"] == [
        {
            "statistic": "chexbert",
            "what": "the weights of chexbert are not pinned in the lock yet",
            "command": "rexrank weights lock chexbert",
        }
    ]
    assert [lack["statistic"] for lack in rows["radcliq_v1"]["missing"]] == [
        "radgraph",
        "bertscore",
        "chexbert",
    ]


def test_with_every_weight_all_metrics_are_ready(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REXRANK_WEIGHTS", str(tiny))
    found = report()
    own = {"distilroberta_base", "chexbert", "radgraph", "radgraph_xl"}
    needed = {statistic for row in found["metrics"] if row["is_ready"] for statistic in row["statistics"]}
    assert {"bertscore", "chexbert", "radgraph", "radgraph_xl"} <= needed
    rows = {row["encoder"]: row for row in found["encoders"] if row["encoder"] in own}
    assert {row["state"] for row in rows.values()} == {"ready"}
    assert {row["lock"] for row in rows.values()} == {"this machine's own"}
    assert all(len(row["digest"]) == 64 for row in rows.values())


def test_a_damaged_file_is_said(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    shutil.copytree(tiny, tmp_path / "weights")
    (tmp_path / "weights" / "chexbert" / "chexbert.pth").write_bytes(b"cut off")
    monkeypatch.setenv("REXRANK_WEIGHTS", str(tmp_path / "weights"))
    found = report()
    assert {row["encoder"]: row["state"] for row in found["encoders"]}["chexbert"] == "wrong"
    lack = {row["metric"]: row for row in found["metrics"]}["semb_score"]["missing"][0]
    assert "chexbert.pth" in lack["what"]


@pytest.mark.usefixtures("extra")
def test_the_page_for_people_names_the_commands_and_the_datasets() -> None:
    shown = doctor()
    assert "rexrank weights lock chexbert" in shown
    assert "demo-cxr" in shown
    assert "CUDA devices:" in shown


@pytest.mark.usefixtures("extra")
def test_without_the_encoders_extra_the_extra_is_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from scorer.encoding import encoder

    real = encoder.importlib.util.find_spec
    monkeypatch.setattr(
        encoder.importlib.util, "find_spec", lambda name: None if name == "transformers" else real(name)
    )
    lack = {row["metric"]: row for row in report()["metrics"]}["bertscore"]["missing"][0]
    assert lack["what"] == "the Python packages transformers"
    assert lack["command"] == "pip install 'rexrank[encoders]'"

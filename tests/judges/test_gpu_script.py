"""The prepared GPU run of the judges works as a script, tried here on the processor with small networks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the encoders extra")
pytest.importorskip("transformers", reason="needs the encoders extra")

from benchmarks import gpu_judges


def test_the_script_times_both_judges_at_every_batch_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--device", "cpu", "--tiny", "--seconds", "0", "--batches", "1", "2"]
    gpu_judges.main([*words, "--json", str(tmp_path / "figures.json")])
    rows = json.loads((tmp_path / "figures.json").read_text())["rows"]
    asked = [(row["judge"], row["with"]) for row in rows]
    both = [f"transformers, batch {batch}" for batch in (1, 2)]
    assert asked == [(judge, how) for judge in ("green", "crimson") for how in both]
    assert all(row["tokens"] > 0 < row["of_floor"] for row in rows)
    printed = capsys.readouterr().out
    assert "20 tokens in, 10 out" in printed
    assert printed.count("transformers, batch") == len(rows)

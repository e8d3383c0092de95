"""The prepared GPU run works as a script, tried here on the CPU; on a GPU it is the real thing."""

from __future__ import annotations

import pytest

from benchmarks import gpu_encoders

torch = pytest.importorskip("torch", reason="needs the encoders extra")


def test_the_script_runs_and_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    for package in ("bert_score", "f1chexbert", "radgraph"):
        pytest.importorskip(package, reason="needs the reference packages")
    gpu_encoders.main(["--device", "cpu", "--reports", "12", "--package-reports", "3", "--tiny"])
    printed = capsys.readouterr().out
    for name in ("bertscore", "chexbert", "radgraph"):
        assert f"| {name}: the package |" in printed
        assert f"| {name}: batched, bf16 |" in printed
        assert f"| {name} | 0 | " in printed


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_gives_the_results_of_the_cpu() -> None:
    gpu_encoders.main(["--reports", "64", "--package-reports", "8"])

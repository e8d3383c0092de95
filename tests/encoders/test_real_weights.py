"""With the real, licensed weights in `REXRANK_WEIGHTS`: published values, and parity with the packages.

REXRANK_WEIGHTS=… python -m pytest -m weights tests/encoders/test_real_weights.py
"""

from __future__ import annotations

import ast
import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from scorer.metrics import metric
from scorer.statistics import statistic
from scorer.statistics.base import Bench
from scorer.types import Floats
from scorer.weights import missing
from tests.encoders import official
from tests.encoders.parity import PREDICTIONS, REFERENCES, check_bertscore, check_chexbert

FOLDER = os.environ.get("REXRANK_WEIGHTS", "")


@pytest.fixture
def real(tmp_path: Path) -> Bench:
    if not FOLDER:
        pytest.skip("set REXRANK_WEIGHTS to the folder with the real weights")
    return Bench(weights_dir=Path(FOLDER), cache_dir=tmp_path / "cache")


def needs(encoder: str, bench: Bench) -> Path:
    lack = missing(encoder, bench.weights_dir)
    if lack is not None:
        pytest.skip(f"{lack[0]}; to get it: {lack[1]}")
    return bench.weights_dir / encoder


def published_pairs() -> tuple[list[str], list[str]]:
    """The six (prediction, reference) pairs of radgraph 0.1.18's own check, read from the installed package."""
    spec = importlib.util.find_spec("radgraph")
    if spec is None or spec.origin is None:
        pytest.skip("needs the reference package")
    tree = ast.parse((Path(spec.origin).parent / "radgraph.py").read_text("utf-8"))
    found = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in {"hyps", "refs"}
        and isinstance(node.value, ast.List)
        and all(isinstance(element, ast.Constant) for element in node.value.elts)
    }
    assert len(found["hyps"]) == len(found["refs"]) == 6
    return found["hyps"], found["refs"]


def test_the_published_pairs_can_be_read_from_the_package() -> None:
    predictions, references = published_pairs()
    assert all(predictions)
    assert all(references)


@pytest.mark.weights
def test_radgraph_has_the_published_values_on_the_six_pairs(real: Bench) -> None:
    """Golden: radgraph repository, `tests/radgraph_test.py`, means of simple, partial and complete; 1e-12."""
    needs("radgraph", real)
    one = statistic("radgraph")
    values = one.compute(*published_pairs(), real).values
    tables = {"radgraph": dict(zip((column.name for column in one.spec.columns), values.T, strict=True))}
    expected = {
        "radgraph_simple": 0.6238095238095238,
        "radgraph_partial": 0.5111111111111111,
        "radgraph_complete": 0.5011204481792717,
    }
    for name, value in expected.items():
        found = metric(name).finish(metric(name).terms(tables).sum(axis=0))
        assert float(found) == pytest.approx(value, abs=1e-12)


@pytest.mark.weights
def test_bertscore_equals_the_package_on_the_real_weights(real: Bench, work: Path) -> None:
    folder = needs("distilroberta_base", real)
    check_bertscore(real, official.bertscore(folder, work, PREDICTIONS, REFERENCES))


@pytest.mark.weights
def test_chexbert_equals_the_package_on_the_real_weights(real: Bench, tmp_path: Path) -> None:
    one = official.Chexbert(needs("chexbert", real), tmp_path)
    encoded: dict[str, tuple[Floats, Floats]] = {
        "prediction": one.encode(PREDICTIONS),
        "reference": one.encode(REFERENCES),
    }
    assert np.isfinite(encoded["prediction"][0]).all()
    check_chexbert(real, encoded)

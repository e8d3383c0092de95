"""A world with RaTEScore's two encoders, small and random."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the encoders extra")
pytest.importorskip("transformers", reason="needs the encoders extra")

from scorer.encoding.ratescore import missing_packages
from scorer.statistics.base import Bench
from tests.encoders.texts import reports
from tests.ratescore.tiny import make_ratescore

TEXTS = reports(60, seed=5)


@pytest.fixture(scope="session")
def ratescore_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ratescore") / "weights"
    make_ratescore(folder, TEXTS)
    return folder


@pytest.fixture
def bench(ratescore_weights: Path, tmp_path: Path) -> Bench:
    return Bench(weights_dir=ratescore_weights, cache_dir=tmp_path / "cache")


@pytest.fixture(autouse=True, scope="session")
def needs_sentences() -> None:
    lack = missing_packages()
    if lack is not None:
        pytest.skip(f"needs {lack[0]}: {lack[1]}")

"""The tiny world of encoders: weights made once, a bench with a cache of its own per test."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the encoders extra")
pytest.importorskip("transformers", reason="needs the encoders extra")

from scorer.statistics.base import Bench
from tests.encoders.tiny import make_tiny_weights


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A weights folder with every encoder; tests do not change it."""
    folder = tmp_path_factory.mktemp("weights") / "weights"
    make_tiny_weights(folder)
    return folder


@pytest.fixture
def bench(tiny: Path, tmp_path: Path) -> Bench:
    return Bench(weights_dir=tiny, cache_dir=tmp_path / "cache")

"""The tiny world of encoders: weights made once, a bench with a cache of its own per test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scorer.statistics.base import Bench
from scorer.types import Floats
from tests.encoders import official, parity
from tests.encoders.texts import HARD, LONG, MANY_PIECES, reports
from tests.encoders.tiny import make_tiny_weights


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A weights folder with every encoder; tests do not change it."""
    for package in ("torch", "transformers", "safetensors"):
        pytest.importorskip(package, reason="needs the encoders extra")
    folder = tmp_path_factory.mktemp("weights") / "weights"
    make_tiny_weights(folder)
    return folder


@pytest.fixture
def bench(tiny: Path, tmp_path: Path) -> Bench:
    return Bench(weights_dir=tiny, cache_dir=tmp_path / "cache")


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reference packages find what they look for in the current folder."""
    return tmp_path_factory.mktemp("official")


@pytest.fixture(scope="session")
def official_bertscore(tiny: Path, work: Path) -> Floats:
    pytest.importorskip("bert_score", reason="needs the reference package")
    return official.bertscore(tiny / "distilroberta_base", work, parity.PREDICTIONS, parity.REFERENCES)


@pytest.fixture(scope="session")
def official_chexbert(tiny: Path, work: Path) -> official.Chexbert:
    pytest.importorskip("f1chexbert", reason="needs the reference package")
    return official.Chexbert(tiny / "chexbert", work)


@pytest.fixture(scope="session")
def chexbert_encodings(official_chexbert: official.Chexbert) -> dict[str, tuple[Floats, Floats]]:
    return {
        "prediction": official_chexbert.encode(parity.PREDICTIONS),
        "reference": official_chexbert.encode(parity.REFERENCES),
    }


@pytest.fixture(scope="session")
def official_radgraph(tiny: Path, work: Path) -> dict[str, dict[str, Any]]:
    """Encoder id -> text -> entities, one text at a time as the package does."""
    pytest.importorskip("radgraph", reason="needs the reference package")
    texts = (*(text for text in HARD if text != LONG), MANY_PIECES, *reports(12, seed=1))
    found = {}
    for encoder, kind in (("radgraph", "radgraph"), ("radgraph_xl", "radgraph-xl")):
        annotate = official.radgraph(tiny / encoder, work, kind)
        found[encoder] = {
            text: one["entities"] for text, one in zip(texts, annotate(texts).values(), strict=True)
        }
    return found

"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real texts and figures that are not part of the repository; tests that need them skip without them."""
    folder = Path(os.environ.get("REXRANK_SHARED") or ROOT.parent / "shared")
    if not (folder / "data" / "iu_xray").is_dir():
        pytest.skip("needs the shared folder with the IU X-ray files (set REXRANK_SHARED)")
    return folder


@pytest.fixture(autouse=True)
def private_homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the machine's own registrations, caches and weights."""
    monkeypatch.setenv("REXRANK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REXRANK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("REXRANK_WEIGHTS", raising=False)

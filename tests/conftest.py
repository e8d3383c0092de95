"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import shutil
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


FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
).split()


def missing(what: str) -> None:
    """Skips, or fails where a browser is required."""
    if os.environ.get("REXRANK_REQUIRE_BROWSER"):
        pytest.fail(f"{what} is needed here")
    pytest.skip(f"needs {what}")


@pytest.fixture(scope="session")
def base_url() -> str:
    """Every test names whole addresses."""
    return ""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """Debian's chromium, offline."""
    found = shutil.which("chromium")
    if not found:
        missing("chromium on the PATH")
    return {**browser_type_launch_args, "executable_path": found, "args": FLAGS}

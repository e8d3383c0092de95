from __future__ import annotations

from pathlib import Path

import pytest

from tests.snapshots.world import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A git repository with three records, committed."""
    return make_world(tmp_path / "repository")

"""`rexrank plan --cost` on a small world."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli import rexrank
from tests.world import make_world, spoiled


def test_plan_says_minutes_and_money_of_what_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(tmp_path)
    world.submit("good", spoiled(world.studies, 0.2))
    monkeypatch.setenv("REXRANK_HOME", str(world.state))
    result = CliRunner().invoke(rexrank, ["plan", "--cost", "--results", str(world.root)])
    assert result.exit_code == 0, result.output
    (line,) = [one for one in result.output.splitlines() if one.startswith("good · tiny-knee · findings:")]
    # six statistics on an A100: 250 s of starts in all, then 24 pairs at the rates of the packaged file
    seconds = 250 + 24 * (0.00064 + 0.00175 + 0.05298 + 2 * 0.15779 + 2.21)
    assert f"{seconds / 60:.1f} min on a100, {seconds / 3600 * 2:.2f} USD" in line
    assert "not known: crimson" in line
    assert "cells: at most" in result.output

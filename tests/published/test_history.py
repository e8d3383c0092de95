"""What changed between editions, and each model through time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.published import command
from scorer.errors import UsageError
from scorer.published import Edition
from scorer.published.history import Move, diff_editions, steps


def test_medversa_falls_within_five_days(editions: tuple[Edition, ...]) -> None:
    found = diff_editions(editions[2], editions[3])
    (board,) = found.boards
    assert (board.earlier, board.new, board.gone) == ("rexrank-repo-2024-11-04", (), ())
    changed = {c.later.metric: (c.old, c.new, round(c.new - c.old, 3)) for c in board.changes}
    assert changed["radcliq_v1"] == (0.833, 0.992, 0.159)
    assert changed["bertscore"] == (0.472, 0.431, -0.041)
    assert {c.later.model for c in board.changes} == {"MedVersa"}
    assert Move(model="MedVersa", metric="ratescore", old=1, new=4, n_old=16, n_new=16) in board.moves
    assert len(found.boards_gone) == 7


def test_each_board_is_compared_with_its_own_last_showing(editions: tuple[Edition, ...]) -> None:
    by_later = {step.later: step for step in steps(editions)}
    november = by_later["rexrank-repo-2024-11-26"]
    assert {board.board[0::2]: board.earlier[-10:] for board in november.boards}[
        "rexgradient", "findings"
    ] == "2024-11-09"
    assert sum(board.earlier.endswith("2024-11-04") for board in november.boards) == 7
    # 16 reciprocals that are not 1 / the score before, and MedVersa's GREEN.
    assert len(november.changes) == 17
    assert sum(change.is_converted for change in november.changes) == 16


def test_a_partial_edition_loses_no_model_and_ranks_none(editions: tuple[Edition, ...]) -> None:
    (partial,) = (step for step in steps(editions) if step.later == "rexrank-repo-2026-0b9b62e")
    for board in partial.boards:
        assert board.gone == board.moves == ()
        assert len(board.new) == 6
    assert {change.later.model for change in partial.changes} == {"UniRG-CXR"}
    newest = {board.board: board for board in steps(editions)[-1].boards}
    everywhere = newest["iu-xray", "test", "findings"]
    assert (len(everywhere.new), everywhere.gone) == (6, ("RadPhi3.5Vision",))
    # Five of the six stood in the partial edition already, and one that stood only there is gone again.
    partly = newest["mimic-cxr", "test", "findings"]
    assert partly.earlier == "rexrank-repo-2025-09-05"
    assert (partly.new, partly.gone) == (("CARE-X",), ("RadPhi3.5Vision", "RadPhi4VisionCXR"))


def test_the_diff_command_says_what_changed(root: Path) -> None:
    results = ["--results", str(root / "results")]
    ids = ["rexrank-repo-2024-11-04", "rexrank-repo-2024-11-09"]
    plain = CliRunner().invoke(command, ["diff", *ids, *results])
    assert plain.exit_code == 0
    assert "  MedVersa RadCliQ-v1: 0.833 then 0.992 (+0.159)" in plain.output
    assert "  MedVersa RaTEScore: rank 1 of 16 then 4 of 16" in plain.output
    as_json = json.loads(CliRunner().invoke(command, ["diff", *ids, *results, "--json"]).output)
    assert as_json["later"] == ids[1]
    assert len(as_json["boards"][0]["changes"]) == 7
    with pytest.raises(UsageError, match="no edition has that id; there are rexrank-repo-2024-07-22"):
        CliRunner().invoke(command, ["diff", "a", "b", *results], catch_exceptions=False)


def test_the_list_command_names_every_source(root: Path) -> None:
    listed = CliRunner().invoke(command, ["list", "--results", str(root / "results"), "--json"])
    found = json.loads(listed.output)
    assert [len(found), sum(source["figures"] for source in found)] == [13, 6334]
    plain = CliRunner().invoke(command, ["list", "--results", str(root / "results")])
    assert len(plain.output.splitlines()) == 13

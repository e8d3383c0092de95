"""`rexrank verify` and `rexrank cite` as a person or a workflow runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scorer.board import Cell
from tests.snapshots.world import World, board, cell, rexrank, row


def edit(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"0.5,", b"0.7,", 1))


def test_verify_proves_every_snapshot_and_exits_0(world: World) -> None:
    world.freeze("2026.1")
    world.freeze("2026.2")
    done = rexrank(world.root, "verify", "--results", "results")
    assert done.returncode == 0, done.stderr
    assert [line.split(" (")[0] for line in done.stdout.splitlines()] == ["2026.1: proved", "2026.2: proved"]


def test_verify_names_file_line_and_byte_and_exits_1(world: World) -> None:
    folder = world.freeze()
    world.freeze("2026.2")
    edit(folder / "board.csv")
    done = rexrank(world.root, "verify", "--results", "results")
    assert done.returncode == 1
    assert "2026.1: CHANGED" in done.stdout
    assert "2026.2: proved" in done.stdout
    assert "results/snapshots/2026.1/board.csv:2: byte " in done.stderr
    assert "is 0x37 ('7'), in commit " in done.stderr
    assert rexrank(world.root, "verify", "2026.2", "--results", "results").returncode == 0
    document = json.loads(rexrank(world.root, "verify", "2026.1", "--json", "--results", "results").stdout)
    assert document["ok"] is False
    problem = document["snapshots"][0]["problems"][0]
    assert (problem["path"], problem["line"]) == ("results/snapshots/2026.1/board.csv", 2)


def test_verify_in_a_cut_history_exits_3_with_the_command(world: World, tmp_path: Path) -> None:
    world.freeze()
    (world.root / "later").write_text("x")
    world.commit()
    shallow = World(tmp_path / "shallow")
    world.git("clone", "-q", "--depth", "1", world.root.as_uri(), str(shallow.root))
    done = rexrank(shallow.root, "verify", "--results", "results")
    assert done.returncode == 3
    assert "git fetch --unshallow --tags" in done.stderr


def test_verify_without_snapshots_says_so(world: World) -> None:
    done = rexrank(world.root, "verify", "--results", "results")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no snapshots yet" in done.stderr


def test_verify_of_a_version_that_never_was_fails(world: World) -> None:
    assert rexrank(world.root, "verify", "2031.1", "--results", "results").returncode == 1
    assert rexrank(world.root, "verify", "../x", "--results", "results").returncode == 2


@pytest.mark.parametrize(
    ("form", "start"),
    [("bibtex", "@misc{rexrank-2026-2,"), ("ris", "TY  - DATA"), ("csl", "["), ("cff", "cff-version: ")],
)
def test_cite_prints_the_newest_snapshot_by_default(world: World, form: str, start: str) -> None:
    world.freeze("2026.1")
    world.freeze("2026.2")
    done = rexrank(world.root, "cite", "--format", form, "--results", "results")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(start)
    assert "2026.2" in done.stdout


def test_cite_prints_a_row_with_its_number(world: World) -> None:
    world.freeze()
    done = rexrank(
        world.root,
        "cite",
        "2026.1",
        "--model",
        "alpha",
        "--board",
        "open-set.findings",
        "--results",
        "results",
    )
    assert done.returncode == 0, done.stderr
    assert "Overlap 0.500 (95" in done.stdout
    whole = rexrank(world.root, "cite", "--board", "open-set.findings", "--results", "results")
    assert "title = {{Open Set, findings. rexrank leaderboard, snapshot 2026.1}}" in whole.stdout


def test_cite_of_what_is_not_there_says_what_is(world: World) -> None:
    assert "no snapshot yet" in rexrank(world.root, "cite", "--results", "results").stderr
    world.freeze()
    done = rexrank(world.root, "cite", "2026.9", "--results", "results")
    assert done.returncode == 2
    assert "there are: 2026.1" in done.stderr
    done = rexrank(
        world.root, "cite", "--model", "nobody", "--board", "open-set.findings", "--results", "results"
    )
    assert "in 2026.1; boards: open-set.findings" in done.stderr
    assert "needs --board" in rexrank(world.root, "cite", "--model", "alpha", "--results", "results").stderr


def test_diff_prints_the_reasons(world: World) -> None:
    world.freeze("2026.1")
    world.freeze("2026.2")
    same = rexrank(world.root, "diff", "2026.1", "2026.2", "--results", "results")
    assert same.stdout.splitlines()[-1] == "nothing changed"
    changed = board([row("alpha", {"overlap": cell("overlap", 0.4, 1), "distance": Cell()}, label="Alpha")])
    world.freeze("2026.3", [changed])
    lines = rexrank(world.root, "diff", "2026.2", "2026.3", "--results", "results").stdout.splitlines()
    assert "  scored anew: Alpha overlap; 0.500 to 0.400; no recorded identity differs" in lines
    assert any(line.startswith("  withdrawn or gone: Beta; 0.250 to none; rank 2 to none") for line in lines)


def test_diff_of_published_editions_shows_a_figure_that_changed_within_days(root: Path) -> None:
    done = rexrank(root, "diff", "rexrank-repo-2024-11-04", "rexrank-repo-2024-11-09")
    assert done.returncode == 0, done.stderr
    assert "  other figure: MedVersa radcliq_v1; 0.833 to 0.992; no reason stated" in done.stdout.splitlines()
    mixed = rexrank(root, "diff", "2026.1", "rexrank-repo-2024-11-09")
    assert mixed.returncode == 2
    assert "cannot be compared" in mixed.stderr
    assert "editions: rexrank-repo-2024-07-22" in rexrank(root, "diff", "a", "b").stderr

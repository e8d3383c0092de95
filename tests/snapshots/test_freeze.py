"""Freezing: what forbids it, what it writes, and that the same inputs give the same bytes."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from scorer.board import Cell
from scorer.errors import InputError, UsageError
from scorer.snapshots import freeze
from scorer.snapshots.freeze import refusals, snapshot_files, snapshot_versions, write_snapshot
from scorer.snapshots.snapshot import read_snapshot
from scorer.snapshots.version import Version
from scorer.store import Results
from tests.snapshots.world import PUBLISHER, World, board, cell, make_world, record, row, signature, stored


def refused(world: World, version: str = "2026.1", **more: object) -> dict[str, str]:
    given = {"boards": [board()], **more}
    if "records" not in given:
        given["records"] = stored(Results(world.results))
    problems = refusals(Version.parse(version), repository=world.repository, results=world.results, **given)
    return {problem.code: problem.message for problem in problems}


def test_versions_order_by_year_and_number_and_have_one_spelling() -> None:
    assert Version.parse("2026.2") < Version.parse("2026.10") < Version.parse("2027.1")
    for wrong in ("2026", "2026.01", "v2026.1", "2026.0", "2026.1 ", "../2026.1", "2026.1.1", "1999.1", ""):
        with pytest.raises(UsageError, match="not a snapshot version"):
            Version.parse(wrong)


def test_nothing_forbids_freezing_a_clean_world(world: World) -> None:
    assert refused(world) == {}


def test_a_dirty_tree_is_refused_with_the_paths(world: World) -> None:
    (world.results / "scores" / "alpha" / "open-set.findings.json").write_text("{}")
    (world.root / "new file").write_text("x")
    message = refused(world, records=[])["dirty-tree"]
    assert "results/scores/alpha/open-set.findings.json" in message
    assert "new file" in message


def test_an_existing_and_a_lower_version_are_refused_also_when_only_a_tag_knows_them(world: World) -> None:
    world.freeze("2026.2")
    assert "already exists" in refused(world, "2026.2")["snapshot-version"]
    assert "lower than 2026.2" in refused(world, "2026.1")["snapshot-version"]
    assert refused(world, "2026.3") == {}
    world.git("tag", "snapshot-2027.1")
    assert "already exists" in refused(world, "2027.1")["snapshot-version"]


def test_stale_and_failed_cells_are_refused_and_missing_ones_are_not(world: World) -> None:
    stale = replace(cell("overlap", 0.5), state="stale", rank=None)
    rows = [
        row("alpha", {"overlap": stale, "distance": Cell(state="failed", reason="failed: bertscore")}),
        row("beta", {"overlap": cell("overlap", 0.4, 1), "distance": Cell()}),
    ]
    problems = refused(world, boards=[board(rows)])
    assert problems == {"stale-cells": "1 stale: alpha/overlap", "failed-cells": "1 failed: alpha/distance"}


def test_a_column_with_two_signatures_is_refused(world: World) -> None:
    other = signature("overlap", metric_version=2)
    rows = [
        row("alpha", {"overlap": cell("overlap", 0.5, 1), "distance": Cell()}),
        row("beta", {"overlap": cell("overlap", 0.4, 2, printed=other), "distance": Cell()}),
    ]
    assert other in refused(world, boards=[board(rows)])["mixed-signatures"]


def test_records_made_with_different_weights_or_references_are_refused(world: World) -> None:
    results = Results(world.results)
    results.write_record(record("alpha", weights={"words@1": "c" * 64}))
    results.write_record(record("beta", weights={"words@1": "c" * 64}))
    results.write_record(record("probe-constant", weights={"words@1": "d" * 64}))
    world.commit()
    assert "unlike the most: probe-constant" in refused(world)["mixed-weights"]
    results.write_record(record("probe-constant", digests={"references": "e" * 64}))
    world.commit()
    assert list(refused(world)) == ["mixed-references"]


def test_an_empty_board_is_refused(world: World) -> None:
    assert "nothing-to-freeze" in refused(world, boards=[])


def test_a_snapshot_holds_values_intervals_ranks_signatures_counts_digests_commit_and_versions(
    world: World,
) -> None:
    head = world.repository.head()
    folder = world.freeze()
    document = json.loads((folder / "snapshot.json").read_bytes())
    assert document["commit"] == head.id
    first = document["boards"][0]["rows"][0]["cells"]["overlap"]
    assert (first["value"], first["low"], first["high"]) == (0.5, 0.4, 0.6)
    assert (first["rank"], first["rank_low"], first["rank_high"], first["group"]) == (1, 1, 2, 1)
    assert (first["n"], first["signature"]) == (5, signature("overlap"))
    one = next(r for r in document["records"] if r["model"] == "alpha")
    assert one["digests"]["predictions"] == "a" * 64
    assert one["versions"]["numpy"] == "2.0.0"
    assert document["frozen_with"]["numpy"]
    assert document["boards"][0]["columns"][1]["high"] is None, "an unbounded range is null, not an infinity"


def test_the_date_is_the_day_of_the_commit_in_utc_not_of_the_clock(world: World) -> None:
    # The world's commits are of 2026-03-01 23:30 at -08:00, which is 2026-03-02 07:30 UTC.
    assert world.snapshot().date == "2026-03-02"


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    one, other = make_world(tmp_path / "a"), make_world(tmp_path / "b")
    first, second = (snapshot_files(w.snapshot(), PUBLISHER, {"index.html": b"x"}) for w in (one, other))
    assert first == second
    assert set(first) == {"snapshot.json", "board.csv", "CITATION.cff", "index.html", "SHA256SUMS"}


def test_snapshot_json_reads_back_without_loss_and_refuses_anything_else(world: World) -> None:
    snapshot = world.snapshot()
    data = snapshot.to_bytes()
    assert read_snapshot(data, "p") == snapshot
    document = json.loads(data)
    document["boards"][0]["rows"][0]["cells"]["overlap"]["value"] = "0.5x"
    document["more"] = 1
    with pytest.raises(InputError) as caught:
        read_snapshot(json.dumps(document).encode(), "results/snapshots/2026.1/snapshot.json")
    assert {p.field for p in caught.value.problems} >= {"more", "boards.0.rows.0.cells.overlap.value"}


def test_sha256sum_itself_accepts_the_sums(world: World) -> None:
    folder = world.freeze()
    done = subprocess.run(
        ["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_citation_cff_names_version_day_and_commit(world: World) -> None:
    head = world.repository.head()
    document = yaml.safe_load((world.freeze() / "CITATION.cff").read_text())
    assert document["version"] == "2026.1"
    assert document["date-released"] == "2026-03-02"
    assert document["commit"] == head.id
    assert document["url"] == "https://board.example/snapshots/2026.1/"


def test_a_failed_write_leaves_nothing_behind(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    files = snapshot_files(world.snapshot(), PUBLISHER, {})
    folder = world.results / "snapshots" / "2026.1"

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(freeze.os, "rename", full)
    with pytest.raises(OSError, match="No space"):
        write_snapshot(folder, files)
    assert list(folder.parent.iterdir()) == []
    assert snapshot_versions(world.results) == ()


def test_a_snapshot_is_never_written_over(world: World) -> None:
    folder = world.freeze()
    before = (folder / "snapshot.json").read_bytes()
    with pytest.raises(InputError, match="exists already"):
        write_snapshot(folder, {"snapshot.json": b"other"})
    assert (folder / "snapshot.json").read_bytes() == before
    assert [p.name for p in folder.parent.iterdir()] == ["2026.1"]


def test_a_snapshot_of_the_first_format_is_read_for_ever() -> None:
    """Golden: written by rexrank 0.1.0 from this test's world; a later field needs a default, or old files break."""
    data = (Path(__file__).parent / "golden" / "snapshot-1.json").read_bytes()
    snapshot = read_snapshot(data, "snapshot-1.json")
    found = snapshot.board("open-set", "findings")
    assert found is not None
    assert found.by_model["alpha"].cells["overlap"].value == 0.5
    assert [model.id for model in snapshot.models] == ["alpha", "beta", "probe-constant"]
    assert snapshot.records[0].digests["predictions"] == "a" * 64

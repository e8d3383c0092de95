"""`rexrank freeze` from a results folder to a proved snapshot, and the pages in it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from base64 import b64encode
from copy import copy
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet
import pytest

from scorer.board import Signal
from scorer.snapshots.snapshot import read_snapshot
from site_builder.frozen import frozen_pages
from tests.snapshots.world import PUBLISHER, Done, board, cell, rexrank, row
from tests.snapshots.world import World as Repository
from tests.world import make_world, spoiled


class Line:
    """A tiny results folder in a git repository, and the command on it."""

    def __init__(self, folder: Path) -> None:
        self.world = make_world(folder, release="texts")
        self.git = Repository(folder)
        for model, share in (("good", 0.1), ("poor", 0.6)):
            self.world.submit(model, spoiled(self.world.studies, share))
        self.world.score()
        (folder / ".gitignore").write_text("state/\n")
        self.git.git("init", "-q", "-b", "main")
        self.git.commit("records")

    def rexrank(self, *arguments: str) -> Done:
        return rexrank(self.git.root, *arguments, home=self.git.root / "state")

    def freeze(self, version: str) -> Path:
        done = self.rexrank("freeze", version)
        assert done.returncode == 0, done.stderr
        self.git.commit(version)
        return self.world.root / "snapshots" / version


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Line:
    return Line(tmp_path_factory.mktemp("line"))


@pytest.fixture
def line(scored: Line, tmp_path: Path) -> Line:
    """A copy of the scored world, so that it is scored once."""
    fresh = copy(scored)
    shutil.copytree(scored.git.root, tmp_path / "copy")
    fresh.git = Repository(tmp_path / "copy")
    fresh.world = replace(scored.world, root=fresh.git.root / "results", state=fresh.git.root / "state")
    return fresh


def test_two_snapshots_one_before_and_one_after_a_new_model_are_frozen_proved_and_diffed(line: Line) -> None:
    first = line.freeze("2026.1")
    line.world.submit("middle", spoiled(line.world.studies, 0.3))
    line.world.score()
    line.git.commit("a new model")
    line.freeze("2026.2")
    done = line.rexrank("verify")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("proved") == 2
    snapshot = read_snapshot((first / "snapshot.json").read_bytes(), "p")
    models = [r.model for b in snapshot.boards for r in b.rows if not r.is_probe]
    assert sorted(set(models)) == ["good", "poor"]
    (good,) = [r.cells["bleu_2"] for r in snapshot.boards[0].rows if r.model == "good"]
    assert (good.rank, good.rank_low) == (1, 1)
    assert good.low is not None
    diffed = json.loads(line.rexrank("diff", "2026.1", "2026.2", "--json").stdout)
    arrivals = [c for c in diffed["changes"] if c["kind"] == "new"]
    assert {(c["board"], c["model"]) for c in arrivals} == {
        ("tiny-knee.findings", "middle"),
        ("tiny-knee.findings_impression", "middle"),
    }


def test_a_withdrawn_model_leaves_the_next_snapshot_with_the_reason_and_stays_in_the_last(line: Line) -> None:
    first = line.freeze("2026.1")
    before = (first / "snapshot.json").read_bytes()
    card = line.world.root / "submissions" / "poor" / "submission.yaml"
    card.write_text(card.read_text() + "lifecycle: withdrawn\n")
    line.git.commit("poor is withdrawn")
    second = read_snapshot((line.freeze("2026.2") / "snapshot.json").read_bytes(), "p")
    assert (first / "snapshot.json").read_bytes() == before
    assert all("poor" not in board.by_model for board in second.boards)
    assert [m.lifecycle for m in second.models if m.id == "poor"] == ["withdrawn"]
    done = line.rexrank("diff", "2026.1", "2026.2")
    assert "withdrawn by its submission" in done.stdout


def test_a_number_that_nobody_scored_is_not_frozen(line: Line) -> None:
    path = line.world.root / "scores" / "poor" / "tiny-knee.findings.json"
    document = json.loads(path.read_text())
    document["estimates"][0]["value"] = 0.999
    path.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
    line.git.commit("a better score")
    done = line.rexrank("freeze", "2026.1")
    assert done.returncode == 1
    assert "is not what the per-study tables give" in done.stderr
    assert not (line.world.root / "snapshots").exists()


def test_freezing_twice_from_the_same_commit_gives_the_same_bytes(line: Line, tmp_path: Path) -> None:
    folder = line.world.root / "snapshots" / "2026.1"
    assert line.rexrank("freeze", "2026.1").returncode == 0
    first = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    shutil.rmtree(folder.parent)
    assert line.rexrank("freeze", "2026.1").returncode == 0
    assert {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()} == first


def test_freeze_refuses_uncommitted_changes_and_stale_cells_at_once_and_writes_nothing(line: Line) -> None:
    line.world.submit("good", spoiled(line.world.studies, 0.5))
    done = line.rexrank("freeze", "2026.1")
    assert done.returncode == 1
    assert "the tree differs from its commit" in done.stderr
    assert not (line.world.root / "snapshots").exists()
    line.git.commit("other predictions, not scored")
    done = line.rexrank("freeze", "2026.1")
    assert done.returncode == 1
    assert "tiny-knee.findings: good: stale (predictions changed)" in done.stderr
    assert not (line.world.root / "snapshots").exists()


def test_parquet_holds_every_cell_and_stays_outside_the_repository(line: Line, tmp_path: Path) -> None:
    inside = line.rexrank("freeze", "2026.1", "--parquet", "cells.parquet")
    assert inside.returncode == 2
    assert "inside the repository" in inside.stderr
    outside = tmp_path / "cells.parquet"
    assert line.rexrank("freeze", "2026.1", "--parquet", str(outside)).returncode == 0
    table = pyarrow.parquet.read_table(outside)
    snapshot = read_snapshot((line.world.root / "snapshots/2026.1/snapshot.json").read_bytes(), "p")
    assert table.num_rows == sum(len(b.rows) * len(b.columns) for b in snapshot.boards)
    assert str(table.schema.field("value").type) == "double"
    assert table.schema.metadata[b"version"] == b"2026.1"


def test_freeze_outside_git_is_a_usage_error(tmp_path: Path) -> None:
    make_world(tmp_path, release="texts")
    done = rexrank(tmp_path, "freeze", "2026.1")
    assert done.returncode == 2
    assert "not inside a git checkout" in done.stderr


class _Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


HOSTILE = "</script><img src=x onerror=alert(1)>\"'><svg/onload=alert(1)>"


def hostile_pages(world: Repository) -> dict[str, str]:
    signal = Signal(id="x", sentence=HOSTILE, value=1.0, threshold=0.5)
    rows = [
        row(
            "alpha",
            {"overlap": cell("overlap", 0.5, 1), "distance": cell("distance", -0.04, 1)},
            label=HOSTILE,
        ),
    ]
    rows = [replace(rows[0], signals=[signal])]
    snapshot = world.snapshot(boards=[board(rows)])
    models = [m.model_copy(update={"name": HOSTILE, "institutions": (HOSTILE,)}) for m in snapshot.models]
    snapshot = snapshot.model_copy(update={"models": tuple(models)})
    return {path: data.decode() for path, data in frozen_pages(snapshot, PUBLISHER).items()}


def test_a_frozen_page_runs_nothing_and_loads_nothing_but_the_newer_mark(world: Repository) -> None:
    pages = hostile_pages(world)
    assert set(pages) == {"index.html", "open-set.findings/index.html"}
    for path, html in pages.items():
        tags = _Tags(html).tags
        names = {name for name, _ in tags}
        assert not names & {"script", "link", "iframe", "object", "svg"} - {"link"}
        links = {attributes["rel"]: attributes["href"] or "" for name, attributes in tags if name == "link"}
        assert set(links) == {"canonical", "icon"}
        assert links["icon"] == "data:,", "no request for an icon"
        assert links["canonical"].startswith("https://board.example/snapshots/2026.1/")
        up = "../" * (path.count("/") + 1)
        assert [attributes["src"] for name, attributes in tags if name == "img"] == [f"{up}newer/2026.1.svg"]
        assert not [a for _, attributes in tags for a in attributes if a.startswith("on")]
        assert HOSTILE not in html
        style = re.search(r"<style>(.*?)</style>", html, re.S)
        assert style is not None
        digest = b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
        assert f"style-src 'sha256-{digest}'" in html.replace("&#39;", "'")


def test_a_frozen_board_shows_value_interval_rank_signature_and_an_anchor_per_row(world: Repository) -> None:
    snapshot = world.snapshot()
    html = frozen_pages(snapshot, PUBLISHER)["open-set.findings/index.html"].decode()
    assert '<tr id="alpha">' in html
    assert "0.500<small>0.400 to 0.600</small><small>rank 1 (1–2)</small>" in html
    assert "overlap@1|words@1|text@1|open-set@1|findings" in html
    assert "—<small>missing</small>" in html
    assert "lower is better" in html
    assert "https://board.example/snapshots/2026.1/open-set.findings/#alpha" in html

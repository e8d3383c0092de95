"""A small world to freeze: two models and a probe on one board, records on disk, a git repository."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from scorer.board import Board, BoardColumn, Cell, Row
from scorer.citing import Publisher
from scorer.cli import main
from scorer.snapshots.freeze import frozen_with, place, snapshot_files, write_snapshot
from scorer.snapshots.repository import Repository
from scorer.snapshots.snapshot import DatasetDocument, ModelDocument, Snapshot, Stored, compose_snapshot
from scorer.snapshots.version import Version
from scorer.store import Results
from scorer.types import Column, Estimate, MetricSpec, Record, StatisticSpec

PUBLISHER = Publisher(
    title="Leaderboard", authors=("The maintainers of a leaderboard",), url="https://board.example/"
)

WORDS = StatisticSpec(
    id="words",
    version=1,
    columns=(Column(name="words", unit="words"),),
    changes=((1, "2026-01-01", "first version"),),
)
OVERLAP = MetricSpec(
    id="overlap",
    version=1,
    label="Overlap",
    group="lexical",
    needs=("words",),
    low=0.0,
    high=1.0,
    better="higher",
    source="a test",
    changes=((1, "2026-01-01", "first version"),),
)
DISTANCE = MetricSpec(
    id="distance",
    version=1,
    label="Distance",
    group="composite",
    needs=("words",),
    low=float("-inf"),
    high=float("inf"),
    better="lower",
    source="a test",
    changes=((1, "2026-01-01", "first version"),),
)


def signature(
    metric: str, *, metric_version: int = 1, statistic_version: int = 1, dataset: str = "open-set@1"
) -> str:
    return f"{metric}@{metric_version}|words@{statistic_version}|text@1|{dataset}|findings"


def estimate(metric: str, value: float, *, n: int = 5, printed: str = "") -> Estimate:
    return Estimate(
        metric=metric,
        value=value,
        low=value - 0.1,
        high=value + 0.1,
        n=n,
        n_empty=0,
        signature=printed or signature(metric),
    )


def cell(
    metric: str, value: float, rank: int | None = None, group: int | None = 1, printed: str = ""
) -> Cell:
    return Cell(
        estimate=estimate(metric, value, printed=printed),
        state="current",
        rank=rank,
        rank_low=rank,
        rank_high=None if rank is None else rank + 1,
        group=None if rank is None else group,
    )


def row(model: str, cells: Mapping[str, Cell], *, label: str = "", is_probe: bool = False) -> Row:
    return Row(model=model, label=label or model, is_probe=is_probe, cells=cells, n=5, n_empty=0)


def board(
    rows: Sequence[Row] = (), *, overlap: MetricSpec = OVERLAP, signatures: Mapping[str, str] | None = None
) -> Board:
    """Two ranked models and a probe, unless rows are given."""
    printed = signatures or {}
    return Board(
        dataset="open-set",
        track="findings",
        n=5,
        n_patients=0,
        order="overlap",
        columns=[
            BoardColumn(
                spec=spec, signature=printed.get(spec.id, signature(spec.id)), top=("alpha",), method="sorted"
            )
            for spec in (overlap, DISTANCE)
        ],
        rows=rows
        or [
            row(
                "alpha",
                {"overlap": cell("overlap", 0.5, 1), "distance": cell("distance", 1.25, 1)},
                label="Alpha",
            ),
            row(
                "beta",
                {"overlap": cell("overlap", 0.25, 2), "distance": Cell(reason="unavailable")},
                label="Beta",
            ),
            row(
                "probe-constant",
                {"overlap": cell("overlap", 0.125), "distance": cell("distance", 2.0)},
                label="constant",
                is_probe=True,
            ),
        ],
        date="2026-02-03",
    )


def record(model: str, value: float = 0.5, **more: Mapping[str, str]) -> Record:
    given: dict[str, Mapping[str, str]] = {
        "digests": {"predictions": "a" * 64, "references": "b" * 64},
        "weights": {},
        "versions": {"rexrank": "0.1.0", "numpy": "2.0.0"},
    }
    return Record(
        model=model,
        dataset="open-set",
        track="findings",
        n=5,
        n_empty=0,
        estimates=(estimate("overlap", value),),
        seed=1,
        resamples=100,
        clusters="study",
        **{**given, **more},
    )


@dataclass(frozen=True)
class Done:
    """What a command gave."""

    returncode: int
    stdout: str
    stderr: str


def rexrank(folder: Path, *arguments: str, home: Path | None = None) -> Done:
    """`rexrank …` in a folder, in this process: exit code, results, talk."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr("sys.argv", ["rexrank", *arguments])
        if home is not None:
            patch.setenv("REXRANK_HOME", str(home))
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def stored(results: Results) -> list[Stored]:
    out = []
    for one in results.records():
        path = results.record_path(one.model, one.dataset, one.track)
        out.append(Stored(path=path.relative_to(results.root).as_posix(), data=path.read_bytes(), record=one))
    return out


@dataclass
class World:
    """A git repository with a results folder."""

    root: Path

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def repository(self) -> Repository:
        return Repository(self.results)

    def git(self, *arguments: str, date: str = "2026-03-01T23:30:00-0800") -> str:
        environment = {
            **os.environ,
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        done = subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
            cwd=self.root,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def snapshot(self, version: str = "2026.1", boards: Sequence[Board] = ()) -> Snapshot:
        head = self.repository.head()
        return compose_snapshot(
            version=version,
            date=head.date,
            commit=head.id,
            frozen_with=frozen_with(),
            metrics=(OVERLAP, DISTANCE),
            statistics=(WORDS,),
            datasets=[
                DatasetDocument(
                    id="open-set",
                    version=1,
                    name="Open Set",
                    release="texts",
                    licence="CC0-1.0",
                    source="invented",
                )
            ],
            models=[model_document("alpha"), model_document("beta"), model_document("probe-constant")],
            records=stored(Results(self.results)),
            boards=boards or [board()],
        )

    def freeze(self, version: str = "2026.1", boards: Sequence[Board] = ()) -> Path:
        """Freezes and commits."""
        folder = place(self.results, Version.parse(version))
        write_snapshot(
            folder, snapshot_files(self.snapshot(version, boards), PUBLISHER, {"index.html": b"<p>\n"})
        )
        self.commit(f"snapshot {version}")
        return folder


def model_document(id: str, **more: str) -> ModelDocument:
    given = {
        "version": "1",
        "date": "2026-02-03",
        "licence": "",
        "paper": "",
        "code": "",
        "lifecycle": "active",
        "supersedes": "",
    }
    return ModelDocument(
        id=id,
        name=id.title(),
        institutions=("An Institute",),
        is_probe=id.startswith("probe-"),
        **{**given, **more},
    )


def make_world(root: Path) -> World:
    world = World(root)
    root.mkdir(parents=True, exist_ok=True)
    results = Results(world.results)
    for model, value in (("alpha", 0.5), ("beta", 0.25), ("probe-constant", 0.125)):
        results.write_record(record(model, value))
    world.git("init", "-q", "-b", "main")
    world.commit("records")
    return world

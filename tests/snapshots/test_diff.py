"""Differences between two snapshots, and their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.board import Board, Cell
from scorer.errors import InputError
from scorer.snapshots.corrections import Correction, read_corrections
from scorer.snapshots.diff import Change, Difference, compare, timeline
from scorer.snapshots.snapshot import Snapshot, Stored, compose_snapshot
from scorer.types import MetricSpec, StatisticSpec
from tests.snapshots.world import (
    DISTANCE,
    OVERLAP,
    WORDS,
    board,
    cell,
    model_document,
    record,
    row,
    signature,
)

OVERLAP_2 = replace(
    OVERLAP,
    version=2,
    changes=((2, "2026-05-01", "a word counts once"), (1, "2026-01-01", "first version")),
)
WORDS_2 = replace(
    WORDS, version=2, changes=((2, "2026-05-02", "hyphens split words"), (1, "2026-01-01", "first version"))
)


def snapshot(
    version: str,
    boards: Sequence[Board],
    *,
    date: str = "2026-03-02",
    overlap: MetricSpec = OVERLAP,
    words: StatisticSpec = WORDS,
    records: Sequence[Stored] = (),
    lifecycles: dict[str, str] | None = None,
) -> Snapshot:
    return compose_snapshot(
        version=version,
        date=date,
        commit="0" * 40,
        frozen_with={},
        metrics=(overlap, DISTANCE),
        statistics=(words,),
        datasets=[],
        models=[model_document(m, lifecycle=state) for m, state in (lifecycles or {}).items()],
        records=records,
        boards=boards,
    )


def overlaps(*values: tuple[str, float, int], printed: str = "") -> Board:
    rows = [
        row(
            model,
            {"overlap": cell("overlap", value, rank, printed=printed), "distance": Cell()},
            label=model.title(),
        )
        for model, value, rank in values
    ]
    return board(rows, signatures={"overlap": printed} if printed else None)


def one(difference: Difference, kind: str) -> Change:
    (change,) = [c for c in difference.changes if c.kind == kind]
    return change


def test_two_equal_snapshots_differ_in_nothing() -> None:
    assert compare(snapshot("2026.1", [board()]), snapshot("2026.2", [board()])).changes == ()


def test_a_new_model_is_new_and_the_ranks_it_moved_say_so() -> None:
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1), ("beta", 0.25, 2))])
    new = snapshot("2026.2", [overlaps(("gamma", 0.75, 1), ("alpha", 0.5, 2), ("beta", 0.25, 3))])
    difference = compare(old, new)
    arrival = one(difference, "new")
    assert (arrival.model, arrival.metric, arrival.new_value, arrival.new_rank) == ("gamma", "", 0.75, 1)
    moved = {c.model: c for c in difference.of("moved")}
    assert {(m, c.old_rank, c.new_rank) for m, c in moved.items()} == {("alpha", 1, 2), ("beta", 2, 3)}
    assert moved["alpha"].reasons[0].words == "Gamma is new"
    assert moved["alpha"].shift == 0.0
    assert len(difference.changes) == 3


def test_a_withdrawn_model_leaves_the_board_with_its_reason_and_stays_in_the_old_snapshot() -> None:
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1), ("beta", 0.25, 2))])
    new = snapshot("2026.2", [overlaps(("beta", 0.25, 1))], lifecycles={"alpha": "withdrawn"})
    gone = one(compare(old, new), "withdrawn")
    assert (gone.model, gone.old_value, gone.old_rank, gone.new_value) == ("alpha", 0.5, 1, None)
    assert gone.reasons[0].words == "withdrawn by its submission"
    replaced = new.model_copy(
        update={
            "models": (
                model_document("alpha", lifecycle="superseded"),
                model_document("alpha-2", supersedes="alpha"),
            )
        }
    )
    assert one(compare(old, replaced), "withdrawn").reasons[0].words == "superseded by Alpha-2"
    assert one(compare(old, new), "moved").reasons[0].words == "Alpha left"
    board_then = old.board("open-set", "findings")
    assert board_then is not None
    assert "alpha" in [r.model for r in board_then.rows]


def test_a_metric_bump_is_the_reason_with_its_change_entry_and_nothing_is_subtracted() -> None:
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1))])
    printed = signature("overlap", metric_version=2)
    new = snapshot("2026.2", [overlaps(("alpha", 0.6, 1), printed=printed)], overlap=OVERLAP_2)
    change = one(compare(old, new), "rescored")
    assert change.reasons[0].kind == "metric"
    assert change.reasons[0].words == "overlap@1 became overlap@2 (2026-05-01: a word counts once)"
    assert not change.is_comparable
    assert change.shift is None


def test_a_statistic_bump_is_the_reason_with_its_change_entry() -> None:
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1))])
    printed = signature("overlap", statistic_version=2)
    new = snapshot("2026.2", [overlaps(("alpha", 0.6, 1), printed=printed)], words=WORDS_2)
    (reason,) = one(compare(old, new), "rescored").reasons
    assert (reason.kind, reason.words) == (
        "statistic",
        "words@1 became words@2 (2026-05-02: hyphens split words)",
    )


def test_a_new_dataset_version_is_the_reason() -> None:
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1))])
    new = snapshot(
        "2026.2", [overlaps(("alpha", 0.6, 1), printed=signature("overlap", dataset="open-set@2"))]
    )
    assert [r.words for r in one(compare(old, new), "rescored").reasons] == ["open-set@1 became open-set@2"]


def held(**more: dict[str, str]) -> list[Stored]:
    return [Stored(path="scores/alpha/open-set.findings.json", data=b"{}", record=record("alpha", **more))]


@pytest.mark.parametrize(
    ("more", "kind", "words"),
    [
        (
            {"digests": {"predictions": "c" * 64, "references": "b" * 64}},
            "submission",
            "other predictions were submitted",
        ),
        ({"digests": {"predictions": "a" * 64, "references": "c" * 64}}, "dataset", "the references differ"),
        ({"weights": {"words@1": "d" * 64}}, "weights", "words@1 was computed with other weights"),
        ({"versions": {"rexrank": "0.1.0", "numpy": "2.1.0"}}, "packages", "numpy 2.0.0 → 2.1.0"),
        ({}, "unexplained", "no recorded identity differs"),
    ],
)
def test_the_provenance_of_both_records_gives_the_reason(
    more: dict[str, dict[str, str]], kind: str, words: str
) -> None:
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1))], records=held())
    new = snapshot("2026.2", [overlaps(("alpha", 0.6, 1))], records=held(**more))
    change = one(compare(old, new), "rescored")
    assert [(r.kind, r.words) for r in change.reasons] == [(kind, words)]
    assert change.shift == pytest.approx(0.1)


def test_a_correction_between_the_two_days_is_a_reason_and_an_older_one_is_not() -> None:
    correction = Correction(
        date="2026-04-01",
        slug="alpha-checkpoint",
        kind="correction",
        model="alpha",
        dataset="open-set",
        what="The first run used an unfinished checkpoint.",
        reason="The submitters reported it.",
        decided_by="maintainers",
    )
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1))])
    new = snapshot("2026.2", [overlaps(("alpha", 0.6, 1))], date="2026-06-01")
    (reason,) = one(compare(old, new, [correction]), "rescored").reasons
    assert reason.kind == "correction"
    assert "unfinished checkpoint" in reason.words
    early = correction.model_copy(update={"date": "2026-03-02"})
    other = correction.model_copy(update={"dataset": "closed-set"})
    assert one(compare(old, new, [early, other]), "rescored").reasons[0].kind == "unexplained"


def test_a_new_metric_and_a_lost_number_are_told_apart_from_a_new_score() -> None:
    old = snapshot("2026.1", [overlaps(("alpha", 0.5, 1))])
    both = {"overlap": Cell(reason="failed: words"), "distance": cell("distance", 2.0, 1)}
    new = snapshot("2026.2", [board([row("alpha", both)])])
    changes = {c.metric: c for c in compare(old, new).changes}
    assert (changes["distance"].kind, changes["distance"].reasons[0].words) == ("new", "no number before")
    assert (changes["overlap"].kind, changes["overlap"].reasons[0].words) == ("withdrawn", "failed: words")


def test_a_board_that_is_there_only_once_is_new_or_gone_as_a_whole() -> None:
    other = replace(board(), dataset="closed-set")
    difference = compare(snapshot("2026.1", [board()]), snapshot("2026.2", [other]))
    assert {(c.board, c.kind) for c in difference.changes} == {
        ("closed-set.findings", "new"),
        ("open-set.findings", "withdrawn"),
    }


def test_a_timeline_follows_one_model_through_the_snapshots() -> None:
    first = snapshot("2026.1", [overlaps(("alpha", 0.5, 1))])
    second = snapshot("2026.2", [overlaps(("beta", 0.9, 1), ("alpha", 0.6, 2))], date="2026-06-01")
    moments = timeline([first, second], "alpha")
    assert [(m.version, m.metric, m.cell.value, m.cell.rank) for m in moments] == [
        ("2026.1", "overlap", 0.5, 1),
        ("2026.2", "overlap", 0.6, 2),
    ]
    assert timeline([first], "beta") == ()


GOOD = """\
kind: dispute
model: alpha
dataset: open-set
snapshots: ["2026.1"]
what: "The published figure differs from the paper's: 0.5 against 0.6."
reason: The paper used another split.
decided_by: maintainers
outcome: rejected
"""


def write(results: Path, name: str, text: str) -> None:
    path = results / "corrections" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_corrections_are_read_with_day_and_slug_from_the_file_name(tmp_path: Path) -> None:
    assert read_corrections(tmp_path) == ()
    write(tmp_path, "2026-04-01-alpha-split.yaml", GOOD)
    (found,) = read_corrections(tmp_path)
    assert (found.date, found.slug, found.kind, found.snapshots) == (
        "2026-04-01",
        "alpha-split",
        "dispute",
        ("2026.1",),
    )
    assert found.concerns("alpha", "open-set.findings")
    assert not found.concerns("alpha", "open-set-2.findings")


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("2026-02-31-x1.yaml", GOOD, "file-name"),
        ("notes.yaml", GOOD, "file-name"),
        ("2026-04-01-x1.yaml", GOOD + "modell: beta\n", "unknown-key"),
        ("2026-04-01-x1.yaml", GOOD.replace("maintainers", "Jo Doe"), "literal-error"),
        ("2026-04-01-x1.yaml", GOOD.replace("model: alpha\n", ""), "missing"),
        ("2026-04-01-x1.yaml", GOOD + "model: beta\n", "duplicate-key"),
        ("2026-04-01-x1.yaml", GOOD + "date: 2026-01-01\n", "unknown-key"),
        ("2026-04-01-x1.yaml", "- a\n", "not-a-mapping"),
        ("2026-04-01-x1.yaml", "!!python/object/apply:os.getcwd []\n", "yaml-tag"),
        ("2026-04-01-x1.yaml", GOOD.replace("2026.1", "2026"), "string-pattern-mismatch"),
        ("2026-04-01-x1.yaml", GOOD.replace("another split", "another\u202e split"), "invisible-characters"),
        ("2026-04-01-x1.yaml", "a: " + "[" * 20 + "]" * 20, "too-deep"),
        ("2026-04-01-x1.yaml", "#" * 200000, "too-large"),
    ],
)
def test_a_wrong_correction_is_refused_with_its_place(
    tmp_path: Path, name: str, text: str, code: str
) -> None:
    write(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        read_corrections(tmp_path)
    problem = caught.value.problems[0]
    assert problem.code == code
    assert name in problem.path

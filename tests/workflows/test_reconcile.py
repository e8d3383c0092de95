"""plan -> score -> record: repeated, killed, raced and lied to, main ends up with the same bytes or none."""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.checking.artifact import Artifact, read_artifact, write_artifact
from scorer.checking.states import read_states
from scorer.cli import rexrank
from scorer.errors import InputError
from scorer.guard import limits
from scorer.reconcile import Plan, make_plan, pack, read_plan, take_in, write_plan
from tests.world import World, make_world, record_of, spoiled

NOW = 1_800_000_000.0


@pytest.fixture
def main(tmp_path: Path) -> World:
    """Main: two submissions, nothing scored, no references (they are on the scoring machine)."""
    made = make_world(tmp_path / "main")
    made.submit("good", spoiled(made.studies, 0.2))
    made.submit("poor", spoiled(made.studies, 0.9))
    return made


def scored(main: World, tmp_path: Path, name: str = "machine") -> World:
    """The scoring machine: main's content, the references, everything scored."""
    folder = tmp_path / name
    shutil.copytree(main.root, folder / "results")
    machine = dataclasses.replace(main, root=folder / "results")
    machine.score(["good", "poor"])
    return machine


def planned(world: World) -> Plan:
    shop = world.shop
    plan = make_plan(shop, git=None, commit="", now=NOW)
    return plan.model_copy(update={"cells": tuple(c for c in plan.cells if c.dataset == world.dataset)})


def artifact_of(machine: World, plan: Plan) -> Artifact:
    return pack(machine.shop, [(c.model, c.dataset, c.track) for c in plan.cells], [], plan.commit)


def taken(main: World, artifact: Artifact | None, plan: Plan, **how: Any) -> list[str]:
    """Files that record wrote, relative to the results."""
    found = take_in(artifact, plan, main.shop, "scores.json", **how)
    return sorted(str(path.relative_to(main.root)) for path in found.written)


def models(world: World) -> list[str]:
    return sorted({c.model for c in planned(world).cells if not c.model.startswith("probe")})


def test_main_gets_the_numbers_of_the_scoring_machine(main: World, tmp_path: Path) -> None:
    plan = planned(main)
    assert models(main) == ["good", "poor"]
    machine = scored(main, tmp_path)
    taken(main, artifact_of(machine, plan), plan)
    for model in ("good", "poor"):
        for track in ("findings", "findings_impression"):
            mine, theirs = record_of(main, model, track), record_of(machine, model, track)
            assert {**mine, "missing": 0} == {**theirs, "missing": 0}
            assert dict(mine["missing"]).keys() == dict(theirs["missing"]).keys()  # type: ignore[call-overload]
    tables = {
        name: data
        for name, data in machine.snapshot().items()
        if name.endswith(".csv") and "probe" not in name
    }
    assert tables
    assert {name: main.snapshot()[name] for name in tables} == tables
    assert models(main) == [], "nothing is left to do"


def test_doing_it_again_changes_nothing(main: World, tmp_path: Path) -> None:
    plan = planned(main)
    artifact = artifact_of(scored(main, tmp_path), plan)
    assert taken(main, artifact, plan)
    before = main.snapshot()
    assert taken(main, artifact, plan) == []
    again = artifact_of(scored(main, tmp_path, "another"), plan)
    assert write_artifact(again) == write_artifact(artifact), "a run after a kill makes the same bytes"
    assert main.snapshot() == before


def test_two_merged_at_once_are_both_planned_and_either_order_gives_the_same_bytes(
    main: World, tmp_path: Path
) -> None:
    plan = planned(main)
    machine = scored(main, tmp_path)
    halves = [
        pack(machine.shop, [(c.model, c.dataset, c.track) for c in plan.cells if c.model == model], [], "")
        for model in ("good", "poor")
    ]
    other = tmp_path / "other"
    shutil.copytree(main.root, other / "results")
    second = dataclasses.replace(main, root=other / "results")
    for world, order in ((main, halves), (second, halves[::-1])):
        for half in order:
            taken(world, half, Plan())
    assert main.snapshot() == second.snapshot()


def test_the_key_of_work_changes_with_what_decides_the_numbers_and_with_nothing_else(main: World) -> None:
    before = {(c.model, c.track): c.key for c in planned(main).cells}
    assert len(set(before.values())) == len(before)
    card = main.root / "submissions" / "good" / "submission.yaml"
    card.write_text(card.read_text() + "notes: hello\n")
    assert {(c.model, c.track): c.key for c in planned(main).cells} == before
    main.submit("good", spoiled(main.studies, 0.3))
    after = {(c.model, c.track): c.key for c in planned(main).cells}
    assert {key for key in before if before[key] != after[key]} == {
        ("good", "findings"),
        ("good", "findings_impression"),
    }


def test_a_job_that_dies_leaves_a_visible_state_without_any_text(main: World) -> None:
    plan = planned(main)
    written = taken(main, None, plan)
    assert written == sorted(
        f"scores/{c.model}/{c.dataset}.{c.track}.state.json"
        for c in plan.cells
        if not c.model.startswith("probe")
    )
    states = list(read_states(main.root))
    assert {s.state for s in states} == {"failed"}
    assert states[0].sentence == (
        "scoring failed (scoring: The job ended without a result); it is tried again with the next run"
    )
    assert models(main) == [], "not planned again by itself"
    retry = make_plan(main.shop, git=None, commit="", now=NOW, retry_failed=True)
    assert {"good", "poor"} <= {c.model for c in retry.cells}


def test_a_state_goes_when_its_record_comes(main: World, tmp_path: Path) -> None:
    plan = planned(main)
    taken(main, None, plan)
    taken(main, artifact_of(scored(main, tmp_path), plan), plan)
    assert list(read_states(main.root)) == []
    assert not [name for name in main.snapshot() if "state" in name]


def test_new_predictions_are_planned_although_the_old_ones_failed(main: World) -> None:
    taken(main, None, planned(main))
    main.submit("good", spoiled(main.studies, 0.3))
    assert models(main) == ["good"]


def test_a_cell_that_changed_meanwhile_is_dropped_and_the_rest_is_kept(main: World, tmp_path: Path) -> None:
    plan = planned(main)
    artifact = artifact_of(scored(main, tmp_path), plan)
    main.submit("good", spoiled(main.studies, 0.3))
    found = take_in(artifact, plan, main.shop, "scores.json", is_moved=True)
    assert {key[0] for key in found.dropped} == {"good"}
    assert {name.split("/")[0] for name in main.snapshot()} == {"poor"}
    assert models(main) == ["good"]


SECRET = "canary text that nobody must see"


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Sets a place of the artifact, `records.0.n`."""

    def act(document: dict[str, Any]) -> None:
        *parts, last = [int(p) if p.isdigit() else p for p in path.split(".")]
        place: Any = document
        for part in parts:
            place = place[part]
        place[last] = value(place[last]) if callable(value) else value

    return act


LIES: list[tuple[str, Callable[[dict[str, Any]], None]]] = [
    ("extra key at the top", change("text", SECRET)),
    ("extra key in a record", change("records.0.notes", SECRET)),
    ("text for a number", change("records.0.values.bleu_2.0", SECRET)),
    ("number as text", change("records.0.values.bleu_2.0", "0.5")),
    ("text for a count", change("records.0.n", SECRET)),
    ("a float for a count", change("records.0.n", 3.5)),
    ("other slug", change("records.0.model", "nobody")),
    ("path in a slug", change("records.0.model", "../good")),
    ("other dataset", change("records.0.dataset", "demo-cxr")),
    ("unknown dataset", change("records.0.dataset", "nowhere")),
    ("other track", change("records.0.track", "impression")),
    ("text as a metric", change("records.0.values", {SECRET: [0.5, 0.4, 0.6]})),
    ("unknown metric", change("records.0.values", {"invented": [0.5, 0.4, 0.6]})),
    ("outside its range", change("records.0.values.bleu_2", [1.5, 1.4, 1.6])),
    ("bounds the wrong way", change("records.0.values.bleu_2", [0.5, 0.6, 0.4])),
    ("one bound", change("records.0.values.bleu_2", [0.5, None, 0.6])),
    ("more studies than there are", change("records.0.n", 10_000)),
    ("fewer studies", change("records.0.n", 3)),
    ("more empties than studies", change("records.0.n_empty", 10_000)),
    ("another seed", change("records.0.seed", 7)),
    ("other predictions", change("records.0.digests.submitted", "0" * 64)),
    ("no digest", change("records.0.digests", {})),
    ("text for a digest", change("records.0.digests.predictions", SECRET)),
    ("text as a digest's name", change("records.0.digests", {SECRET: "0" * 64})),
    ("text as a version", change("records.0.versions", {"rexrank": SECRET})),
    ("unknown package", change("records.0.versions", {"secret": "1.0"})),
    ("text as a reason", change("records.0.missing", {"bleu_4": SECRET})),
    (
        "text as a kind",
        change(
            "records.0.missing", {"x": {"why": "failed", "statistic": "x", "kind": SECRET + "!", "count": 1}}
        ),
    ),
    ("text as a figure's name", change("records.0.figures", {SECRET: 1.0})),
    ("a figure that is no count", change("records.0.figures", {"own_reference": 0.5})),
    ("a cell twice", change("records", lambda records: [*records, records[0]])),
    ("text as a study", change("tables.0.study_ids.0", SECRET)),
    ("text as a cell of a table", change("tables.0.values.0.0", SECRET)),
    ("rows missing", change("tables.0.values", lambda rows: rows[1:])),
    ("a table's value outside its range", change("tables.0.values.0.0", -5.0)),
    ("unknown statistic", change("tables.0.statistic", "invented")),
    ("another version", change("tables.0.version", 99)),
    ("table without a record", change("records", [])),
    (
        "state about other predictions",
        change(
            "states",
            [
                {
                    "form": 1,
                    "model": "good",
                    "dataset": "tiny-knee",
                    "track": "findings",
                    "state": "failed",
                    "stage": "scoring",
                    "kind": "ValueError",
                    "count": 1,
                    "submitted": "0" * 64,
                }
            ],
        ),
    ),
    (
        "state with text",
        change(
            "states",
            [
                {
                    "form": 1,
                    "model": "good",
                    "dataset": "tiny-knee",
                    "track": "findings",
                    "state": "failed",
                    "stage": "scoring",
                    "kind": SECRET + "?",
                    "count": 1,
                    "submitted": "",
                }
            ],
        ),
    ),
    (
        "pairs of an open dataset",
        change("pairs", [{"dataset": "tiny-knee", "track": "findings", "columns": {}}]),
    ),
    ("figures without their tables", change("tables", [])),
    ("a figure that its table does not give", change("records.0.values.bleu_2", [0.5, 0.4, 0.6])),
    ("a value far outside its interval", change("records.0.values.bleu_2", lambda v: [v[0], 0.0, 0.001])),
    ("other form", change("form", 2)),
]


@pytest.mark.parametrize("lie", [lie for _, lie in LIES], ids=[name for name, _ in LIES])
def test_a_forged_artifact_is_refused_whole_and_says_no_value(
    main: World, tmp_path: Path, lie: Callable[[dict[str, Any]], None]
) -> None:
    plan = planned(main)
    document = json.loads(write_artifact(artifact_of(scored(main, tmp_path), plan)))
    before = main.snapshot()
    lie(document)
    with pytest.raises(InputError) as caught:
        take_in(read_artifact(json.dumps(document).encode(), "scores.json"), plan, main.shop, "scores.json")
    assert main.snapshot() == before
    assert "canary" not in str(caught.value)
    assert "invented" not in str(caught.value)


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        (change("tables", []), "bleu_2 comes without its per-study table"),
        (change("records.0.values.bleu_2", [1.5, 1.4, 1.6]), "bleu_2: outside its range"),
        (change("records.0.values.bleu_2", [0.5, 0.4, 0.6]), "bleu_2 is not what its per-study table gives"),
        (
            change("records.0.values.bleu_2", lambda v: [v[0], 0.0, 0.001]),
            "bleu_2: a value far outside its own interval",
        ),
    ],
)
def test_a_number_that_nothing_bears_out_is_named_by_its_metric(
    main: World, tmp_path: Path, lie: Callable[[dict[str, Any]], None], words: str
) -> None:
    plan = planned(main)
    document = json.loads(write_artifact(artifact_of(scored(main, tmp_path), plan)))
    lie(document)
    with pytest.raises(InputError, match=words):
        take_in(read_artifact(json.dumps(document).encode(), "x"), plan, main.shop, "x")


BYTES: list[tuple[str, bytes, str]] = [
    ("NaN", b'{"form": NaN}', "ValueError"),
    ("infinity", b'{"form": 1e999, "commit": ""}', "not in the form"),
    ("duplicate key", b'{"form": 1, "form": 1}', "ValueError"),
    ("deep", b'{"form": ' + b"[" * 100_000, "RecursionError"),
    ("not JSON", b"PK\x03\x04", "not in the form"),
    ("pickle", b"\x80\x04x", "not UTF-8"),
    ("empty", b"", "not in the form"),
    ("list", b"[]", "not in the form"),
    ("mark", b"\xef\xbb\xbf{}", "byte order mark"),
    ("lists of nothing", b'{"records": [' + b"[]," * 600_000 + b"[]]}", "more values than scores can have"),
    ("numbers", b'{"records": [' + b"1," * 5_000_000 + b"1]}", "more values than scores can have"),
    (
        "keys",
        b"{" + b",".join(b'"k%d":1' % n for n in range(600_000)) + b"}",
        "more values than scores can have",
    ),
    ("keys of one object", b"{" + b",".join(b'"k%d":1' % n for n in range(2_000)) + b"}", "ValueError"),
]


@pytest.mark.parametrize(("data", "words"), [b[1:] for b in BYTES], ids=[b[0] for b in BYTES])
def test_bytes_that_are_no_artifact_are_refused(data: bytes, words: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError, match=words):
        read_artifact(data, "scores.json")
    assert time.process_time() - start < 3


def test_many_wrong_records_are_one_problem_and_not_a_million() -> None:
    """Reading ends at the first of a list that is none."""
    with pytest.raises(InputError) as caught:
        read_artifact(b'{"form": 1, "commit": "", "records": [' + b"1," * 400_000 + b"1]}", "scores.json")
    assert len(caught.value.problems) < 10


def test_an_artifact_of_100_mb_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    (tmp_path / "scores.json").write_bytes(b"[" * 100_000_000)
    result = CliRunner().invoke(rexrank, ["record", "--artifact", str(tmp_path / "scores.json")])
    assert f"over the limit ({limits.in_mib(limits.ARTIFACT_BYTES)})" in str(result.exception)


def test_a_plan_that_was_tampered_with_is_refused() -> None:
    plan = json.loads(write_plan(Plan()))
    for change_of in ({"cells": ["x"]}, {"commit": "main; rm"}, {"more": 1}, {"cells": [{"model": "../x"}]}):
        with pytest.raises(InputError, match="is not a plan"):
            read_plan(json.dumps({**plan, **change_of}).encode(), "plan.json")


def test_a_closed_dataset_hands_over_no_table(tmp_path: Path) -> None:
    closed = make_world(tmp_path / "closed", access="credentialed", release="aggregate", n=40)
    closed.submit("good", spoiled(closed.studies, 0.2))
    plan = planned(closed)
    closed.score(["good"])
    artifact = artifact_of(closed, plan)
    assert artifact.records
    assert artifact.tables == ()
    document = json.loads(write_artifact(artifact))
    table = {
        "model": "good",
        "dataset": closed.dataset,
        "track": "findings",
        "statistic": "lcs",
        "version": 1,
    }
    table |= {
        "study_ids": ["a"],
        "values": [[1.0, 1.0, 1.0]],
        "inputs": "",
        "weights_digest": "",
        "n_truncated": 0,
    }
    document["tables"] = [table]
    with pytest.raises(InputError, match="per-study numbers of a closed dataset never leave"):
        take_in(read_artifact(json.dumps(document).encode(), "x"), plan, closed.shop, "x")


class Verbs:
    """The three verbs as the jobs run them."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
        self.folder = folder
        monkeypatch.setenv("REXRANK_HOME", str(state))

    def __call__(self, *arguments: object) -> Result:
        return CliRunner().invoke(rexrank, [str(one) for one in arguments])


@pytest.fixture
def verbs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, main: World) -> Verbs:
    return Verbs(tmp_path, monkeypatch, main.state)


def test_the_verbs_do_it_together(main: World, verbs: Verbs, tmp_path: Path) -> None:
    plan, scores, output = tmp_path / "plan.json", tmp_path / "scores.json", tmp_path / "output"
    result = verbs("plan", "--results", main.root, "--output", plan, "--workflow-output", output)
    assert result.exit_code == 0, result.output
    assert "work=true\n" in output.read_text()
    before = main.snapshot()
    machine = tmp_path / "machine"
    shutil.copytree(main.root, machine)
    result = verbs("score", "--results", machine, "--plan", plan, "--artifact", scores)
    assert result.exit_code == 0, result.output
    assert main.snapshot() == before
    result = verbs("record", "--results", main.root, "--plan", plan, "--artifact", scores)
    assert result.exit_code == 0, result.output
    assert {"good", "poor"} <= {name.split("/")[0] for name in main.snapshot()}
    result = verbs("plan", "--results", main.root, "--json")
    assert json.loads(result.stdout)["cells"] == []


def test_scoring_does_only_what_is_planned(main: World, verbs: Verbs, tmp_path: Path) -> None:
    plan = planned(main)
    only_good = plan.model_copy(update={"cells": tuple(c for c in plan.cells if c.model == "good")})
    (tmp_path / "plan.json").write_bytes(write_plan(only_good))
    verbs(
        "score",
        "--results",
        main.root,
        "--plan",
        tmp_path / "plan.json",
        "--artifact",
        tmp_path / "scores.json",
    )
    artifact = read_artifact((tmp_path / "scores.json").read_bytes(), "x")
    assert {r.model for r in artifact.records if not r.model.startswith("probe")} == {"good"}


def test_an_artifact_of_another_commit_is_refused(main: World, verbs: Verbs, tmp_path: Path) -> None:
    plan = planned(main)
    artifact = artifact_of(scored(main, tmp_path), plan).model_copy(update={"commit": "1" * 40})
    (tmp_path / "scores.json").write_bytes(write_artifact(artifact))
    (tmp_path / "plan.json").write_bytes(write_plan(plan.model_copy(update={"commit": "2" * 40})))
    result = verbs(
        "record",
        "--results",
        main.root,
        "--plan",
        tmp_path / "plan.json",
        "--artifact",
        tmp_path / "scores.json",
    )
    assert "was not made from the planned commit" in str(result.exception)


def test_a_failed_scoring_shows_on_the_board_with_stage_and_class_only(main: World) -> None:
    from scorer.boards import build_board

    taken(main, None, planned(main))
    main.submit("waiting", spoiled(main.studies, 0.3))
    main.score(["poor"])
    shop = main.shop
    board = build_board(shop, shop.card(main.dataset), "findings")
    assert board is not None
    cells = {row.model: row.cells["bleu_2"] for row in board.rows}
    assert (cells["good"].state, cells["waiting"].state) == ("failed", "missing")
    assert cells["good"].reason.startswith("scoring failed (scoring: The job ended without a result)")
    assert cells["waiting"].reason == "awaiting scoring"

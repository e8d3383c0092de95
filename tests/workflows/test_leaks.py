"""No text and no id of a closed dataset leaves the machine that scores it, whatever fails and wherever.

The references and predictions hold words that stand nowhere else. Every output of a run is searched for them:
what is printed, the artifact, the results, the exception and its causes, and the pages.
"""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.boards import build_board
from scorer.cli import rexrank
from scorer.datasets.readers.jsonl import jsonl_bytes
from scorer.predictions import canonical_predictions, predictions_digest
from scorer.statistics import STATISTICS
from scorer.text import Report
from scorer.types import Study
from tests.workflows.steps import installed
from tests.world import World, make_world

WORD = "zqcanary"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A credentialed dataset; its predictions are linked and lie in the machine's state."""
    made = make_world(tmp_path / "main", access="credentialed", release="aggregate", n=40, patients=True)
    studies = tuple(
        Study(
            id=f"{WORD}-id-{n:03}",
            patient=f"{WORD}-patient-{n // 2}",
            reference=Report(findings=f"{WORD}-f{n} lungs are clear.", impression=f"{WORD}-i{n} normal."),
        )
        for n in range(40)
    )
    references = tmp_path / "main" / "references"
    for split in ("test", "valid"):
        (references / f"{split}.jsonl").write_bytes(jsonl_bytes(studies))
    monkeypatch.setenv("REXRANK_HOME", str(made.state))
    result = CliRunner().invoke(
        rexrank, ["data", "add", "tiny-knee", str(references), "--results", str(made.root)]
    )
    assert result.exit_code == 0, result.output
    made = dataclasses.replace(made, studies=studies)
    write(made, {s.id: Report(findings=f"{WORD}-p{s.id} clear.", impression="Normal.") for s in studies})
    return made


def write(world: World, reports: dict[str, Report]) -> None:
    folder = world.root / "submissions" / "zed"
    folder.mkdir(exist_ok=True)
    place = world.state / "predictions" / "zed" / "tiny-knee.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(canonical_predictions(reports))
    (folder / "submission.yaml").write_text(
        "id: zed\nname: Zed\nowner: zoe\ntracks: [findings, findings_impression]\npredictions:\n  tiny-knee:\n"
        f"    url: https://example.org/zed.jsonl\n    sha256: {predictions_digest(reports)}\n"
    )


def run(world: World, *arguments: str) -> Result:
    return CliRunner().invoke(rexrank, [*arguments, "--results", str(world.root)])


def assert_silent(world: World, result: Result, *more: Path) -> None:
    """Nothing that anybody could read holds the word."""
    said = result.output + str(result.exception or "")
    error: BaseException | None = result.exception
    while error is not None:
        is_ours = type(error).__module__.startswith("scorer.")
        said += (
            "".join(traceback.format_exception_only(error))
            if is_ours or not error.__suppress_context__
            else ""
        )
        error = None if error.__suppress_context__ else error.__cause__ or error.__context__
    assert WORD not in said
    for root in (world.root, *more):
        for file in [root] if root.is_file() else root.rglob("*"):
            assert WORD not in str(file)
            assert not file.is_file() or WORD.encode() not in file.read_bytes(), file


def score(world: World, tmp_path: Path) -> Result:
    return run(world, "score", "zed", "--artifact", str(tmp_path / "scores.json"))


def test_a_good_run_hands_over_numbers_only(world: World, tmp_path: Path) -> None:
    result = score(world, tmp_path)
    assert result.exit_code == 0, result.output
    assert_silent(world, result, tmp_path / "scores.json")
    assert (world.root / "scores" / "zed" / "tiny-knee.findings.json").is_file()
    assert_silent(world, run(world, "status"))
    assert_silent(world, run(world, "status", "--json"))


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda one: one.spec.id)
@pytest.mark.parametrize(
    "fault", ["ValueError", "KeyError", "UnicodeEncodeError", "AssertionError", "not finite"]
)
def test_a_fault_in_a_statistic_says_stage_class_and_count_only(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statistic: Any, fault: str
) -> None:
    def explode(predictions: Sequence[str], references: Sequence[str], bench: Any) -> Any:
        if fault == "ValueError":
            raise ValueError(f"cannot read {references[0]!r}")
        if fault == "KeyError":
            raise KeyError(predictions[0])
        if fault == "UnicodeEncodeError":
            (references[0] + "\ud800").encode()
        if fault == "AssertionError":
            raise AssertionError(references, predictions)
        from numpy import full, nan

        from scorer.statistics import Computed

        return Computed(values=full((len(predictions), len(statistic.spec.columns)), nan))

    monkeypatch.setattr(type(statistic), "compute", lambda self, p, r, b: explode(p, r, b))
    monkeypatch.setattr(type(statistic), "missing", lambda self, bench: None)
    result = score(world, tmp_path)
    assert_silent(world, result, tmp_path / "scores.json")
    assert f"failed: {statistic.spec.id}: " in result.output or result.exception
    assert "40 studies" in result.output


def drop_one(reports: dict[str, Report]) -> None:
    reports.pop(next(iter(reports)))


def add_one(reports: dict[str, Report]) -> None:
    reports[f"{WORD}-stranger"] = Report(findings=WORD)


@pytest.mark.parametrize("spoil", [drop_one, add_one])
def test_predictions_that_do_not_fit_are_told_by_counts(
    world: World, tmp_path: Path, spoil: Callable[[dict[str, Report]], None]
) -> None:
    reports = {s.id: Report(findings=f"{WORD} clear.") for s in world.studies}
    spoil(reports)
    write(world, reports)
    result = score(world, tmp_path)
    assert_silent(world, result, tmp_path / "scores.json")
    assert "1 study has" in result.output


@pytest.mark.parametrize(
    "line",
    [
        f'{{"study_id": "{WORD}", "findings": 3}}',
        f'{{"{WORD}": 1}}',
        f"{WORD}",
        f'{{"study_id": "{WORD}", "findings": NaN}}',
    ],
)
def test_a_broken_linked_file_is_told_without_its_content(world: World, tmp_path: Path, line: str) -> None:
    (world.state / "predictions" / "zed" / "tiny-knee.jsonl").write_text(line + "\n" + line)
    result = score(world, tmp_path)
    assert_silent(world, result, tmp_path / "scores.json")


def test_damaged_references_are_told_without_their_content(world: World, tmp_path: Path) -> None:
    file = world.root.parent / "references" / "test.jsonl"
    file.write_bytes(file.read_bytes().replace(b"lungs", b"LUNGS", 1) + f'{{"{WORD}": '.encode())
    result = score(world, tmp_path)
    assert_silent(world, result, tmp_path / "scores.json")


def test_other_references_than_those_that_were_scored_are_told_by_no_id(world: World, tmp_path: Path) -> None:
    """Patients are looked up by study id: where the studies are others now, nothing says which are not found."""
    assert score(world, tmp_path).exit_code == 0
    strangers = tuple(
        dataclasses.replace(study, id=f"{WORD}-new-{n:03}", patient=f"{WORD}-other-{n}")
        for n, study in enumerate(world.studies)
    )
    references = tmp_path / "main" / "references"
    for split in ("test", "valid"):
        (references / f"{split}.jsonl").write_bytes(jsonl_bytes(strangers))
    assert run(world, "data", "add", "tiny-knee", str(references)).exit_code == 0
    shop = world.shop
    board = build_board(shop, shop.card("tiny-knee"), "findings")
    assert board is not None
    assert board.n_patients == 0, "not known any more"
    for verb in (["status", "--verify"], ["compare", "zed", "probe-empty"], ["score", "zed"], ["try", "zed"]):
        result = run(world, *verb)
        assert_silent(world, result)
        assert not isinstance(result.exception, KeyError)


@pytest.mark.parametrize(
    "place", ["scorer.estimates.resampled_totals", "scorer.scoring.text_figures", "scorer.cells.pair_studies"]
)
def test_a_fault_outside_the_statistics_is_told_by_class_only(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def explode(*arguments: Any, **more: Any) -> Any:
        raise RuntimeError(f"{WORD}: {arguments!r}")

    monkeypatch.setattr(place, explode)
    result = score(world, tmp_path)
    assert_silent(world, result, tmp_path / "scores.json")
    assert "RuntimeError" in result.output + str(result.exception)


def test_no_page_export_or_search_index_holds_a_word_of_it(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mkdocs")
    monkeypatch.syspath_prepend(str(installed(tmp_path)))
    score(world, tmp_path)
    result = run(world, "build", "--out", str(tmp_path / "site"))
    assert (tmp_path / "site" / "index.html").is_file(), result.output
    assert_silent(world, result, tmp_path / "site")

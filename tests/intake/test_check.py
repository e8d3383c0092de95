"""`rexrank check`: one gate, every problem, plain words, the right exit code."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scorer.checking import DiskFolder, Surroundings, check_submission
from scorer.datasets import load
from scorer.errors import Problem
from scorer.guard import Problems
from scorer.submission import read_submission
from tests.intake.conftest import CARD, lines, only

Write = Callable[..., Path]
Run = Callable[..., Result]


def demo(drop: int = 0, **changes: str) -> bytes:
    """Predictions for demo-cxr, one per study."""
    ids = [study.id for study in load("demo-cxr")][drop:]
    return lines(
        {"study_id": i, "findings": changes.get(i, f"Study {i} is clear."), "impression": "Normal."}
        for i in ids
    )


def check(folder: Path) -> tuple[Problem, ...]:
    problems = Problems()
    check_submission(DiskFolder(folder), Surroundings(results_root=folder.parent.parent), problems)
    return problems.found


def test_a_good_submission_is_good(write: Write, run: Run) -> None:
    folder = write(files={"demo-cxr.jsonl": demo()})
    result = run("check", folder)
    assert result.exit_code == 0, result.output
    assert "zed: good" in result.stdout
    assert "demo-cxr: 200 predictions, sha256 " in result.stdout


def test_json_output_has_the_documented_form(write: Write, run: Run) -> None:
    folder = write(card=CARD.replace("[findings,", "[finding,"), files={"demo-cxr.jsonl": demo()})
    result = run("check", folder, "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["ok"] is False
    problem = document["problems"][0]
    assert {"path", "line", "field", "code", "message", "hint"} <= set(problem)
    assert (problem["line"], problem["field"], problem["code"]) == (4, "tracks", "not-a-choice")
    assert problem["path"].endswith("zed/submission.yaml")


def test_missing_and_unknown_studies_are_said_with_ids(write: Write) -> None:
    ids = sorted(study.id for study in load("demo-cxr"))
    data = demo() + lines([{"study_id": "extra-1", "findings": "x"}])
    said = check(write(files={"demo-cxr.jsonl": data.split(b"\n", 2)[2]}))
    missing, unknown = (
        next(p for p in said if p.code == code) for code in ("missing-studies", "unknown-studies")
    )
    assert f"2 studies ({ids[0]}, {ids[1]}) have no prediction" in missing.message
    assert "1 study (extra-1) has no place in demo-cxr" in unknown.message


def test_references_that_are_not_here_are_a_note_and_an_error_only_on_demand(write: Write, run: Run) -> None:
    folder = write(
        files={"iu-xray.jsonl": lines({"study_id": f"s{i}", "findings": f"{i}"} for i in range(590))}
    )
    result = run("check", folder)
    assert result.exit_code == 0
    assert "note: " in result.stdout
    assert "rexrank data add iu-xray PATH" in result.stdout
    result = run("check", folder, "--require-references")
    assert "no references of iu-xray here; to get it: rexrank data add iu-xray PATH" in str(result.exception)


@pytest.mark.parametrize("dataset", ["mimic-cxr", "chexpert-plus", "rexgradient", "rexgradient-private"])
def test_predictions_for_a_closed_dataset_are_refused_with_reason_and_way_out(
    write: Write, dataset: str
) -> None:
    problem = only(
        check(write(files={f"{dataset}.jsonl": lines([{"study_id": "secret-id", "findings": "secret"}])}))
    )
    assert problem.code == "closed-dataset"
    assert "must not lie in the repository" in problem.message
    assert "link and sha256" in problem.hint
    assert "secret" not in str(problem)


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("scores/iu.json", "score-file", "written by the scorer only"),
        ("scores.csv", "score-file", "written by the scorer only"),
        ("setup.py", "unexpected-file", "does not belong"),
        ("predictions/notes.txt", "unexpected-file", "does not belong"),
        ("predictions/more/demo-cxr.jsonl", "unexpected-file", "does not belong"),
        ("sub\n::add-mask::a", "unexpected-file", "does not belong"),
    ],
)
def test_other_files_are_refused(write: Write, name: str, code: str, words: str) -> None:
    folder = write(files={"demo-cxr.jsonl": demo()})
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x")
    problem = only(check(folder))
    assert problem.code == code
    assert words in problem.message
    assert "\n" not in problem.path


def test_a_link_to_another_file_is_refused_and_not_read(write: Write, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(demo())
    folder = write()
    (folder / "predictions" / "demo-cxr.jsonl").symlink_to(tmp_path / "secret")
    problem = only(check(folder))
    assert problem.code == "symbolic-link"


def test_a_folder_and_a_pipe_in_place_of_predictions_are_told_and_nothing_waits(
    write: Write, run: Run
) -> None:
    folder = write()
    (folder / "predictions" / "demo-cxr.jsonl").mkdir()
    os.mkfifo(folder / "predictions" / "iu-xray.jsonl")
    result = run("check", folder, "--json")
    assert result.exit_code == 1
    found = {p["path"].rsplit("/", 1)[-1]: p["message"] for p in json.loads(result.stdout)["problems"]}
    assert found == dict.fromkeys(["demo-cxr.jsonl", "iu-xray.jsonl"], "is not a regular file")


def test_a_path_that_would_act_on_a_terminal_is_escaped(write: Write, run: Run, tmp_path: Path) -> None:
    name = "x\x1b[31m\n::error::y\u202e"
    folder = tmp_path / name
    write(files={"demo-cxr.jsonl": b"{"}).rename(folder)
    (tmp_path / f"{name}.jsonl").write_bytes(b"{")
    for path in (folder, tmp_path / f"{name}.jsonl", tmp_path / f"{name}-not-there"):
        for how in ((), ("--json",), ("--annotations",)):
            result = run("check", path, *how)
            assert result.exit_code == 1
            assert all(line.isprintable() for line in result.output.splitlines()), how
            assert "\n::error::y" not in result.output


def test_a_name_that_can_be_taken_for_another_entry_is_refused(write: Write) -> None:
    write("first", card=CARD.replace("zed", "first").replace("Zed", "MedGemma"))
    for name in ("medgemma", "Med Gemma", "MedGemmа"):
        folder = write(card=CARD.replace("Zed", name).replace("someone", "another"))
        codes = [problem.code for problem in check(folder)]
        assert codes in (["confusable-name"], ["mixed-scripts"])
    folder = write(card=CARD.replace("Zed", "MedGemma"))
    assert not check(folder), "the owner may bring a second version under the same name"


def test_only_the_owner_can_supersede_an_entry(write: Write) -> None:
    write("first")
    folder = write(card=CARD.replace("someone", "another") + "supersedes: first\n")
    problem = only(check(folder))
    assert problem.message == "'first' belongs to @someone"
    assert only(check(write(card=CARD + "supersedes: none-such\n"))).code == "unknown-submission"
    assert not check(write(card=CARD + "supersedes: first\n"))


def test_another_entrys_predictions_are_refused(write: Write) -> None:
    write("first", files={"demo-cxr.jsonl": demo()})
    problem = only(check(write(files={"demo-cxr.jsonl": demo()})))
    assert problem.message == "holds the same predictions as 'first'"


def test_another_entrys_predictions_are_found_by_its_record_whatever_their_form(
    write: Write, run: Run
) -> None:
    folder = write(files={"demo-cxr.jsonl": demo()})
    digest = json.loads(run("check", folder, "--json").stdout)["predictions"][0]["sha256"]
    record = folder.parent.parent / "scores" / "first" / "demo-cxr.findings.json"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"digests": {"submitted": digest}}))
    write("first")
    packed = write("packed", files={"demo-cxr.jsonl.gz": gzip.compress(demo())})
    assert only(check(packed)).message == "holds the same predictions as 'first'"


def test_empty_repeated_and_copied_predictions_are_told_to_the_reviewer(write: Write) -> None:
    studies = load("demo-cxr")
    empty = lines({"study_id": s.id, "findings": "" if n else "Clear."} for n, s in enumerate(studies))
    assert (
        "199 of 200 predictions are empty"
        in only(check(write("a1", files={"demo-cxr.jsonl": empty}))).message
    )
    constant = lines({"study_id": s.id, "findings": "Clear."} for s in studies)
    problem = only(check(write("a2", files={"demo-cxr.jsonl": constant})))
    assert (problem.code, problem.severity) == ("suspicious", "warning")
    assert "200 of 200 predictions are one and the same text" in problem.message
    copied = lines(
        {"study_id": s.id, "findings": s.reference.findings, "impression": s.reference.impression}
        for s in studies
    )
    said = check(write("a3", files={"demo-cxr.jsonl": copied}))
    assert any("word for word the reference" in p.message and p.severity == "warning" for p in said)


def test_one_bad_submission_does_not_hide_another(write: Write, run: Run, results: Path) -> None:
    write("good", files={"demo-cxr.jsonl": demo()})
    write("bad", card="id: bad\n", files={"demo-cxr.jsonl": b"{"})
    result = run("check", "--results", results)
    assert result.exit_code == 1
    assert "good: good" in result.stdout
    assert "predictions/demo-cxr.jsonl\n  line 1: not JSON" in result.stdout
    assert "4 problems to fix" in result.stdout


def test_check_without_submissions_is_a_usage_error(run: Run, results: Path) -> None:
    assert "make one with `rexrank new MODEL`" in str(run("check", "--results", results).exception)


def test_a_lone_prediction_file_can_be_checked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "demo-cxr.jsonl").write_bytes(demo(drop=1))
    result = run("check", tmp_path / "demo-cxr.jsonl")
    assert result.exit_code == 1
    assert "200 references but 199 predictions" in result.stdout
    (tmp_path / "mine.jsonl").write_bytes(demo())
    assert "say which dataset it is with --dataset" in run("check", tmp_path / "mine.jsonl").stdout
    assert run("check", tmp_path / "mine.jsonl", "--dataset", "demo-cxr").exit_code == 0


def test_a_path_that_is_not_there_gets_the_folder_that_was_meant(
    write: Write, run: Run, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write()
    monkeypatch.chdir(results.parent)
    result = run("check", "zed")
    assert result.exit_code == 1
    assert (
        "zed\n  there is no such file or folder\n      fix: did you mean results/submissions/zed?"
        in result.stdout
    )
    assert "name a folder, a card or a file" in run("check", "nowhere").stdout


def test_a_template_with_every_option_needs_no_editing(run: Run, results: Path) -> None:
    options = (
        "--owner",
        "zoe",
        "--name",
        'Zed: "v2" #1',
        "--institution",
        "Here & There",
        "--institution",
        "МГУ",
    )
    done = run("new", "zed", "--results", results, *options)
    assert "CHANGE ME" not in done.output
    folder = results / "submissions" / "zed"
    assert not check(folder)
    card = read_submission(folder)
    assert (card.name, card.institutions, card.owner) == ('Zed: "v2" #1', ("Here & There", "МГУ"), "zoe")
    refused = run("new", "bad", "--results", results, "--name", "<b>", "--institution", "a\u202eb")
    assert "--name: holds < or >" in str(refused.exception)
    assert "--institution: holds U+202E" in str(refused.exception)
    assert not (results / "submissions" / "bad").exists()


def test_a_fresh_template_is_refused_until_it_is_edited(run: Run, results: Path) -> None:
    assert run("new", "zed", "--results", results).exit_code == 0
    card = results / "submissions" / "zed" / "submission.yaml"
    assert {problem.code for problem in check(card.parent)} == {"placeholder"}
    card.write_text(card.read_text().replace("CHANGE ME", "Zed"))
    assert not check(card.parent)


def test_every_commented_field_of_the_template_is_right_when_uncommented(run: Run, results: Path) -> None:
    assert run("new", "zed", "--results", results, "--owner", "someone").exit_code == 0
    card = results / "submissions" / "zed" / "submission.yaml"
    head, fields = card.read_text().replace("CHANGE ME", "Zed").split("\ninstitutions:")
    plain = (
        "".join(
            line.removeprefix("# ").removeprefix("#")
            if not line[2:3].isupper() and not line.startswith("# for a closed")
            else ""
            for line in fields.splitlines(keepends=True)
        )
        .replace("sha256: …", f"sha256: '{0:064}'")
        .replace("https://…", "https://example.org/x")
    )
    card.write_text(f"{head}\ninstitutions:{plain}")
    assert not check(card.parent)
    assert "\nreward_metrics:" in card.read_text()


@pytest.mark.parametrize("model", ["con", "..", "A b", "x" * 70])
def test_new_refuses_a_bad_id(run: Run, results: Path, model: str) -> None:
    assert run("new", model, "--results", results).exit_code == 1
    assert list((results / "submissions").iterdir()) == []


def test_new_never_overwrites(write: Write, run: Run, results: Path) -> None:
    before = (write() / "submission.yaml").read_bytes()
    assert "is there already" in str(run("new", "zed", "--results", results).exception)
    assert (results / "submissions" / "zed" / "submission.yaml").read_bytes() == before


def test_a_read_only_folder_is_said_plainly(run: Run, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert "cannot be written (Read-only file system)" in str(
        run("new", "zed", "--results", results).exception
    )


def big(n: int, tmp_path: Path) -> Path:
    file = tmp_path / f"big-{n}.jsonl"
    text = "The heart is of normal size and the lungs are clear. No effusion is seen on either side. " * 3
    file.write_bytes(
        lines(
            {"study_id": f"s{i}", "findings": f"{text} {i}", "impression": "No acute disease."}
            for i in range(n)
        )
    )
    return file


def test_ten_thousand_predictions_are_checked_within_300_mb(tmp_path: Path) -> None:
    """Memory alone: it is the same on a busy machine. `benchmarks.lexical` measures the time."""
    code = (
        "import sys; from pathlib import Path; from scorer.cli import rexrank\n"
        "rexrank.main(['check', sys.argv[1]], standalone_mode=False)\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    command = [sys.executable, "-c", code, str(big(10_000, tmp_path))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout.split()[-1]) < 300 * 1024, "kilobytes"


@pytest.mark.parametrize("text", ["x" * 40, " " * 400, "a" * 400 + "!", "(\"'" * 100, "::error::x\\n" * 30])
def test_time_grows_with_the_size_and_no_faster(text: str) -> None:
    from scorer.predictions import parse_predictions

    def seconds(n: int) -> float:
        data = lines({"study_id": f"s{i}", "findings": text} for i in range(n))
        times = []
        for _ in range(2):
            start = time.process_time()
            assert len(parse_predictions(data, "x.jsonl", Problems())) == n
            times.append(time.process_time() - start)
        return min(times)

    # Other processes disturb the clock: one good reading of several will do, worse than linear never gets one.
    # Both sizes are larger than a processor's cache, so that the same memory is measured.
    assert any(seconds(30_000) < 12 * seconds(3_000) for _ in range(6))


def test_a_count_that_cannot_be_right_is_refused_without_the_references(write: Write) -> None:
    problem = only(check(write(files={"iu-xray.jsonl": lines([{"study_id": "a", "findings": "x"}])})))
    assert (problem.code, problem.severity) == ("wrong-count", "error")
    assert problem.message == "1 predictions, but iu-xray test has 590 studies"


def test_a_study_whose_line_is_refused_is_not_called_missing_too(write: Write) -> None:
    studies = load("demo-cxr")
    rows = [
        {"study_id": study.id, "findings": "Clear.", "impression": f"Seen {i}."}
        for i, study in enumerate(studies)
    ]
    rows[3]["bleu"] = "0.9"
    found = [p for p in check(write(files={"demo-cxr.jsonl": lines(rows)})) if p.severity == "error"]
    assert [p.code for p in found] == ["unknown-key"]


def test_a_misnamed_prediction_file_is_named_with_its_new_name(write: Write) -> None:
    problem = only(check(write(files={"iu_xray.jsonl": lines([{"study_id": "a", "findings": "x"}])})))
    assert problem.path.endswith("predictions/iu_xray.jsonl")
    assert problem.hint == "rename the file to predictions/iu-xray.jsonl"

"""Import: ids stay text, words stay words, references are dropped and named."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scorer.errors import InputError
from scorer.guard import limits
from scorer.importing import import_predictions
from scorer.predictions import read_predictions
from scorer.text import Report
from tests.intake.conftest import CARD


def imported(tmp_path: Path, name: str, data: str | bytes) -> dict[str, Report]:
    file = tmp_path / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return dict(import_predictions(file).reports)


def refused(tmp_path: Path, name: str, data: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, name, data)
    return caught.value


REXRANK = {
    "CXR9001_IM-0007": {
        "section_findings": "Reference text.",
        "section_impression": "Reference.",
        "report": "Findings: Reference text.",
        "context": "Indication: pain",
        "model_prediction": "FINDINGS: Lungs are clear.\nIMPRESSION: Normal.",
    },
    "90000017": {"section_findings": "Reference text.", "model_prediction": "Lungs are clear."},
}


def test_rexrank_json_is_read_and_its_references_are_dropped_and_named(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(REXRANK))
    found = import_predictions(file)
    assert dict(found.reports) == {
        "90000017": Report(findings="Lungs are clear."),
        "CXR9001_IM-0007": Report(findings="Lungs are clear.", impression="Normal."),
    }
    assert found.dropped == ("report", "section_findings", "section_impression")
    assert found.ignored == ("context",)


@pytest.mark.parametrize(
    ("text", "findings", "impression"),
    [
        ("FINDINGS: Lungs are clear. IMPRESSION: Normal.", "Lungs are clear.", "Normal."),
        ("findings : Lungs are clear.\nimpression - Normal.", "Lungs are clear.", "Normal."),
        ("FINDINGS AND IMPRESSION: Lungs are clear. Normal.", "Lungs are clear. Normal.", ""),
        ("NDICATION: Cough. IMPRESSION: Normal.", "", "Normal."),
        (
            "Lungs are clear. Impression of a rib on the lung.",
            "Lungs are clear. Impression of a rib on the lung.",
            "",
        ),
        ("Findings:Lungs are clear.Impression:Normal.", "Lungs are clear.", "Normal."),
        ("Findings: None Impression: Normal.", "", "Normal."),
    ],
)
def test_sections_are_found_by_their_headings(
    tmp_path: Path, text: str, findings: str, impression: str
) -> None:
    found = imported(tmp_path, "x.json", json.dumps({"a": {"model_prediction": text}}))
    assert found["a"] == Report(findings=findings, impression=impression)


FORMS = {
    "x.csv": "study_id,report\n90000017,Lungs are clear.\n90000025,Small left effusion.\n",
    "semicolon.csv": "study_id;report\n90000017;Lungs are clear.\n90000025;Small left effusion.\n",
    "x.tsv": "study_id\treport\n90000017\tLungs are clear.\n90000025\tSmall left effusion.\n",
    "quoted.csv": '"report","ID"\n"Lungs are clear.","90000017"\n"Small left effusion.","90000025"\n',
    "object.json": '{"90000017": "Lungs are clear.", "90000025": "Small left effusion."}',
    "list.json": '[{"id": 90000017, "report": "Lungs are clear."},'
    ' {"id": "90000025", "report": "Small left effusion."}]',
    "x.jsonl": '{"study_id": "90000017", "report": "Lungs are clear."}\n'
    '{"study_id": 90000025, "report": "Small left effusion."}\n',
    "lines.json": '{"study_id": "90000017", "report": "Lungs are clear."}\n'
    '{"study_id": "90000025", "report": "Small left effusion."}\n',
    "canonical.jsonl": '{"study_id": "90000017", "findings": "Lungs are clear.", "impression": null}\n'
    '{"study_id": "90000025", "findings": "Small left effusion."}\n',
    "mark.csv": "\ufeffstudy_id,report\r\n90000017,Lungs are clear.\r\n90000025,Small left effusion.\r\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_the_same_predictions_gives_the_same_reports(tmp_path: Path, name: str) -> None:
    assert imported(tmp_path, name, FORMS[name]) == {
        "90000017": Report(findings="Lungs are clear."),
        "90000025": Report(findings="Small left effusion."),
    }


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    found = imported(tmp_path, "x.csv.gz", gzip.compress(b"study_id,report\n0071,Clear.\n"))
    assert found == {"0071": Report(findings="Clear.")}


def test_words_that_a_table_reader_takes_for_nothing_stay_words(tmp_path: Path) -> None:
    text = 'study_id,report\n0071,None\n0072,nan\n0073,NA\n0074,\n0075," "\n0076,null\n0077,n/a\n0078,No change.\n'
    found = imported(tmp_path, "x.csv", text)
    assert {study_id: report.findings for study_id, report in found.items()} == {
        "0071": "None",
        "0072": "nan",
        "0073": "NA",
        "0074": "",
        "0075": "",
        "0076": "null",
        "0077": "n/a",
        "0078": "No change.",
    }


def test_ids_that_look_like_numbers_stay_as_written(tmp_path: Path) -> None:
    ids = ["12_34", "1234", "42", "1e5", "CXR9003_IM-0011", "007", "90051329123456789"]
    found = imported(tmp_path, "x.csv", "study_id,report\n" + "".join(f"{i},x\n" for i in ids))
    assert set(found) == set(ids)


def test_a_large_number_as_id_keeps_every_digit(tmp_path: Path) -> None:
    assert list(imported(tmp_path, "x.json", '[{"id": 90051329123456789, "report": "x"}]')) == [
        "90051329123456789"
    ]


def test_an_id_with_a_blank_around_it_is_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, "x.csv", "study_id,report\n42,x\n 42,y\n")
    assert [(p.code, p.line) for p in error.problems] == [("blank-in-id", 3)]


def test_a_study_twice_in_a_table_is_named_with_both_lines(tmp_path: Path) -> None:
    error = refused(tmp_path, "x.csv", "study_id,report\n90000017,a\n90000025,b\n90000017,c\n")
    assert "study '90000017' stands twice, on lines 2 and 4" in str(error)


def test_a_key_twice_in_an_object_is_named_with_both_lines(tmp_path: Path) -> None:
    error = refused(
        tmp_path,
        "x.json",
        '{\n"90000017": {"model_prediction": "a"},\n"90000017": {"model_prediction": "b"}}',
    )
    assert "the key '90000017' stands twice in one object, on lines 2 and 3" in str(error)


def test_every_duplicate_key_is_named(tmp_path: Path) -> None:
    error = refused(tmp_path, "x.json", '{"a": "1", "b": "1", "a": "2", "b": "2"}')
    assert ["'a'" in str(error), "'b'" in str(error)] == [True, True]


def test_thousands_of_duplicate_keys_are_counted_and_cost_little(tmp_path: Path) -> None:
    text = "{" + ", ".join(f'"{n % 20_000}": "x"' for n in range(40_000)) + "}"
    start = time.process_time()
    error = refused(tmp_path, "x.json", text)
    assert time.process_time() - start < 3
    assert len(error.problems) == limits.PROBLEMS_SHOWN + 1
    assert "and 19,980 more problems of this kind (duplicate-key)" in str(error)


def test_a_blank_id_is_said_with_its_line_and_the_other_ids_stay(tmp_path: Path) -> None:
    text = "study_id,report\n90000017,Lungs are clear.\n,Small effusion.\n90000033,Heart enlarged.\n"
    error = refused(tmp_path, "x.csv", text)
    assert [(p.code, p.line) for p in error.problems] == [("empty-id", 3)]
    assert set(imported(tmp_path, "y.csv", text.replace(",Small effusion.\n", "\n"))) == {
        "90000017",
        "90000033",
    }


def test_a_bare_nan_is_an_absent_text(tmp_path: Path) -> None:
    text = (
        '{"90000017": {"section_findings": NaN, "model_prediction": "No acute disease."},'
        ' "b": {"model_prediction": NaN}}'
    )
    assert imported(tmp_path, "x.json", text) == {
        "90000017": Report(findings="No acute disease."),
        "b": Report(),
    }


def test_plain_lists_are_refused_because_order_is_no_id(tmp_path: Path) -> None:
    error = refused(tmp_path, "x.json", '["a", "b", "c"]')
    assert "a list of 3 items without study ids" in str(error)
    assert "paired by study id" in str(error)


def test_the_reference_file_is_not_taken_for_predictions(tmp_path: Path) -> None:
    error = refused(
        tmp_path, "x.json", '{"a": {"section_findings": "x", "section_impression": "y", "report": "z"}}'
    )
    assert "holds references and no predictions" in str(error)


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("x.csv", "study_id,text_of_it\na,b\n", "no-text"),
        ("x.csv", "name,report\na,b\n", "missing-column"),
        ("x.csv", "study_id,report\na,b,c\n", "ragged-row"),
        ("x.csv", 'study_id,report\na,"b\n', "broken-csv"),
        ("x.csv", "study_id,report,report\na,b,c\n", "duplicate-column"),
        ("x.csv", "", "empty-file"),
        ("x.csv", "study_id,report\n", "empty-file"),
        ("x.json", "{}", "unknown-layout"),
        ("x.json", '{"a": 1}', "not-text"),
        ("x.json", '{"a": [1]}', "unknown-layout"),
        ("x.json", "[]", "unknown-layout"),
        ("x.json", '{"a": {"model_prediction": "x"', "broken-json"),
        ("x.json", '{"a": {"model_prediction": 3}}', "not-text"),
        ("x.json", '[{"id": 1.5, "report": "x"}]', "no-study-id"),
        ("x.json", b"\xff\xfe{\x00", "not-utf-8"),
        ("x.csv", b"study_id,report\na,caf\xe9\n", "not-utf-8"),
        ("x.parquet", b"PAR1xxxx", "wrong-magic"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, data: str | bytes, code: str) -> None:
    assert code in {p.code for p in refused(tmp_path, name, data).problems}


def test_all_faults_of_a_table_are_said(tmp_path: Path) -> None:
    error = refused(tmp_path, "x.csv", "study_id,report\n,a\nb,c,d\n e,f\n" + "g," + "w " * 9000 + "\n")
    assert {p.line for p in error.problems} == {2, 3, 4, 5}


def test_import_writes_the_canonical_file_and_says_what_it_left_out(
    tmp_path: Path, results: Path, run: Callable[..., Result]
) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(REXRANK))
    assert run("new", "zed", "--results", results).exit_code == 0
    result = run(
        "import", tmp_path / "mine.json", "--dataset", "demo-cxr", "--model", "zed", "--results", results
    )
    assert result.exit_code == 0, result.output
    assert "2 predictions" in result.stdout
    assert "reference text left out: report, section_findings, section_impression" in result.stderr
    written = results / "submissions" / "zed" / "predictions" / "demo-cxr.jsonl"
    assert "Reference" not in written.read_text()
    assert list(read_predictions(written)) == ["90000017", "CXR9001_IM-0007"]


def test_import_needs_a_submission_that_is_there(
    tmp_path: Path, results: Path, run: Callable[..., Result]
) -> None:
    (tmp_path / "x.csv").write_text("study_id,report\na,b\n")
    result = run(
        "import", tmp_path / "x.csv", "--dataset", "demo-cxr", "--model", "zed", "--results", results
    )
    assert "make it with: rexrank new zed" in str(result.exception)
    assert list((results / "submissions").iterdir()) == []


def test_predictions_for_a_closed_dataset_are_not_written_into_the_repository(
    tmp_path: Path, write: Callable[..., Path], run: Callable[..., Result], results: Path
) -> None:
    write(card=CARD)
    (tmp_path / "x.csv").write_text("study_id,report\na,b\n")
    arguments = ("import", tmp_path / "x.csv", "--dataset", "mimic-cxr", "--results", results)
    result = run(*arguments, "--model", "zed")
    assert "must not lie in the repository (credentialed access)" in str(result.exception)
    assert run(*arguments, "--output", tmp_path / "out.jsonl").exit_code == 0
    assert (tmp_path / "out.jsonl").is_file()


def test_a_failed_write_leaves_the_old_file_and_says_why(
    tmp_path: Path,
    write: Callable[..., Path],
    run: Callable[..., Result],
    results: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = write(files={"demo-cxr.jsonl": b"old"}) / "predictions" / "demo-cxr.jsonl"
    (tmp_path / "x.csv").write_text("study_id,report\na,b\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = run(
        "import", tmp_path / "x.csv", "--dataset", "demo-cxr", "--model", "zed", "--results", results
    )
    assert "cannot be written (No space left on device); what was there is untouched" in str(result.exception)
    assert file.read_bytes() == b"old"
    assert [path.name for path in file.parent.iterdir()] == ["demo-cxr.jsonl"]


def test_the_seven_real_sets_are_imported_and_check_well(
    shared: Path, results: Path, run: Callable[..., Result]
) -> None:
    assert run("data", "add", "iu-xray", shared / "data" / "iu_xray").exit_code == 0
    names = sorted(file.stem for file in (shared / "data" / "iu_xray" / "predictions").glob("*.jsonl"))
    assert len(names) == 7
    for name in names:
        assert run("new", name, "--results", results, "--owner", "someone").exit_code == 0
        card = results / "submissions" / name / "submission.yaml"
        card.write_text(card.read_text().replace("CHANGE ME", name))
        file = shared / "data" / "iu_xray" / "predictions" / f"{name}.jsonl"
        result = run("import", file, "--dataset", "iu-xray", "--model", name, "--results", results, "--json")
        assert json.loads(result.stdout)["n"] == 590
    result = run("check", "--results", results, "--require-references", "--json")
    report = json.loads(result.stdout)
    assert report["ok"] is True, report["problems"]
    assert {p["code"] for p in report["problems"]} <= {"suspicious", "empty-predictions"}
    flagged = {p["path"].split("/")[-3] for p in report["problems"] if "word for word" in p["message"]}
    assert flagged == {"reference-copy"}

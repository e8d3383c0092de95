"""Readers: what is read from each layout, what is refused, and that closed data is never echoed."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.datasets.base import Split
from scorer.datasets.readers import jsonl_bytes
from scorer.datasets.readers.attributes import age_band, sex, view
from scorer.datasets.readers.jsonl import read_jsonl
from scorer.datasets.readers.rexgradient import read_rexgradient
from scorer.datasets.readers.rexrank_json import context_parts, read_rexrank_json
from scorer.datasets.references import references_digest
from scorer.errors import InputError
from scorer.text import Report
from scorer.types import Study
from tests.datasets.world import CLOSED, make_card, study, write_json

NAN = float("nan")
OPEN = make_card()
BOTH = make_card(splits={"test": Split(n_studies=1), "valid": Split(n_studies=1)})


# The ReXrank reference file


def test_bare_nan_is_an_absent_section_and_never_a_word(tmp_path: Path) -> None:
    path = write_json(tmp_path / "x.json", {"90000017": study(section_findings=NAN)})
    assert "NaN" in path.read_text(encoding="utf-8")
    (found,) = read_rexrank_json(path, OPEN, "test")
    assert found.reference == Report(findings="", impression="Normal chest.")


@pytest.mark.parametrize("word", [None, "", "  \n", "None", "nan"])
def test_null_blank_and_the_bare_word_none_are_absent_too(tmp_path: Path, word: object) -> None:
    path = write_json(tmp_path / "x.json", {"90000017": study(section_impression=word)})
    assert read_rexrank_json(path, OPEN, "test")[0].reference.impression == ""


def test_texts_are_kept_untouched_line_breaks_and_marks_included(tmp_path: Path) -> None:
    text = "\n1. XXXX change\r\n   from ___ prior.\n"
    path = write_json(tmp_path / "x.json", {"90000017": study(section_impression=text)})
    assert read_rexrank_json(path, OPEN, "test")[0].reference.impression == text


def test_ids_are_opaque_text_in_ascending_order(tmp_path: Path) -> None:
    ids = ["CXR9001_IM-0007", "CXR9002_IM-0007", "12_34", "1234", "42", "1e5", "patient90001_study1"]
    path = write_json(tmp_path / "x.json", {id: study() for id in ids})
    assert [found.id for found in read_rexrank_json(path, OPEN, "test")] == sorted(ids)


def test_the_indication_is_cut_out_of_the_context() -> None:
    whole = "<context>Age:60-70Gender:MIndication: Cough; fever.\nComparison: None.</context>"
    assert context_parts(whole)["indication"] == "Cough; fever."
    assert context_parts(whole)["gender"] == "M"
    assert context_parts("Indication: nan Comparison: nan") == {}
    assert context_parts("Comparison: Chest radiograph.") == {"comparison": "Chest radiograph."}
    assert context_parts("AGE: 40 INDICATION: Image: none") == {"age": "40", "indication": "Image: none"}
    assert context_parts(NAN) == {}


def test_patients_come_from_subject_id_or_from_the_id_where_the_card_knows_them(tmp_path: Path) -> None:
    known = make_card(knows_patients=True)
    path = write_json(tmp_path / "x.json", {"90000017": study(subject_id=90051329123456789)})
    assert read_rexrank_json(path, known, "test")[0].patient == "90051329123456789"
    path = write_json(tmp_path / "y.json", {"patient90001_study2": study()})
    assert read_rexrank_json(path, known, "test")[0].patient == "patient90001"
    assert read_rexrank_json(path, OPEN, "test")[0].patient is None


def test_attributes_are_those_of_the_card(tmp_path: Path) -> None:
    fields = study(frontal_lateral=["Lateral", "Frontal"], sex="Female", age=63.0, race="x")
    path = write_json(tmp_path / "x.json", {"90000017": fields})
    assert read_rexrank_json(path, OPEN, "test")[0].attributes == {
        "view": "frontal and lateral",
        "sex": "female",
        "age_band": "60-79",
    }


def test_a_folder_gives_each_split_its_file(tmp_path: Path) -> None:
    write_json(tmp_path / "Set_test.json", {"90000017": study(split="test")})
    write_json(tmp_path / "Set_valid.json", {"90000025": study(split="val")})
    assert [found.id for found in read_rexrank_json(tmp_path, BOTH, "test")] == ["90000017"]
    assert [found.id for found in read_rexrank_json(tmp_path, BOTH, "valid")] == ["90000025"]
    write_json(tmp_path / "Other_test.json", {})
    with pytest.raises(
        InputError, match=r"2 files could hold the test split: Other_test.json, Set_test.json"
    ):
        read_rexrank_json(tmp_path, BOTH, "test")


def test_a_file_without_a_split_in_it_or_in_its_name_is_the_scored_split(tmp_path: Path) -> None:
    path = write_json(tmp_path / "Set.json", {"90000017": study()})
    assert len(read_rexrank_json(path, BOTH, "test")) == 1
    assert read_rexrank_json(path, BOTH, "valid") == ()


def test_a_key_that_stands_twice_is_refused_by_its_id(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    one = json.dumps(study())
    path.write_text(f'{{"90000017": {one}, "90000025": {one}, "90000017": {one}}}', encoding="utf-8")
    with pytest.raises(InputError, match="study '90000017': the key stands twice in one JSON object"):
        read_rexrank_json(path, OPEN, "test")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"90000017": ', "x.json:1: not JSON: Expecting value"),
        (b"\xff\xfe{}", "not UTF-8 (byte 0); save the file as UTF-8"),
        (b"[1]", "holds a list at the top"),
        (b'{"90000017": 3}', "study '90000017': is not an object"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 5000, "a number too long to read"),
        (b'{"a": {"section_findings": 7}}', "study 'a': findings is neither text nor absent"),
        (b'{"a": {"section_findings": NaN}}', "study 'a': neither findings nor impression"),
        (b'{" a": {"section_findings": "x"}}', "study ' a': the id is blank, has blanks around it"),
        (b'{"a\\u202e": {"section_findings": "x"}}', "study 'a\\u202e': the id is blank, has blanks"),
        (b'{"a": {"section_findings": "\\ud800"}}', "study 'a': holds half of a surrogate pair"),
    ],
)
def test_a_broken_file_is_refused_with_place_and_reason(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(said)):
        read_rexrank_json(path, OPEN, "test")


def test_a_byte_order_mark_and_crlf_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'\xef\xbb\xbf{\r\n"a": {"section_findings": "Clear."}}\r\n')
    assert read_rexrank_json(path, OPEN, "test")[0].reference.findings == "Clear."


def test_problems_of_a_closed_dataset_are_kinds_and_counts(tmp_path: Path) -> None:
    secret = {
        "SECRET-1": study(section_findings=7),
        "SECRET-2": study(section_findings=NAN, section_impression=NAN),
        "SECRET-3": study(section_findings=NAN, section_impression=NAN),
        "SECRET-4": "SECRET text",
        " SECRET-5": study(),
        "SECRET-6": study(section_findings="SECRET"),
    }
    path = write_json(tmp_path / "x.json", secret)
    with pytest.raises(InputError) as caught:
        read_rexrank_json(path, CLOSED, "test")
    said = str(caught.value)
    assert "SECRET" not in said
    assert "2 studies: neither findings nor impression" in said
    assert "1 study: the patient is not named" in said
    assert len(caught.value.problems) == 5


# ReXGradient

GRADIENT = make_card(
    access="gated", release="aggregate", knows_patients=True, splits={"test": Split(n_studies=2)}
)
ENTRY = {
    "PatientID": "P9",
    "PatientAge": "007M",
    "PatientSex": "F",
    "Indication": "Cough.",
    "Findings": "Lungs are clear.",
    "Impression": "None",
    "ImageViewPosition": ["PA", "LL"],
}


def test_rexgradient_json_is_read_from_the_root_the_metadata_folder_or_the_file(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    path = write_json(tmp_path / "metadata" / "test_metadata_view_position.json", {"P9_A1": ENTRY})
    for place in (tmp_path, tmp_path / "metadata", path):
        (found,) = read_rexgradient(place, GRADIENT, "test")
        assert found == Study(
            id="P9_A1",
            reference=Report(findings="Lungs are clear."),
            patient="P9",
            indication="Cough.",
            attributes={"view": "frontal and lateral", "sex": "female", "age_band": "0-17"},
        )
    assert read_rexgradient(tmp_path, GRADIENT, "valid") == ()
    assert read_rexgradient(path, GRADIENT, "valid") == ()


def test_rexgradient_csv_keeps_ids_and_words_as_text(tmp_path: Path) -> None:
    path = tmp_path / "test_metadata.csv"
    text = '\ufeffid,PatientID,Findings,Impression\n0071,007,"NA, said\nthe reader","n/a"\n0072,007,null,\n'
    path.write_text(text, encoding="utf-8")
    first, second = read_rexgradient(path, GRADIENT, "test")
    assert (first.id, first.patient) == ("0071", "007")
    assert first.reference == Report(findings="NA, said\nthe reader", impression="n/a")
    assert second.reference == Report(findings="null", impression="")


def test_rexgradient_without_a_needed_column_lists_the_columns_found(tmp_path: Path) -> None:
    path = tmp_path / "test_metadata.csv"
    path.write_text("id,report,Impression\n1,SECRET,SECRET\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_rexgradient(path, GRADIENT, "test")
    assert "no column Findings, PatientID; columns found: Impression, id, report" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_ids_in_the_place_of_columns_are_counted_and_not_shown(tmp_path: Path) -> None:
    nested = {"test": {f"SECRET-{n}": ENTRY for n in range(100)}}
    path = write_json(tmp_path / "test_metadata.json", nested)
    with pytest.raises(InputError, match="columns found: 100, too many to be columns") as caught:
        read_rexgradient(path, GRADIENT, "test")
    assert "SECRET" not in str(caught.value)


def test_a_table_that_cannot_be_read_is_refused_without_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = csv.field_size_limit(131_072)  # other readers of this process may have raised it
    monkeypatch.setattr(csv, "field_size_limit", lambda *limit: usual)
    path = tmp_path / "test_metadata.csv"
    path.write_text("id,PatientID,Findings,Impression\n1,1," + "SECRET" * 30_000 + ",x\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a table: field larger than field limit") as caught:
        read_rexgradient(path, GRADIENT, "test")
    assert "SECRET" not in str(caught.value)


def test_a_second_reference_for_the_same_study_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "test_metadata.csv"
    path.write_text("id,PatientID,Findings,Impression\n41,1,A.,B.\n41,1,A.,C.\n", encoding="utf-8")
    with pytest.raises(InputError, match="1 study: a second reference for the same study"):
        read_rexgradient(path, GRADIENT, "test")


# Our own JSON Lines

LINES = [
    {"study_id": "a", "findings": "Clear.", "impression": None},
    {
        "study_id": "b",
        "impression": "Normal.",
        "patient": "p",
        "indication": "Cough",
        "attributes": {"sex": "male"},
    },
]


def write_lines(path: Path, lines: list[object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_jsonl_is_read_from_a_file_or_from_a_folder_by_split(tmp_path: Path) -> None:
    write_lines(tmp_path / "test.jsonl", [*LINES])
    for place in (tmp_path, tmp_path / "test.jsonl"):
        first, second = read_jsonl(place, OPEN, "test")
        assert first.reference == Report(findings="Clear.")
        assert (second.indication, second.attributes) == ("Cough", {"sex": "male"})
    assert read_jsonl(tmp_path, OPEN, "valid") == ()
    assert read_jsonl(tmp_path / "test.jsonl", OPEN, "valid") == ()


def test_jsonl_is_written_and_read_back_without_loss(tmp_path: Path) -> None:
    card = make_card(knows_patients=True)
    studies = (
        Study(id="1", reference=Report(findings="Été\n\tok"), patient="p", attributes={"sex": "male"}),
        Study(id="2", reference=Report(impression="肺野清晰"), patient="q", indication="Cough"),
    )
    (tmp_path / "test.jsonl").write_bytes(jsonl_bytes(reversed(studies)))
    assert read_jsonl(tmp_path, card, "test") == studies


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ID = st.from_regex(r"[A-Za-z0-9_.-]{1,12}", fullmatch=True)


@given(st.dictionaries(ID, st.tuples(TEXT, TEXT), max_size=6))
def test_any_text_survives_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("jsonl")
    absent = {"", "None", "nan", "NaN"}
    studies = tuple(
        Study(id=id, reference=Report(findings=findings, impression="x" + impression))
        for id, (findings, impression) in sorted(texts.items())
        if findings.strip() not in absent
    )
    (folder / "test.jsonl").write_bytes(jsonl_bytes(studies))
    found = read_jsonl(folder, OPEN, "test")
    assert found == studies
    assert references_digest(found) == references_digest(reversed(studies))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([1], "test.jsonl:3: the line is not a JSON object"),
        ({"findings": "x"}, "test.jsonl:3: study 'None': the id is not text; write ids in quotes"),
        ({"study_id": True, "findings": "x"}, "test.jsonl:3: study 'True': the id is not text"),
        (
            {"study_id": "a", "findings": "x"},
            "test.jsonl:3: study 'a': a second reference for the same study",
        ),
        ({"study_id": "c", "finding": "x"}, "test.jsonl:3: study 'c': has unknown keys (1); known: study_id"),
        (
            {"study_id": "c", "findings": "x", "attributes": {"sex": 1}},
            "attributes are not an object of texts",
        ),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(tmp_path: Path, line: object, said: str) -> None:
    write_lines(tmp_path / "test.jsonl", [*LINES, line])
    with pytest.raises(InputError, match=re.escape(said)):
        read_jsonl(tmp_path, OPEN, "test")


def test_broken_json_in_a_line_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text('{"study_id": "a", "findings": "x"}\n{"study_id\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"test\.jsonl:2: not JSON: Unterminated string"):
        read_jsonl(tmp_path, OPEN, "test")


# Attributes


@pytest.mark.parametrize(
    ("value", "band"),
    [
        (17, "0-17"), (18, "18-39"), (39.0, "18-39"), ("40", "40-59"), ("079Y", "60-79"), ("80", "80+"),
        ("90+", "80+"), ("101 years old", "80+"), ("011M", "0-17"), ("002D", "0-17"),
        ("60-70", ""), ("", ""), (None, ""), ("unknown", ""), (True, ""), (NAN, ""),
    ],
)  # fmt: skip
def test_ages_fall_into_bands_and_doubt_into_none(value: object, band: str) -> None:
    assert age_band(value) == band


def test_sex_and_view_are_read_in_the_spellings_of_the_files() -> None:
    assert [sex(word) for word in ("F", "female", "M", "Male", "O", None)] == [
        "female",
        "female",
        "male",
        "male",
        "",
        "",
    ]
    assert view(["PA", "LATERAL"]) == view(["POSTERO_ANTERIOR", "LL"]) == "frontal and lateral"
    assert view(["AP"]) == view("Frontal") == "frontal"
    assert (view(["Lateral"]), view(["UNKNOWN", None]), view(None)) == ("lateral", "", "")


# The digest


def test_the_digest_covers_ids_sections_and_patients_and_ignores_order_and_line_ends() -> None:
    one = Study(id="1", reference=Report(findings="a\nb", impression="c"), patient="p")
    two = Study(id="2", reference=Report(findings="d"), patient="p")
    whole = references_digest([one, two])
    assert references_digest([two, one]) == whole
    same = Study(id="1", reference=Report(findings="a\r\nb", impression="c"), patient="p", indication="x")
    assert references_digest([same, two]) == whole
    others = [
        Study(id="3", reference=one.reference, patient="p"),
        Study(id="1", reference=Report(findings="a\nb", impression="C"), patient="p"),
        Study(id="1", reference=Report(findings="a\nbc"), patient="p"),
        Study(id="1", reference=one.reference, patient=None),
    ]
    assert len({whole, *(references_digest([other, two]) for other in others)}) == 5


def test_the_digest_of_one_study_is_the_one_in_the_documentation() -> None:
    # printf '%s\n' '{"findings":"Clear.","impression":"","patient":null,"study_id":"a"}' | sha256sum
    expected = "03e5d3652d3fbe28da65ffe12c12bf29a140c46fbc1a5210fbffe803f95cb0ae"
    assert references_digest([Study(id="a", reference=Report(findings="Clear."))]) == expected

"""The ReXrank reference file: one JSON object, study id -> study.

Read: `section_findings` and `section_impression` (bare NaN = absent), `context` or
`section_clinical_history` (the indication), `subject_id` or an id `patientN_studyM` (the patient), `split`,
`frontal_lateral`, `age`, `sex`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from scorer.datasets.base import Card
from scorer.datasets.readers.attributes import age_band, sex, view
from scorer.datasets.readers.common import (
    Complaints,
    Row,
    is_split_of,
    parse_json,
    read_text,
    studies_from,
)
from scorer.types import Study

__all__ = ["context_parts", "read_rexrank_json"]

# Parts may follow each other without a blank ("Gender:MIndication:"): a capitalised header needs no boundary.
_HEADERS = "Age|Gender|Indication|Comparison"
_CONTEXT = re.compile(rf"({_HEADERS}|(?<![A-Za-z])(?i:{_HEADERS}))\s*:")
_PATIENT_IN_ID = re.compile(r"(patient\d+)_study\d+")


def read_rexrank_json(path: Path, card: Card, split: str) -> tuple[Study, ...]:
    """Studies of one split, from a file or from the one file in a folder whose name ends in the split.

    Raises:
        InputError: not such a file; a key twice; a study without a reference.
    """
    files = (
        [path]
        if not path.is_dir()
        else [f for f in sorted(path.glob("*.json")) if is_split_of(f, card, split)]
    )
    complaints = Complaints(path, card)
    if len(files) > 1:
        names = ": " + ", ".join(file.name for file in files) if card.is_public else ""
        message = f"{len(files)} files could hold the {split} split{names}"
        complaints.about_file("many-files", message, "give the file instead of the folder")
    complaints.check()
    return _read(files[0], card, split) if files else ()


def _read(path: Path, card: Card, split: str) -> tuple[Study, ...]:
    complaints = Complaints(path, card)
    content = parse_json(read_text(path, complaints), complaints)
    complaints.check()
    if not isinstance(content, dict):
        hint = "expected the reference file: an object from study id to study"
        complaints.about_file("not-an-object", f"holds a {type(content).__name__} at the top", hint)
        complaints.check()
    assert isinstance(content, dict)
    return studies_from(_rows(content, path, card, split, complaints), card, complaints)


def _rows(
    content: Mapping[str, object], path: Path, card: Card, split: str, complaints: Complaints
) -> Iterator[Row]:
    for id, study in content.items():
        if not isinstance(study, dict):
            complaints.about_study("not-an-object", "is not an object", id)
            continue
        if not is_split_of(path, card, split, study.get("split")):
            continue
        context = context_parts(study.get("context"))
        in_id = _PATIENT_IN_ID.fullmatch(id)
        patient = study.get("subject_id")
        yield Row(
            id=id,
            findings=study.get("section_findings"),
            impression=study.get("section_impression"),
            patient=in_id[1] if patient is None and in_id else patient,
            indication=context.get("indication") or study.get("section_clinical_history"),
            attributes={
                "view": view(study.get("frontal_lateral")),
                "sex": sex(study.get("sex")) or sex(context.get("gender")),
                "age_band": age_band(study.get("age")) or age_band(context.get("age")),
            },
        )


def context_parts(context: object) -> dict[str, str]:
    """The parts of `Age:…Gender:…Indication:…Comparison: …` by lower-case name; `nan` is absent."""
    if not isinstance(context, str):
        return {}
    pieces = _CONTEXT.split(re.sub(r"</?context>", "", context))
    named = zip(pieces[1::2], pieces[2::2], strict=True)
    parts = {name.lower(): text.strip() for name, text in named}
    return {name: text for name, text in parts.items() if text.strip(" .").lower() not in {"", "nan"}}

"""Our own reference format: JSON Lines, `<split>.jsonl`.

One object a line: `study_id`, `findings`, `impression` (null or left out = absent), and where known
`patient`, `indication` and `attributes` (name -> text).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from scorer.datasets.base import Card
from scorer.datasets.readers.common import Complaints, Row, is_split_of, parse_json, read_text, studies_from
from scorer.types import Study

__all__ = ["jsonl_bytes", "read_jsonl"]

_KEYS = ("study_id", "patient", "indication", "findings", "impression", "attributes")


def read_jsonl(path: Path, card: Card, split: str) -> tuple[Study, ...]:
    """Studies of one split, from a folder that holds `<split>.jsonl` or from a file.

    Raises:
        InputError: a line that is no such object, an unknown key, a second reference for a study.
    """
    if path.is_dir():
        path = path / f"{split}.jsonl"
        if not path.exists():
            return ()
    elif not is_split_of(path, card, split):
        return ()
    complaints = Complaints(path, card)
    return studies_from(_rows(read_text(path, complaints), complaints), card, complaints)


def _rows(text: str, complaints: Complaints) -> Iterator[Row]:
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        entry = parse_json(content, complaints, line)
        if not isinstance(entry, dict):
            if entry is not None:
                complaints.about_file("not-an-object", "the line is not a JSON object", line=line)
            continue
        unknown = set(entry).difference(_KEYS)
        if unknown:
            known = f"known: {', '.join(_KEYS)}"
            complaints.about_study(
                "unknown-key", f"has unknown keys ({len(unknown)})", entry.get("study_id"), known, line
            )
        attributes = entry.get("attributes") or {}
        if not isinstance(attributes, dict) or not all(
            isinstance(value, str) for value in attributes.values()
        ):
            complaints.about_file("bad-attributes", "attributes are not an object of texts", line=line)
            continue
        yield Row(
            id=entry.get("study_id"),
            findings=entry.get("findings"),
            impression=entry.get("impression"),
            patient=entry.get("patient"),
            indication=entry.get("indication"),
            attributes=attributes,
            line=line,
        )


def jsonl_bytes(studies: Iterable[Study]) -> bytes:
    """Studies in this format: ascending id, absent things left out, UTF-8, LF."""
    lines = []
    for study in sorted(studies, key=lambda study: study.id):
        fields = {
            "study_id": study.id,
            "patient": study.patient,
            "indication": study.indication,
            "findings": study.reference.findings,
            "impression": study.reference.impression,
            "attributes": dict(study.attributes),
        }
        lines.append(
            json.dumps({key: value for key, value in fields.items() if value}, ensure_ascii=False) + "\n"
        )
    return "".join(lines).encode("utf-8")

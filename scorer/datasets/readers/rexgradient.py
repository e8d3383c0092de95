"""The metadata of ReXGradient-160K: `metadata/<split>_metadata_view_position.json` or `<split>_metadata.csv`.

We have seen this layout through other people's code only, so column names are matched without regard to case
and punctuation, and a file that lacks a needed one is refused with the list of what it has.
"""

from __future__ import annotations

import csv
import io
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

__all__ = ["read_rexgradient"]

_NAMES = ("{}_metadata_view_position.json", "{}_metadata.json", "{}_metadata.csv")
_MANY = 60
_NEEDED = {"findings": "Findings", "impression": "Impression", "patientid": "PatientID"}


def read_rexgradient(path: Path, card: Card, split: str) -> tuple[Study, ...]:
    """Studies of one split, from a metadata file, the metadata folder or the folder above it.

    Raises:
        InputError: not such a file; a needed column is missing (with the columns found).
    """
    if path.is_dir():
        names = [folder / name.format(split) for folder in (path, path / "metadata") for name in _NAMES]
        files = [name for name in names if name.is_file()][:1]
    else:
        files = [path] if is_split_of(path, card, split) else []
    return _read(files[0], card) if files else ()


def _read(path: Path, card: Card) -> tuple[Study, ...]:
    complaints = Complaints(path, card)
    text = read_text(path, complaints)
    entries = list(_csv(text, complaints) if path.suffix.lower() == ".csv" else _json(text, complaints))
    complaints.check()
    found = sorted({column for _, _, entry in entries[:1000] for column in entry})
    keys = {_key(column) for column in found} | (
        {"id"} if any(id is not None for id, _, _ in entries) else set()
    )
    missing = [column for key, column in {"id": "id", **_NEEDED}.items() if key not in keys]
    if missing:
        # A file of another shape may have ids where we expect columns; those are counted, not shown.
        shown = (
            (", ".join(found) or "none") if len(found) <= _MANY else f"{len(found):,}, too many to be columns"
        )
        complaints.about_file("missing-column", f"no column {', '.join(missing)}; columns found: {shown}")
    complaints.check()
    return studies_from((_row(*entry) for entry in entries), card, complaints)


def _json(text: str, complaints: Complaints) -> Iterator[tuple[object, int, Mapping[str, object]]]:
    content = parse_json(text, complaints)
    if not isinstance(content, dict):
        complaints.about_file("not-an-object", "holds no object from study id to study at the top")
        return
    for id, entry in content.items():
        if isinstance(entry, dict):
            yield id, 0, entry
        else:
            complaints.about_study("not-an-object", "is not an object", id)


def _csv(text: str, complaints: Complaints) -> Iterator[tuple[object, int, Mapping[str, object]]]:
    rows = csv.DictReader(io.StringIO(text, newline=""), restkey="(more cells than the header)")
    try:
        for entry in rows:
            yield (
                next((value for name, value in entry.items() if _key(name) == "id"), None),
                rows.line_num,
                entry,
            )
    except csv.Error as error:
        complaints.about_file("not-csv", f"not a table: {error}", line=rows.line_num)


def _row(id: object, line: int, entry: Mapping[str, object]) -> Row:
    cells = {_key(name): value for name, value in entry.items()}
    return Row(
        id=id,
        findings=cells.get("findings"),
        impression=cells.get("impression"),
        patient=cells.get("patientid"),
        indication=cells.get("indication"),
        attributes={
            "view": view(cells.get("imageviewposition")),
            "sex": sex(cells.get("patientsex")),
            "age_band": age_band(cells.get("patientage")),
        },
        line=line,
    )


def _key(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.lower())

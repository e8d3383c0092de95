"""Turns what people have into canonical predictions: ReXrank's JSON, JSON lists, JSON Lines, CSV.

Ids stay the text they are written as, whatever the format. Reference fields are dropped and named. A bare
NaN or null is an absent text; a word like None, NA or null inside a text is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.errors import printable
from scorer.guard import (
    Problems,
    Text,
    check_id,
    decode,
    limits,
    read_bytes,
    read_json,
    read_lines,
    read_table,
    unpack,
)
from scorer.guard.json_text import NaN, Number, kind
from scorer.predictions import check_section
from scorer.text import Report, split_sections

__all__ = ["Imported", "import_predictions", "parse_foreign"]

ID_KEYS = ("study_id", "id", "study", "case_id", "study_uid")
TEXT_KEYS = (
    "model_prediction",
    "prediction",
    "predicted_report",
    "generated_report",
    "generated",
    "report",
    "text",
)
SECTION_KEYS = ("findings", "impression")
REFERENCE_KEYS = frozenset(
    {"section_findings", "section_impression", "reference", "reference_report", "ground_truth"}
)


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What an import gives.

    Attributes:
        reports: by study id. dropped: names of reference fields left out. ignored: names of other fields left
            out. n_empty: predictions without any text.
    """

    reports: Mapping[str, Report]
    dropped: tuple[str, ...]
    ignored: tuple[str, ...]

    @property
    def n_empty(self) -> int:
        return sum(
            not (report.findings.strip() or report.impression.strip()) for report in self.reports.values()
        )


@dataclass(frozen=True, kw_only=True)
class _Row:
    place: str
    line: int
    fields: Mapping[str, Any]


def import_predictions(file: Path) -> Imported:
    """Reads a file of another layout.

    Raises:
        InputError: with every problem and its line.
    """
    problems = Problems()
    data = read_bytes(file, str(file), limits.IMPORT_BYTES, problems)
    imported = None if data is None else parse_foreign(data, str(file), problems)
    problems.raise_if_any()
    assert imported is not None
    return imported


def parse_foreign(data: bytes, path: str, problems: Problems) -> Imported | None:
    """The same from bytes; None when nothing can be read, with every problem added to `problems`."""
    content = unpack(data, path, problems, limits.IMPORT_BYTES)
    text = None if content is None else decode(content, path, problems, mark_allowed=True)
    if text is None:
        return None
    rows = list(_rows(text, problems))
    if not rows:
        if not problems.has_errors:
            problems.add("empty-file", "holds no predictions", path=path)
        return None
    names = {name for row in rows for name in row.fields}
    layout = _layout(names, text, problems)
    if layout is None:
        return None
    used = {layout} if isinstance(layout, str) else set(layout)
    rest = names - used - set(ID_KEYS)
    is_reference = layout == "model_prediction"
    dropped = {n for n in rest if n in REFERENCE_KEYS or (is_reference and n in {"report", *SECTION_KEYS})}
    return Imported(
        reports=dict(sorted(_reports(rows, layout, text, problems).items())),
        dropped=tuple(sorted(dropped)),
        ignored=tuple(sorted(rest - dropped)),
    )


def _rows(text: Text, problems: Problems) -> Iterator[_Row]:
    """Rows of whatever format this is, keys in lower case."""
    body = text.text.lstrip()
    name = text.path.removesuffix(".gz").lower()
    if name.endswith((".csv", ".tsv")) or body[:1] not in {"{", "["}:
        header = body.split("\n", 1)[0].lower()
        key = next(
            (key for key in ID_KEYS if re.search(rf"(?:^|[,;\t\"]){key}(?:[,;\t\"]|\s*$)", header)),
            "study_id",
        )
        lowered = Text(path=text.path, text=header + body[len(header) :])
        for line, cells in read_table(lowered, [key], problems):
            yield _Row(place="", line=line, fields=cells)
    elif name.endswith(".jsonl") or re.match(r"\{.*\}[ \t]*\n\s*\{", body):
        for line, fields in read_lines(text, problems, nan_allowed=True):
            yield _Row(place="", line=line, fields=_lower(fields))
    else:
        yield from _document_rows(read_json(text, problems, nan_allowed=True), text, problems)


def _document_rows(document: Any, text: Text, problems: Problems) -> Iterator[_Row]:
    if isinstance(document, dict) and document and all(isinstance(v, dict | str) for v in document.values()):
        for study_id, value in document.items():
            fields = _lower(value) if isinstance(value, dict) else {"prediction": value}
            place = f"study {printable(study_id, 60)}"
            yield _Row(place=place, line=0, fields={**fields, "study_id": study_id})
    elif isinstance(document, list) and document and all(isinstance(item, dict) for item in document):
        for n, item in enumerate(document, start=1):
            yield _Row(place=f"item {n:,}", line=0, fields=_lower(item))
    elif isinstance(document, list) and document:
        message = f"a list of {len(document):,} items without study ids"
        hint = "predictions are paired by study id, not by order: write one object with its study_id each"
        problems.add("no-study-id", message, path=text.path, hint=hint)
    elif document is not None:
        hint = "an object of studies, a list of objects, JSON Lines or CSV can be read"
        problems.add("unknown-layout", f"{kind(document)} that holds no studies", path=text.path, hint=hint)


def _lower(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key.strip().lower(): value for key, value in fields.items()}


def _layout(names: Iterable[str], text: Text, problems: Problems) -> str | tuple[str, ...] | None:
    """The key that holds the whole text, or the keys that hold the sections."""
    found = set(names)
    shown = ", ".join(printable(name, 40) for name in sorted(found)[:20])
    if "model_prediction" in found:
        return "model_prediction"
    if (
        "report" in found
        and found & REFERENCE_KEYS
        and not found & {"section_findings", "section_impression"}
    ):
        # `report` beside `reference` is the prediction; beside `section_…` it is ReXrank's own reference file.
        return next(key for key in TEXT_KEYS if key in found)
    if (
        found & REFERENCE_KEYS
        and not found & {key for key in TEXT_KEYS if key != "report"}
        and not found & set(SECTION_KEYS)
    ):
        hint = "this looks like the reference file; predictions stand under model_prediction"
        problems.add(
            "references-only",
            f"holds references and no predictions; found: {shown}",
            path=text.path,
            hint=hint,
        )
        return None
    if found & set(SECTION_KEYS):
        return SECTION_KEYS
    if key := next((key for key in TEXT_KEYS if key in found), ""):
        return key
    hint = f"name the column report, or findings and impression; found: {shown}"
    problems.add("no-text", "no field holds the predicted report", path=text.path, hint=hint)
    return None


def _reports(
    rows: Iterable[_Row], layout: str | tuple[str, ...], text: Text, problems: Problems
) -> dict[str, Report]:
    found: dict[str, Report] = {}
    places: dict[str, _Row] = {}
    for row in rows:
        study_id = _study_id(row, text, problems)
        if study_id is None:
            continue
        if first := places.get(study_id):
            where = (
                f"on lines {first.line} and {row.line}" if row.line else f"at {first.place} and {row.place}"
            )
            message = f"study {printable(study_id)!r} stands twice, {where}"
            problems.add("duplicate-study", message, path=text.path, line=row.line, hint="keep one of them")
            continue
        places[study_id] = row
        sections = [
            _section(row, key, text, problems) for key in ([layout] if isinstance(layout, str) else layout)
        ]
        if None not in sections:
            found[study_id] = (
                split_sections(str(sections[0]))
                if len(sections) == 1
                else Report(findings=str(sections[0]), impression=str(sections[1]))
            )
    return found


def _study_id(row: _Row, text: Text, problems: Problems) -> str | None:
    value = next((row.fields[key] for key in ID_KEYS if key in row.fields), None)
    if isinstance(value, Number) and re.fullmatch(r"-?[0-9]+", value):
        return str(value)
    if type(value) is not str:
        message = "has no study_id" if value is None else f"the study id is {kind(value)}, not a text"
        _say(row, "no-study-id", message, "every prediction needs its study id", text, problems)
        return None
    if said := check_id(value):
        _say(row, *said, text, problems)
        return None
    return value


def _section(row: _Row, key: str, text: Text, problems: Problems) -> str | None:
    """A text, "" where it is absent, or None where the value is no text."""
    value = row.fields.get(key)
    if value is None or value is NaN:
        return ""
    if said := check_section(value):
        _say(row, *said, text, problems)
        return None
    return str(value)


def _say(row: _Row, code: str, message: str, hint: str, text: Text, problems: Problems) -> None:
    said = f"{row.place}: {message}" if row.place else message
    problems.add(code, said, path=text.path, line=row.line, hint=hint)

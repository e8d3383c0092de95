"""Canonical predictions: JSON Lines with `study_id`, `findings` and `impression`, and nothing else.

The canonical form is UTF-8 without a mark, LF, one object a line in ascending order of study id, keys in
alphabetical order, no blanks around separators. Its sha256 identifies the predictions, whatever file they
came in: packed or not, with CRLF, in another order, with `null` or nothing for an absent section. Texts
count exactly as given; no Unicode normalisation, for a score sees the difference too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scorer.errors import printable
from scorer.guard import Problems, Text, check_id, decode, limits, nearest, read_bytes, read_lines, unpack
from scorer.guard.json_text import kind
from scorer.text import Report

__all__ = [
    "canonical_predictions",
    "check_section",
    "parse_content",
    "parse_predictions",
    "predictions_digest",
    "read_predictions",
    "unpack_predictions",
]

_KEYS = ("study_id", "findings", "impression")
_SECTIONS = _KEYS[1:]
_REFERENCE_WORDS = ("reference", "ground_truth", "section_", "label", "target", "gt")


def read_predictions(path: Path) -> Mapping[str, Report]:
    """Reads a prediction file, plain or .gz, in the order of the file.

    Raises:
        InputError: with every problem and its line.
    """
    problems = Problems()
    data = read_bytes(path, str(path), limits.PREDICTION_BYTES, problems)
    found = {} if data is None else parse_predictions(data, str(path), problems)
    problems.raise_if_any()
    return found


def parse_predictions(
    data: bytes, path: str, problems: Problems, refused: set[str] | None = None
) -> dict[str, Report]:
    """The same from bytes: every good line, with every problem added to `problems`, and the ids of lines that
    were refused (a number as an id counts as its digits) added to `refused`."""
    content = unpack_predictions(data, path, problems)
    return {} if content is None else parse_content(content, path, problems, refused)


def unpack_predictions(data: bytes, path: str, problems: Problems) -> bytes | None:
    """The text of a prediction file as bytes, or None with the problem said."""
    if path.endswith(".gz") and len(data) > limits.GZIP_BYTES:
        problems.add("too-large", limits.over(limits.GZIP_BYTES, len(data)), path=path)
        return None
    return unpack(data, path, problems)


def parse_content(
    content: bytes, path: str, problems: Problems, refused: set[str] | None = None
) -> dict[str, Report]:
    """`parse_predictions` of what is unpacked already."""
    refused = set() if refused is None else refused
    text = decode(content, path, problems)
    if text is None:
        return {}
    found: dict[str, Report] = {}
    lines: dict[str, int] = {}
    for line, row in read_lines(text, problems):
        study_id = _study_id(row, text, line, problems)
        report = _report(row, text, line, problems)
        if study_id is None:
            if isinstance(given := row.get("study_id"), str):  # a number is read as its digits
                refused.add(str(given))
            continue
        if study_id in lines:
            message = f"study {printable(study_id)!r} stands twice, on lines {lines[study_id]} and {line}"
            problems.add(
                "duplicate-study", message, path=path, line=line, field="study_id", hint="keep one of them"
            )
            continue
        lines[study_id] = line
        if report is not None:
            found[study_id] = report
        else:
            refused.add(study_id)
    if not lines and not problems.has_errors:
        problems.add("empty-file", "holds no predictions", path=path, hint="one JSON object a line")
    return found


def _study_id(row: Mapping[str, Any], text: Text, line: int, problems: Problems) -> str | None:
    if "study_id" not in row:
        problems.add("no-study-id", "has no study_id", path=text.path, line=line, field="study_id")
        return None
    value = row["study_id"]
    if type(value) is not str:
        shown = f"{kind(value)}, not a text"
        hint = (
            f'write "{printable(value)}"' if isinstance(value, str) else "write the id between double quotes"
        )
        problems.add(
            "id-not-text", f"the id is {shown}", path=text.path, line=line, field="study_id", hint=hint
        )
        return None
    if said := check_id(value):
        code, message, hint = said
        problems.add(code, message, path=text.path, line=line, field="study_id", hint=hint)
        return None
    return value


def _report(row: Mapping[str, Any], text: Text, line: int, problems: Problems) -> Report | None:
    unknown = [key for key in row if key not in _KEYS]
    for place, key in enumerate(unknown):
        if problems.is_full("unknown-key", text.path):
            problems.count("unknown-key", text.path, len(unknown) - place)
            break
        message = f"unknown key {printable(key, 60)!r}"
        problems.add("unknown-key", message, path=text.path, line=line, hint=_hint_for(key))
    good = not unknown
    if all(row.get(section) is None for section in _SECTIONS):
        problems.add(
            "no-sections",
            "has neither findings nor impression",
            path=text.path,
            line=line,
            hint='an empty prediction is written "findings": ""',
        )
        return None
    for section in _SECTIONS:
        value = row.get(section)
        if value is None:
            continue
        said = check_section(value)
        if said:
            good = False
            problems.add(said[0], said[1], path=text.path, line=line, field=section, hint=said[2])
    return (
        Report(findings=row.get("findings") or "", impression=row.get("impression") or "") if good else None
    )


def _hint_for(key: str) -> str:
    """What to do about a key that predictions do not have."""
    if any(word in key.lower() for word in _REFERENCE_WORDS):
        return "predictions hold no reference text; `rexrank import` drops it"
    if near := nearest(key, _KEYS):
        return f"did you mean {near!r}?"
    return "`rexrank import` turns other layouts into study_id, findings and impression"


def check_section(value: Any) -> tuple[str, str, str] | None:
    """What keeps a value from being a section's text (code, message, hint), or None. "" is an empty prediction."""
    if type(value) is not str:
        return "not-text", f"{kind(value)} where a text is expected", 'an empty prediction is written ""'
    if len(value) > limits.REPORT_CHARACTERS:
        return (
            "long-report",
            f"a text of {len(value):,} characters",
            f"the limit is {limits.REPORT_CHARACTERS:,}",
        )
    if value.count(" ") >= limits.REPORT_WORDS and (n := len(value.split())) > limits.REPORT_WORDS:
        return "long-report", f"a text of {n:,} words", f"the limit is {limits.REPORT_WORDS:,}"
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return (
                "lone-surrogate",
                "holds half a character (a lone surrogate)",
                "write the text with a JSON library",
            )
    if "\x00" in value:
        return "nul-byte", "holds a NUL character", "remove it"
    return None


def canonical_predictions(reports: Mapping[str, Report]) -> bytes:
    """The canonical file of a set of predictions."""
    return b"".join(_canonical_lines(reports))


def predictions_digest(reports: Mapping[str, Report]) -> str:
    """sha256 of the canonical file: the identity of a set of predictions."""
    found = hashlib.sha256()
    for line in _canonical_lines(reports):
        found.update(line)
    return found.hexdigest()


def _canonical_lines(reports: Mapping[str, Report]) -> Iterator[bytes]:
    dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for study_id, report in sorted(reports.items()):
        row = {"findings": report.findings, "impression": report.impression, "study_id": study_id}
        yield dumps(row).encode("utf-8") + b"\n"

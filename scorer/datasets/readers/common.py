"""What the readers share: opening a file, JSON without silent losses, and the checks every study passes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scorer.datasets.base import Card
from scorer.errors import InputError, Problem, printable
from scorer.text import Report
from scorer.types import Study

__all__ = [
    "Complaints",
    "Row",
    "is_split_of",
    "parse_json",
    "read_text",
    "split_name",
    "studies_from",
]

_SPLITS = {
    "train": "train",
    "training": "train",
    "valid": "valid",
    "val": "valid",
    "validate": "valid",
    "validation": "valid",
    "dev": "valid",
    "test": "test",
    "private": "private",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_ABSENT = {"", "None", "nan", "NaN"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One study as a source file holds it, before any check; sections may be of any JSON type.

    Attributes:
        line: 1-based line in the file; 0 when unknown.
    """

    id: object
    findings: object = None
    impression: object = None
    patient: object = None
    indication: object = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


class Complaints:
    """Collects problems of one file: by study where the dataset is public, as kinds and counts elsewhere."""

    def __init__(self, path: Path, card: Card) -> None:
        self._path, self._is_public = str(path), card.is_public
        self._counts: dict[tuple[str, str, str], int] = {}
        self._problems: list[Problem] = []

    def about_file(self, code: str, message: str, hint: str = "", line: int = 0) -> None:
        """A problem of the file itself; `message` must hold nothing private."""
        self._problems.append(Problem(path=self._path, line=line, code=code, message=message, hint=hint))

    def about_study(self, code: str, kind: str, study: object, hint: str = "", line: int = 0) -> None:
        """A problem of one study; `kind` is a fixed phrase without ids or texts."""
        if self._is_public:
            shown = printable(study) if isinstance(study, str) else printable(repr(study))
            self.about_file(code, f"study '{shown}': {kind}", hint, line)
        else:
            self._counts[code, kind, hint] = self._counts.get((code, kind, hint), 0) + 1

    def check(self) -> None:
        """Raises InputError when there is anything to complain about."""
        for (code, kind, hint), count in self._counts.items():
            self.about_file(code, f"{count} {'study' if count == 1 else 'studies'}: {kind}", hint)
        if self._problems:
            raise InputError(self._problems)


def read_text(path: Path, complaints: Complaints) -> str:
    """The file's text without a byte order mark.

    Raises:
        InputError: unreadable, or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        complaints.about_file("not-utf-8", f"not UTF-8 (byte {error.start})", "save the file as UTF-8")
    except OSError as error:
        complaints.about_file("unreadable", f"cannot be read ({error.strerror})")
    complaints.check()
    raise AssertionError("unreachable")


def parse_json(text: str, complaints: Complaints, line: int = 0) -> object:
    """JSON in which the bare `NaN` of the ReXrank files is an absent value and no key may stand twice.

    Gives None, after a complaint, when the text cannot be read.
    """

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        content: dict[str, object] = {}
        for key, value in pairs:
            if key in content:
                complaints.about_study(
                    "duplicate-study", "the key stands twice in one JSON object", key, line=line
                )
            content[key] = value
        return content

    try:
        content: object = json.loads(text, object_pairs_hook=unique, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1 if line else error.lineno
        complaints.about_file("not-json", f"not JSON: {error.msg} (column {error.colno})", line=at)
    except RecursionError:
        complaints.about_file("not-json", "nested too deeply", line=line)
    except ValueError:
        complaints.about_file("not-json", "holds a number too long to read", line=line)
    else:
        return content
    return None


def split_name(text: object) -> str:
    """Our name of a split ("val" and "validate" are "valid"); "" when the text names none."""
    return _SPLITS.get(text.strip().lower(), "") if isinstance(text, str) else ""


def is_split_of(path: Path, card: Card, split: str, marked: object = None) -> bool:
    """Whether a study is of a split: by its mark, else its file's name, else it is of the scored one."""
    by_name = [split_name(part) for part in re.split(r"[-_. ]", path.name.partition(".")[0])]
    name = split_name(marked) or next((part for part in reversed(by_name) if part), "") or card.split
    return name == split


def studies_from(rows: Iterable[Row], card: Card, complaints: Complaints) -> tuple[Study, ...]:
    """Checks rows and makes studies of them, in ascending id order.

    A section is text, kept untouched, or absent (null, blank, or the bare word None or nan); a study has at
    least one, and one reference only. Ids are text or whole numbers and are kept digit for digit.

    Raises:
        InputError: every problem of every row.
    """
    studies: dict[str, Study] = {}
    for row in rows:
        study = _study(row, card, complaints)
        if study is None:
            continue
        if study.id in studies:
            hint = "one study has one reference: keep the one the split was made with"
            complaints.about_study(
                "duplicate-study", "a second reference for the same study", study.id, hint, row.line
            )
        studies[study.id] = study
    complaints.check()
    return tuple(studies[id] for id in sorted(studies))


def _study(row: Row, card: Card, complaints: Complaints) -> Study | None:
    def complain(code: str, kind: str, hint: str = "") -> None:
        complaints.about_study(code, kind, row.id, hint, row.line)

    id = _name(row.id)
    if id is None:
        complain("bad-id", "the id is not text", "write ids in quotes")
        return None
    if not id or id != id.strip() or not id.isprintable():
        complain("bad-id", "the id is blank, has blanks around it or holds a control character")
        return None
    texts = {"findings": row.findings, "impression": row.impression, "indication": row.indication}
    for section, text in texts.items():
        if text is not None and not isinstance(text, str):
            complain("bad-section", f"{section} is neither text nor absent")
            return None
        texts[section] = "" if text is None or text.strip() in _ABSENT else text
    sections = {section: str(text) for section, text in texts.items()}
    if any(_SURROGATE.search(text) for text in (id, *sections.values())):
        complain("bad-text", "holds half of a surrogate pair, which no UTF-8 file can hold")
        return None
    if not sections["findings"] and not sections["impression"]:
        complain("no-reference", "neither findings nor impression", "a study needs a reference report")
        return None
    patient = _name(row.patient) if row.patient is not None else None
    if card.knows_patients and not patient:
        complain(
            "no-patient", "the patient is not named", "intervals of this dataset are clustered by patient"
        )
        return None
    return Study(
        id=id,
        reference=Report(findings=sections["findings"], impression=sections["impression"]),
        patient=patient if card.knows_patients else None,
        indication=sections["indication"],
        attributes={name: row.attributes[name] for name in card.attributes if row.attributes.get(name)},
    )


def _name(value: object) -> str | None:
    """An id as text: text as it is, a whole number digit for digit, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)

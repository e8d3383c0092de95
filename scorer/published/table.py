"""Published figures as CSV: one strict reader for what comes in and for what lies in `results/published`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from scorer.errors import Problem, printable
from scorer.published.metrics import METRICS
from scorer.published.types import TRACKS_PUBLISHED, PublishedRow

__all__ = ["COLUMNS", "NAME", "read_rows", "rows_bytes"]

COLUMNS = ("dataset", "split", "track", "model", "metric", "value", "trained_on_dataset", "note")
_BY_ID = {metric.id: metric for metric in METRICS}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", re.ASCII)
NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", re.ASCII)
"""What may be a folder: never empty, never a path."""
_TRAINED = {"true": True, "false": False, "unknown": None}


def read_rows(path: Path, problems: list[Problem], edition: str | None = None) -> tuple[PublishedRow, ...]:
    """Reads every figure of a CSV file; appends every problem found, with its line.

    Args:
        edition: id of the edition the whole file belongs to; None when a first column `source_id` says it.
    """

    def refuse(code: str, message: str, line: int = 0, field: str = "", hint: str = "") -> None:
        problems.append(
            Problem(path=str(path), line=line, field=field, code=code, message=message, hint=hint)
        )

    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        refuse("unreadable", f"cannot be read ({type(error).__name__})")
        return ()
    except UnicodeDecodeError:
        refuse("encoding", "is not UTF-8", hint="save it as UTF-8")
        return ()
    columns = COLUMNS if edition is not None else ("source_id", *COLUMNS)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[PublishedRow] = []
    seen: dict[tuple[str, ...], int] = {}
    try:
        header = next(reader, [])
        if tuple(header) != columns:
            refuse("header", "the first line is not the header", 1, hint=f"it must be {','.join(columns)}")
            return ()
        for fields in reader:
            line = reader.line_num
            if len(fields) != len(columns):
                refuse("columns", f"has {len(fields)} columns, not {len(columns)}", line)
                continue
            named = dict(zip(columns, fields, strict=True))
            faults = _faults(named)
            for field, message, hint in faults:
                refuse("bad-value", message, line, field, hint)
            if faults:
                continue
            row = PublishedRow(
                edition=edition if edition is not None else named["source_id"],
                **{key: named[key] for key in ("dataset", "split", "track", "model", "metric", "note")},
                value=float(named["value"]),
                printed=named["value"],
                trained_on_dataset=_TRAINED[named["trained_on_dataset"]],
                line=line,
            )
            first = seen.setdefault((row.edition, *row.cell), line)
            if first != line:
                refuse("duplicate", f"the same cell stands in line {first}", line, hint="keep one of them")
                continue
            rows.append(row)
    except csv.Error as error:
        refuse("csv", f"is not CSV: {printable(str(error))}", reader.line_num)
    return tuple(rows)


def _faults(named: dict[str, str]) -> list[tuple[str, str, str]]:
    """(field, what is wrong, how to fix it) of one line."""
    faults: list[tuple[str, str, str]] = []
    for field in ("source_id", "dataset", "split"):
        if field in named and not NAME.fullmatch(named[field]):
            faults.append((field, f"'{printable(named[field])}' is not a lower-case name", "use kebab-case"))
    if named["track"] not in TRACKS_PUBLISHED:
        faults.append(
            (
                "track",
                f"'{printable(named['track'])}' is not a track",
                f"one of {', '.join(TRACKS_PUBLISHED)}",
            )
        )
    model = named["model"]
    if not model or model != model.strip() or not model.isprintable():
        faults.append(("model", "is not a printable name without blanks around it", ""))
    if not named["note"].isprintable():
        faults.append(("note", "holds a control character", "keep it on one line"))
    if named["trained_on_dataset"] not in _TRAINED:
        faults.append(
            ("trained_on_dataset", f"'{printable(named['trained_on_dataset'])}'", "true, false or unknown")
        )
    return faults + _value_faults(named["metric"], named["value"])


def _value_faults(id: str, printed: str) -> list[tuple[str, str, str]]:
    metric = _BY_ID.get(id)
    if metric is None:
        return [("metric", f"'{printable(id)}' is not a published metric", f"one of {', '.join(_BY_ID)}")]
    if not _NUMBER.fullmatch(printed):
        return [("value", f"'{printable(printed)}' is not a plain decimal number", "write it as 0.123")]
    if not metric.low <= float(printed) <= metric.high:
        span = f"{metric.low:.4g} to {metric.high:.4g}"
        hint = "a percentage must be divided by 100" if metric.high == 1 and 1 < float(printed) <= 100 else ""
        return [("value", f"{printable(printed)} is outside the range of {id}, {span}", hint)]
    return []


def rows_bytes(rows: Sequence[PublishedRow]) -> bytes:
    """CSV of one edition's figures in the order given, every figure digit for digit; LF."""
    words = {flag: word for word, flag in _TRAINED.items()}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([*row.cell, row.printed, words[row.trained_on_dataset], row.note])
    return out.getvalue().encode("utf-8")

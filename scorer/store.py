"""Where things lie under `results/`, and how they are read and written.

Writes go to a temporary name in the same folder and are renamed, so a reader sees the old file or the new
one and never half of one. JSON is canonical: sorted keys, full floats, LF, no NaN.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scorer.errors import InputError, Problem
from scorer.text import TRACKS, Track
from scorer.types import Estimate, Record, StudyTable

__all__ = ["Results", "canonical_json", "digest", "write_atomic"]


def canonical_json(document: Any) -> bytes:
    """UTF-8 JSON with sorted keys, two-space indent and a final newline; equal documents give equal bytes."""
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False)
    return (text + "\n").encode("utf-8")


def digest(data: bytes) -> str:
    """sha256 in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def write_atomic(path: Path, data: bytes) -> bool:
    """Writes a file whole or not at all; leaves it alone (and gives False) when it already holds `data`.

    Raises:
        OSError: disk full, read-only folder and the like; the old file is intact.
    """
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return True


class Results:
    """The results folder. Paths are identity: what a file is follows from where it lies."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def submission_dir(self, model: str) -> Path:
        return self.root / "submissions" / model

    def submission_ids(self) -> tuple[str, ...]:
        folder = self.root / "submissions"
        return (
            tuple(sorted(p.parent.name for p in folder.glob("*/submission.yaml"))) if folder.is_dir() else ()
        )

    def record_path(self, model: str, dataset: str, track: Track) -> Path:
        return self.root / "scores" / model / f"{dataset}.{track}.json"

    def table_path(self, model: str, dataset: str, track: Track, statistic: str) -> Path:
        """`statistic` is the bare id; the version stands in the file's first line."""
        return self.root / "scores" / model / f"{dataset}.{track}.{statistic}.csv"

    def write_record(self, record: Record) -> bool:
        """Gives whether anything changed."""
        path = self.record_path(record.model, record.dataset, record.track)
        return write_atomic(path, canonical_json(dataclasses.asdict(record)))

    def read_record(self, model: str, dataset: str, track: Track) -> Record | None:
        """The record, or None when there is none.

        Raises:
            InputError: the file is not a record of that model, dataset and track.
        """
        path = self.record_path(model, dataset, track)
        if not path.is_file():
            return None
        try:
            record = record_from(json.loads(path.read_bytes()))
        except (ValueError, KeyError, TypeError) as error:
            raise _broken(path, f"not a record ({type(error).__name__})") from error
        if (record.model, record.dataset, record.track) != (model, dataset, track):
            raise _broken(path, "names another model, dataset or track than its path")
        return record

    def records(self) -> Iterator[Record]:
        """All records, by model, dataset and track."""
        for path in sorted((self.root / "scores").glob("*/*.json")):
            dataset, _, track = path.name.removesuffix(".json").rpartition(".")
            if track in TRACKS:
                record = self.read_record(path.parent.name, dataset, track)
                assert record is not None
                yield record

    def write_table(self, path: Path, table: StudyTable) -> bool:
        """Gives whether anything changed."""
        return write_atomic(path, table_bytes(table))

    def read_table(self, path: Path) -> StudyTable | None:
        """A per-study table, or None when there is none.

        Raises:
            InputError: the file is damaged.
        """
        if not path.is_file():
            return None
        try:
            return table_from(path.read_bytes())
        except (ValueError, KeyError, IndexError, StopIteration) as error:
            raise _broken(path, f"not a per-study table ({type(error).__name__})") from error


def record_from(document: Mapping[str, Any]) -> Record:
    """Rebuilds a record from its JSON form; unknown or missing keys raise TypeError."""
    estimates = tuple(Estimate(**estimate) for estimate in document["estimates"])
    return Record(**{**document, "estimates": estimates})


def table_bytes(table: StudyTable) -> bytes:
    """CSV: a comment line with the table's identity, a header, a row a study, floats that round-trip."""
    out = io.StringIO()
    out.write(
        f"# {table.statistic} inputs={table.inputs or '-'} weights={table.weights_digest or '-'}"
        f" truncated={table.n_truncated}\n"
    )
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["study_id", *table.columns])
    for study_id, row in zip(table.study_ids, table.values.tolist(), strict=True):
        writer.writerow([study_id, *(int(x) if x.is_integer() else repr(x) for x in row)])
    return out.getvalue().encode("utf-8")


def table_from(data: bytes) -> StudyTable:
    """Reads `table_bytes` back without loss."""
    first, _, rest = data.decode("utf-8").partition("\n")
    mark, statistic, inputs, weights, truncated = first.split(" ")
    if mark != "#":
        raise ValueError("first line is not the table's identity")
    rows = csv.reader(io.StringIO(rest, newline=""))
    columns = next(rows)[1:]
    body = list(rows)
    values = np.array([row[1:] for row in body], dtype=np.float64).reshape(len(body), len(columns))
    if not np.isfinite(values).all():
        raise ValueError("a value is not finite")
    named = {name: value for name, _, value in (part.partition("=") for part in (inputs, weights, truncated))}
    return StudyTable(
        statistic=statistic,
        columns=tuple(columns),
        study_ids=tuple(row[0] for row in body),
        values=values,
        inputs=named["inputs"].removeprefix("-"),
        weights_digest=named["weights"].removeprefix("-"),
        n_truncated=int(named["truncated"]),
    )


def _broken(path: Path, what: str) -> InputError:
    return InputError(
        [Problem(path=str(path), code="broken-file", message=what, hint="restore it from git or score again")]
    )

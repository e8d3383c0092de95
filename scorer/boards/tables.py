"""A record's per-study tables, read when somebody looks and only if they are the ones the record was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from scorer.store import Results, digest
from scorer.types import Record, StudyTable

__all__ = ["RecordTables"]


class RecordTables(Mapping[str, StudyTable]):
    """Statistic id -> table, for the tables that lie here with the digest that the record names.

    A file with another digest was edited or exchanged: it is no key, and stands in `unverified`.
    """

    def __init__(self, place: Results, record: Record | None) -> None:
        self._place, self._record = place, record
        self._read: dict[str, StudyTable] = {}
        self.digests: dict[str, str] = {}
        unverified = set()
        for key, expected in record.digests.items() if record is not None else ():
            if key.startswith("statistic:"):
                name = key.removeprefix("statistic:").partition("@")[0]
                path = self._path(name)
                if path.is_file():
                    if digest(path.read_bytes()) == expected:
                        self.digests[name] = expected
                    else:
                        unverified.add(name)
        self.unverified = frozenset(unverified)

    def _path(self, name: str) -> Path:
        assert self._record is not None
        return self._place.table_path(self._record.model, self._record.dataset, self._record.track, name)

    def __getitem__(self, name: str) -> StudyTable:
        if name not in self.digests:
            raise KeyError(name)
        if name not in self._read:
            table = self._place.read_table(self._path(name))
            if table is None:
                raise KeyError(name)  # removed between two looks
            self._read[name] = table
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self.digests  # without reading the table

    def __iter__(self) -> Iterator[str]:
        return iter(self.digests)

    def __len__(self) -> int:
        return len(self.digests)

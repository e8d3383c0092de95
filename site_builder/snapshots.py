"""Frozen snapshots as the builder sees them: a document to read numbers from, and files to copy as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import InputError, Problem
from scorer.snapshots.dois import read_dois
from scorer.snapshots.freeze import place, snapshot_versions
from scorer.snapshots.snapshot import Snapshot, read_snapshot
from scorer.snapshots.verify import verify

__all__ = ["FrozenSnapshot", "read_snapshots"]


@dataclass(frozen=True, kw_only=True)
class FrozenSnapshot:
    """A snapshot whose files fit their checksums.

    Attributes:
        files: every file by path inside the snapshot's folder. doi: bare, "" until known.
    """

    snapshot: Snapshot
    files: Mapping[str, bytes]
    doi: str = ""

    @property
    def version(self) -> str:
        return self.snapshot.version

    @property
    def path(self) -> str:
        """Address below the site's root."""
        return f"snapshots/{self.version}/"


def read_snapshots(results: Path) -> tuple[FrozenSnapshot, ...]:
    """All snapshots, oldest first.

    Raises:
        InputError: a file of a snapshot is not what SHA256SUMS says; an altered snapshot is never published.
    """
    dois = read_dois(results)
    found: list[FrozenSnapshot] = []
    problems: list[Problem] = []
    for version in snapshot_versions(results):
        problems += verify(results, version, None).problems
        folder = place(results, version)
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
        if not problems:
            snapshot = read_snapshot(
                files["snapshot.json"], f"{results.name}/snapshots/{version}/snapshot.json"
            )
            found.append(FrozenSnapshot(snapshot=snapshot, files=files, doi=dois.get(str(version), "")))
    if problems:
        raise InputError(problems)
    return tuple(found)

"""Makes a snapshot: every reason against it first, then all its files at once.

The bytes follow from the commit, the version and the packages alone: the date is the commit's, nothing
reads a clock. A folder under `results/snapshots/` appears whole or not at all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from scorer import scoring
from scorer._version import __version__
from scorer.board import Board
from scorer.citation_formats import cff
from scorer.citing import Publisher, cite_snapshot
from scorer.errors import InputError, Problem, UsageError, printable
from scorer.snapshots.repository import Repository
from scorer.snapshots.snapshot import Snapshot, Stored, board_csv, read_snapshot
from scorer.snapshots.version import Version
from scorer.store import digest

__all__ = [
    "DATA_FILES",
    "SUMS",
    "frozen_with",
    "load_snapshot",
    "place",
    "refusals",
    "snapshot_files",
    "snapshot_versions",
    "sums",
    "write_snapshot",
]

SUMS = "SHA256SUMS"
DATA_FILES = ("snapshot.json", "board.csv", "CITATION.cff")
_SHOWN = 5


def place(results: Path, version: Version) -> Path:
    """The folder of a snapshot."""
    return results / "snapshots" / str(version)


def snapshot_versions(results: Path) -> tuple[Version, ...]:
    """Snapshots that are there, oldest first."""
    folder = results / "snapshots"
    names = [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return tuple(sorted(Version.parse(name) for name in names if Version.is_version(name)))


def load_snapshot(results: Path, version: str) -> Snapshot:
    """A snapshot by the text of its version.

    Raises:
        UsageError: there is none of that version; the message lists those that are there.
        InputError: its file is damaged.
    """
    known = snapshot_versions(results)
    wanted = Version.parse(version)
    if wanted not in known:
        there = ", ".join(map(str, known)) or "none"
        raise UsageError(f"no snapshot {wanted}; there are: {there}")
    path = place(results, wanted) / "snapshot.json"
    return read_snapshot(path.read_bytes(), f"{results.name}/snapshots/{wanted}/snapshot.json")


def frozen_with() -> dict[str, str]:
    """Versions of the packages that compute ranks."""
    return {"rexrank": __version__, **{name: metadata.version(name) for name in ("numpy", "scipy")}}


def refusals(
    version: Version,
    *,
    repository: Repository,
    results: Path,
    boards: Sequence[Board],
    records: Sequence[Stored],
    cells: Sequence[scoring.Cell] = (),
) -> tuple[Problem, ...]:
    """Everything that forbids freezing now; empty when nothing does.

    Args:
        cells: states of the records behind the boards; they know of predictions that changed since scoring.
    """
    return (
        *_order(version, repository, results),
        *_dirt(repository),
        *_stale(cells),
        *_states(boards),
        *_mixtures(boards, records),
    )


def _order(version: Version, repository: Repository, results: Path) -> Iterable[Problem]:
    tagged = [tag.removeprefix("snapshot-") for tag in repository.tags()]
    known = {
        *snapshot_versions(results),
        *(Version.parse(name) for name in tagged if Version.is_version(name)),
    }
    if known and version <= (newest := max(known)):
        following = Version(newest.year, newest.number + 1)
        said = "already exists" if version in known else f"is lower than {newest}"
        yield Problem(
            path=f"results/snapshots/{version}",
            code="snapshot-version",
            message=f"snapshot {version} {said}",
            hint=f"a version is never used again; the next one is {following}, or number 1 of a later year",
        )


def _dirt(repository: Repository) -> Iterable[Problem]:
    changed = repository.changed()
    if changed:
        yield Problem(
            code="dirty-tree",
            message=f"the tree differs from its commit: {_some([printable(path) for path in changed])}",
            hint="commit or remove the changes; a snapshot names the commit that its numbers come from",
        )


def _stale(cells: Sequence[scoring.Cell]) -> Iterable[Problem]:
    """One problem for all records of a board that are in the same state for the same reasons."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[str]] = defaultdict(list)
    for cell in cells:
        if cell.state in ("stale", "failed"):
            alike[f"{cell.dataset}.{cell.track}", cell.state, cell.reasons].append(cell.model)
    for (board, state, reasons), models in alike.items():
        yield Problem(
            path=board,
            code=f"{state}-records",
            message=f"{_some(models)}: {state} ({_some(reasons, '; ')})",
            hint="run: rexrank score",
        )


def _some(names: Sequence[str], between: str = ", ") -> str:
    """The first few, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return between.join(names[:_SHOWN]) + more


def _states(boards: Sequence[Board]) -> Iterable[Problem]:
    if not any(cell.estimate for board in boards for row in board.rows for cell in row.cells.values()):
        yield Problem(code="nothing-to-freeze", message="no board holds a number", hint="run: rexrank score")
    for board in boards:
        bad: dict[str, list[str]] = defaultdict(list)
        for row in board.rows:
            for metric, cell in row.cells.items():
                if cell.state in ("stale", "failed"):
                    bad[cell.state].append(f"{row.model}/{metric}")
        for state, cells in sorted(bad.items()):
            yield Problem(
                path=f"{board.dataset}.{board.track}",
                code=f"{state}-cells",
                message=f"{len(cells)} {state}: {_some(cells)}",
                hint="run: rexrank score",
            )


def _mixtures(boards: Sequence[Board], records: Sequence[Stored]) -> Iterable[Problem]:
    for board in boards:
        for column in board.columns:
            metric = column.spec.id
            found = {row.cells[metric].estimate for row in board.rows if metric in row.cells}
            signatures = {one.signature for one in found if one} | {column.signature}
            if len(signatures) > 1:
                yield Problem(
                    path=f"{board.dataset}.{board.track}",
                    field=metric,
                    code="mixed-signatures",
                    message=f"one column, several signatures: {', '.join(sorted(signatures))}",
                    hint="run: rexrank score",
                )
    used: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for stored in records:
        record = stored.record
        for statistic, weights in record.weights.items():
            used["weights", statistic][weights].append(record.model)
        if "references" in record.digests:
            where = f"{record.dataset}.{record.track}"
            used["references", where][record.digests["references"]].append(record.model)
    for (kind, name), models in sorted(used.items()):
        if len(models) > 1:
            rarest = min(models.values(), key=len)
            yield Problem(
                path=name,
                code=f"mixed-{kind}",
                message=f"records were made with {len(models)} different {kind}; "
                f"unlike the most: {', '.join(rarest[:_SHOWN])}",
                hint="score those again: rexrank score",
            )


def snapshot_files(snapshot: Snapshot, publisher: Publisher, pages: Mapping[str, bytes]) -> dict[str, bytes]:
    """Every file of a snapshot's folder, by path inside it, SHA256SUMS included.

    Args:
        pages: frozen pages, by path inside the folder.
    """
    citation = cite_snapshot(publisher, version=snapshot.version, date=snapshot.date)
    files = {
        "snapshot.json": snapshot.to_bytes(),
        "board.csv": board_csv(snapshot.boards),
        "CITATION.cff": cff(citation, commit=snapshot.commit).encode("utf-8"),
    }
    files = {**files, **pages}
    return {**files, SUMS: sums(files)}


def sums(files: Mapping[str, bytes]) -> bytes:
    """The text of SHA256SUMS, as `sha256sum -c` reads it, by path."""
    return "".join(f"{digest(files[name])}  {name}\n" for name in sorted(files)).encode("utf-8")


def write_snapshot(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes the folder whole or not at all.

    Raises:
        InputError: it exists already.
        OSError: disk full and the like; nothing is left behind.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        for name, data in files.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        temporary.chmod(0o755)
        if folder.exists():
            said = Problem(path=str(folder), code="snapshot-version", message="exists already")
            raise InputError([said])
        os.rename(temporary, folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise

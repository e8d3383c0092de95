"""Proves a snapshot, or says which byte of which file is not what was published.

Three proofs: every file has the digest that SHA256SUMS states and none is missing or extra; every file
equals, byte for byte, what the tag `snapshot-<version>` holds (without a tag: the commit that first added
the snapshot); every record that the snapshot names has its stated digest at the snapshot's commit.
The second proof is what an edited file with edited sums cannot pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from scorer.errors import InputError, Problem, printable
from scorer.snapshots.freeze import DATA_FILES, SUMS, place, snapshot_versions
from scorer.snapshots.repository import Repository
from scorer.snapshots.snapshot import read_snapshot
from scorer.snapshots.version import Version
from scorer.store import digest

__all__ = ["Proof", "first_difference", "known_versions", "verify"]

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What is proved of one snapshot.

    Attributes:
        anchor: what the bytes were compared with: "tag snapshot-2026.1", "commit 1a2b…" or "" for nothing.
        n_files, n_records: checked. problems: empty when the snapshot is proved.
        notes: what could not be checked here, and how it could be.
        is_complete: false when this clone lacks history that a proof needs.
    """

    version: str
    anchor: str
    n_files: int
    n_records: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    is_complete: bool = True

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return {"ok": self.ok, **asdict(self)}


def known_versions(results: Path, repository: Repository | None) -> tuple[Version, ...]:
    """Snapshots that are there or should be: folders, tags, and whatever history ever added."""
    known = set(snapshot_versions(results))
    if repository is not None:
        names = [tag.removeprefix("snapshot-") for tag in repository.tags()]
        names += [path.split("/")[1] for path in repository.ever_added(f"snapshots/*/{SUMS}")]
        known.update(Version.parse(name) for name in names if Version.is_version(name))
    return tuple(sorted(known))


def verify(results: Path, version: Version, repository: Repository | None) -> Proof:
    """Proves one snapshot as far as this machine can.

    Args:
        repository: the checkout around `results`; None leaves the digests of SHA256SUMS as the only proof.
    """
    folder = place(results, version)
    inside = f"snapshots/{version}"
    where = f"{repository.folder if repository else results.name}/{inside}"
    found = _files(folder)
    anchor, notes, is_complete = _anchor(repository, version, inside)
    if not found:
        gone = Problem(path=f"{where}/", code="gone", message="not there", hint=_restore(anchor, where))
        return Proof(version=str(version), anchor=anchor, n_files=0, n_records=0, problems=(gone,), notes=())
    problems = [*_against_sums(found, where)]
    n_records = 0
    if repository is not None:
        if anchor:
            differing = list(_against(_published(repository, anchor, inside), found, where, anchor))
            # The exact byte says more than a digest about the same file.
            exact = {problem.path for problem in differing}
            problems = [one for one in problems if one.path not in exact] + differing
        n_records, more, has_commit = _contents(found, version, repository, where)
        problems += more
        if not has_commit:
            is_complete = False
            notes = (
                *notes,
                "the snapshot's commit is not in this clone; to compare records: git fetch --unshallow",
            )
    return Proof(
        version=str(version),
        anchor=anchor,
        n_files=len(found),
        n_records=n_records,
        problems=tuple(sorted(problems)),
        notes=notes,
        is_complete=is_complete,
    )


def first_difference(old: bytes, new: bytes) -> tuple[int, int]:
    """The first byte at which two files differ, counted from 0, and its line, counted from 1."""
    length = min(len(old), len(new))
    low, high = 0, length
    while low < high:  # halves by comparing prefixes: a 100 MB file takes milliseconds
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low, old.count(b"\n", 0, low) + 1


def _files(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        return {}
    return {
        path.relative_to(folder).as_posix(): b"" if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def _anchor(
    repository: Repository | None, version: Version, inside: str
) -> tuple[str, tuple[str, ...], bool]:
    """What to compare with (the tag, else the first commit that added the snapshot), notes, completeness."""
    if repository is None:
        note = f"not a git checkout: compared with {SUMS} only, which an editor could have edited too"
        return "", (note,), True
    if version.tag in repository.tags():
        return f"tag {version.tag}", (), True
    commit = repository.added(f"{inside}/{SUMS}")
    if commit is None:
        return "", (f"not committed yet: compared with {SUMS} only",), True
    if repository.is_shallow():  # the oldest commit of a cut history seems to add everything
        return "", ("history is cut off here; to compare bytes: git fetch --unshallow --tags",), False
    return f"commit {commit}", (), True


def _published(repository: Repository, anchor: str, inside: str) -> dict[str, bytes]:
    kind, _, name = anchor.partition(" ")
    reference = f"refs/tags/{name}" if kind == "tag" else name
    paths = [f"{inside}/{name}" for name in repository.listing(reference, inside)]
    return {path.removeprefix(f"{inside}/"): data for path, data in repository.read(reference, paths).items()}


def _against_sums(found: Mapping[str, bytes], where: str) -> Iterable[Problem]:
    if SUMS not in found:
        yield Problem(path=f"{where}/{SUMS}", code="gone", message="missing", hint="restore it from git")
        return
    stated: dict[str, str] = {}
    for number, line in enumerate(found[SUMS].decode("utf-8", "replace").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            yield Problem(
                path=f"{where}/{SUMS}", line=number, code="broken-sums", message="not a digest and a path"
            )
        else:
            stated[match[2]] = match[1]
    for name in sorted({*stated, *DATA_FILES} - set(found)):
        yield Problem(path=f"{where}/{name}", code="gone", message="missing", hint="restore it from git")
    for name in sorted(set(found) - set(stated) - {SUMS}):
        yield Problem(
            path=f"{where}/{name}", code="extra", message="not part of the snapshot", hint="remove it"
        )
    for name in sorted(set(found) & set(stated)):
        if (actual := digest(found[name])) != stated[name]:
            yield Problem(
                path=f"{where}/{name}",
                code="changed",
                message=f"sha256 is {actual}, {SUMS} states {stated[name]}",
                hint="restore the file from git",
            )


def _against(
    published: Mapping[str, bytes], found: Mapping[str, bytes], where: str, anchor: str
) -> Iterable[Problem]:
    for name in sorted({*published, *found}):
        path, hint = f"{where}/{name}", _restore(anchor, f"{where}/{name}")
        if name not in found:
            yield Problem(path=path, code="gone", message=f"missing; {anchor} has it", hint=hint)
        elif name not in published:
            yield Problem(path=path, code="extra", message=f"not in {anchor}", hint="remove it")
        elif published[name] != found[name]:
            old, new = published[name], found[name]
            offset, line = first_difference(old, new)
            yield Problem(
                path=path,
                line=line,
                code="changed",
                message=f"byte {offset} is {_byte(new, offset)}, in {anchor} it is {_byte(old, offset)} "
                f"({len(old)} bytes then, {len(new)} now)",
                hint=hint,
            )


def _byte(data: bytes, offset: int) -> str:
    if offset >= len(data):
        return "past the end"
    value = data[offset]
    return f"0x{value:02x} ({chr(value)!r})" if 32 <= value < 127 else f"0x{value:02x}"


def _restore(anchor: str, path: str) -> str:
    reference = anchor.partition(" ")[2]
    return f"git checkout {reference} -- {path}" if reference else "restore it from a copy"


def _contents(
    found: Mapping[str, bytes], version: Version, repository: Repository, where: str
) -> tuple[int, list[Problem], bool]:
    """Checks what snapshot.json says: records compared, problems, and whether its commit is in this clone."""
    if "snapshot.json" not in found:
        return 0, [], True
    path = f"{where}/snapshot.json"
    try:
        snapshot = read_snapshot(found["snapshot.json"], path)
    except InputError as error:
        return 0, list(error.problems), True
    problems: list[Problem] = []
    if snapshot.version != str(version):
        said = f"says it is {printable(snapshot.version)}"
        problems.append(Problem(path=path, field="version", code="identity", message=said))
    if not repository.has(snapshot.commit):
        return 0, problems, False
    stored = repository.read(snapshot.commit, (record.path for record in snapshot.records))
    for record in snapshot.records:
        data = stored.get(record.path)
        if data is None or digest(data) != record.sha256:
            said = "is missing" if data is None else "has another digest"
            message = f"this record {said} at commit {snapshot.commit}"
            problems.append(Problem(path=path, field=record.path, code="record", message=message))
    return len(snapshot.records), problems, True

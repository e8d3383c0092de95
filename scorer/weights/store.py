"""Weights on this machine: where they lie, whether they are the locked ones, and how archives are unpacked."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scorer.errors import StageError, WeightsMissing
from scorer.store import canonical_json, write_atomic
from scorer.weights.lock import EncoderLock, LockedFile, read_lock

__all__ = [
    "MANIFEST",
    "Weights",
    "hash_file",
    "is_good",
    "locate",
    "missing",
    "pull_command",
    "unpack",
    "verify",
]

MANIFEST = "unpacked.json"
"""Written last into an unpacked archive: the archive's sha256 and each member's. No manifest, no archive."""

_STAMP = "verified.json"
_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Verified weights of one encoder: the folder they lie in, and the digest of all its locked files."""

    encoder: str
    folder: Path
    digest: str


def locate(encoder: str, weights_dir: Path) -> Weights:
    """The verified weights of an encoder.

    A file whose size and time of change are those of its last verification is taken as verified; any other is
    hashed again.

    Raises:
        WeightsMissing: the encoder is not pinned, or a file is absent or not the locked one.
        UsageError: the lock knows no such encoder.
    """
    lack = missing(encoder, weights_dir)
    if lack is not None:
        raise WeightsMissing(*lack)
    lock = read_lock(weights_dir).encoder(encoder)
    return Weights(encoder=encoder, folder=weights_dir / encoder, digest=lock.digest)


def missing(encoder: str, weights_dir: Path) -> tuple[str, str] | None:
    """None when the weights are here, else (what is missing, the command that gets it); loads nothing."""
    lock = read_lock(weights_dir).encoder(encoder)
    if not lock.is_pinned:
        return f"the weights of {encoder} are not pinned in the lock yet", f"rexrank weights lock {encoder}"
    bad = [file.to for file, state in verify(encoder, weights_dir, trust_stamps=True) if state != "good"]
    if not bad:
        return None
    return f"weights of {encoder} are absent or not the locked ones ({', '.join(bad)})", pull_command(
        encoder, lock
    )


def pull_command(encoder: str, lock: EncoderLock) -> str:
    """The command that gets an encoder's weights."""
    if any(source.revision == "local" for source in lock.sources):
        return f"rexrank weights lock {encoder} --from FOLDER"
    return f"rexrank weights pull {encoder}"


def verify(encoder: str, weights_dir: Path, *, trust_stamps: bool = False) -> list[tuple[LockedFile, str]]:
    """Each locked file with its state: "good", "absent", "wrong" (not the locked bytes) or "unpinned".

    What has been found good is stamped, so that the next look need not read the file again.
    """
    folder = weights_dir / encoder
    stamps = _read_stamps(folder) if trust_stamps else {}
    found: dict[str, list[int | str]] = {}
    states = []
    for _, file in read_lock(weights_dir).encoder(encoder).files():
        states.append((file, _state(folder, file, stamps, found)))
    if found != _read_stamps(folder) and folder.is_dir() and os.access(folder, os.W_OK):
        write_atomic(folder / _STAMP, canonical_json(found))
    return states


def is_good(folder: Path, file: LockedFile) -> bool:
    """Whether a locked file is there to the byte; reads it."""
    return _state(folder, file, {}, {}) == "good"


def _state(
    folder: Path, file: LockedFile, stamps: dict[str, list[int | str]], found: dict[str, list[int | str]]
) -> str:
    if file.sha256 is None or file.size is None:
        return "unpinned"
    if not file.unpack:
        return _file_state(folder, file.to, file.size, file.sha256, stamps, found)
    try:
        manifest = json.loads((folder / file.to / MANIFEST).read_bytes())
        members = {
            str(name): (int(size), str(digest)) for name, (size, digest) in manifest["members"].items()
        }
        if manifest["sha256"] != file.sha256:
            return "wrong"
    except FileNotFoundError:
        return "wrong" if (folder / file.to).exists() else "absent"
    except (ValueError, KeyError, TypeError):
        return "wrong"
    states = {
        _file_state(folder, f"{file.to}/{name}", size, digest, stamps, found)
        for name, (size, digest) in members.items()
    }
    return "good" if states == {"good"} else "wrong"


def _file_state(
    folder: Path,
    place: str,
    size: int,
    sha256: str,
    stamps: dict[str, list[int | str]],
    found: dict[str, list[int | str]],
) -> str:
    path = folder / place
    if not path.is_file():
        return "absent"
    stat = path.stat()
    if stat.st_size != size:
        return "wrong"
    stamp: list[int | str] = [sha256, stat.st_size, stat.st_mtime_ns]
    if stamps.get(place) != stamp and hash_file(path) != sha256:
        return "wrong"
    found[place] = stamp
    return "good"


def _read_stamps(folder: Path) -> dict[str, list[int | str]]:
    try:
        stamps = json.loads((folder / _STAMP).read_bytes())
    except (OSError, ValueError):
        return {}
    return stamps if isinstance(stamps, dict) else {}


def hash_file(path: Path) -> str:
    """sha256 of a file in lower-case hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpack(archive: Path, sha256: str, folder: Path) -> None:
    """Unpacks a gzipped tar archive into `folder`, whole or not at all.

    Only regular files with plain relative names are taken; links, devices and names that leave the folder are
    refused. The manifest is written last and the folder renamed into place.

    Raises:
        StageError: the archive cannot be read, or holds something that it must not.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        members: dict[str, list[Any]] = {}
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                if member.isdir():
                    continue
                if not member.isfile() or name.is_absolute() or ".." in name.parts or not name.parts:
                    raise StageError("unpack", "unsafe archive member", advice="do not use this archive")
                members[str(name)] = _unpack_member(tar, member, temporary / name)
        (temporary / MANIFEST).write_bytes(canonical_json({"sha256": sha256, "members": members}))
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(temporary, folder)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise StageError(
            "unpack", type(error).__name__, advice="the archive or the disk is damaged"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _unpack_member(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> list[Any]:
    content = tar.extractfile(member)
    assert content is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as out:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            out.write(chunk)
    return [size, digest.hexdigest()]

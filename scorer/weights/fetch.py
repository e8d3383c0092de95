"""`rexrank weights pull` and `rexrank weights lock`: the two ways in which weights come onto a machine."""

from __future__ import annotations

import json
import re
import shutil
import urllib.error
from pathlib import Path

from filelock import FileLock

from scorer.errors import InputError, MissingError, Problem, UsageError, printable
from scorer.weights.download import HUB, Report, download, file_url, get
from scorer.weights.lock import LOCAL, EncoderLock, LockedFile, Source, read_lock, write_lock
from scorer.weights.store import hash_file, is_good, missing, pull_command, unpack, verify

__all__ = ["pin", "pull"]


def pull(encoder: str, weights_dir: Path, *, report: Report, hub: str = HUB) -> list[str]:
    """Fetches what is absent or wrong of one encoder's pinned files; gives their places.

    Raises:
        MissingError: the encoder is not pinned, its files come from a folder, or a download fails.
        UsageError: the lock knows no such encoder.
    """
    lock = read_lock(weights_dir).encoder(encoder)
    command = pull_command(encoder, lock)
    if not lock.is_pinned:
        lack = missing(encoder, weights_dir)
        assert lack is not None
        raise MissingError(*lack)
    folder = weights_dir / encoder
    fetched = []
    with _locked(folder):
        for source, file in lock.files():
            if is_good(folder, file):
                continue
            if source.revision == LOCAL:
                raise MissingError(
                    f"{encoder}: {file.to} was locked from a folder, not from a repository", command
                )
            _fetch(folder, source, file, hub, command, report)
            fetched.append(file.to)
        verify(encoder, weights_dir)
    return fetched


def pin(
    encoder: str,
    weights_dir: Path,
    lock_path: Path,
    *,
    report: Report,
    hub: str = HUB,
    given: Path | None = None,
) -> EncoderLock:
    """Makes an encoder's lock entry from files that this machine trusts, and keeps the files.

    Args:
        lock_path: the lock file to write the entry into.
        given: a folder that holds the files, by their place or their name in the repository; None fetches
            them, a null revision meaning what `main` is now.

    Raises:
        InputError: `given` lacks a file. MissingError: a download fails.
    """
    entry = read_lock(weights_dir).encoder(encoder)
    folder = weights_dir / encoder
    command = f"rexrank weights lock {encoder}"
    sources: list[Source] = []
    with _locked(folder):
        for source in entry.sources:
            wanted = _named(source, folder)
            if given is not None:
                sources.append(_adopt(given, folder, wanted))
                continue
            revision = (
                wanted.revision if wanted.revision not in (None, LOCAL) else _head(hub, wanted, command)
            )
            wanted = wanted.model_copy(update={"revision": revision})
            sources.append(_pin_source(folder, wanted, hub, command, report))
        made = EncoderLock(sources=tuple(sources))
        write_lock(lock_path, {encoder: made})
    return made


def _locked(folder: Path) -> FileLock:
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / ".lock")


def _fetch(
    folder: Path, source: Source, file: LockedFile, hub: str, command: str, report: Report
) -> tuple[int, str]:
    assert source.repository is not None
    assert source.revision is not None
    url = file_url(hub, source.repository, source.revision, file.path)
    place = folder / (f"{file.to}.tar.gz" if file.unpack else file.to)
    size, sha256 = download(url, place, size=file.size, sha256=file.sha256, command=command, report=report)
    if file.unpack:
        unpack(place, sha256, folder / file.to)
        place.unlink()
    return size, sha256


def _pin_source(folder: Path, source: Source, hub: str, command: str, report: Report) -> Source:
    files = []
    for file in source.files:
        unpinned = file.model_copy(update={"size": None, "sha256": None})
        try:
            size, sha256 = _fetch(folder, source, unpinned, hub, command, report)
        except MissingError as error:
            absent = isinstance(error.__cause__, urllib.error.HTTPError) and error.__cause__.code == 404
            if file.optional and absent:
                continue
            raise
        files.append(file.model_copy(update={"size": size, "sha256": sha256}))
    return source.model_copy(update={"files": tuple(files)})


def _adopt(given: Path, folder: Path, source: Source) -> Source:
    """Copies a source's files from a folder, and pins them as they are."""
    files, problems = [], []
    for file in source.files:
        here = next((p for p in (given / file.to, given / file.path) if p.is_file()), None)
        if here is None:
            if not file.optional:
                wanted = file.path if file.unpack else file.to
                problems.append(Problem(path=str(given), code="no-file", message=f"holds no {wanted}"))
            continue
        size, sha256 = here.stat().st_size, hash_file(here)
        if file.unpack:
            unpack(here, sha256, folder / file.to)
        elif here.resolve() != (folder / file.to).resolve():
            (folder / file.to).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(here, folder / file.to)
        files.append(file.model_copy(update={"size": size, "sha256": sha256}))
    if problems:
        raise InputError(problems)
    update = {"repository": source.repository or LOCAL, "revision": LOCAL, "files": tuple(files)}
    return source.model_copy(update=update)


def _named(source: Source, folder: Path) -> Source:
    """A source whose repository an unpacked file names, with that name filled in."""
    if source.repository is not None or not source.named_by:
        return source
    path, _, keys = source.named_by.partition("#")
    if not (folder / path).is_file():
        return source
    name = json.loads((folder / path).read_bytes())
    for key in keys.split("."):
        name = name.get(key) if isinstance(name, dict) else None
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", name):
        return source
    return source.model_copy(update={"repository": name})


def _head(hub: str, source: Source, command: str) -> str:
    """The commit that `main` of a repository is now."""
    if source.repository is None:
        raise UsageError(f"{source.named_by} names no repository; write it into the lock by hand")
    document = json.loads(get(f"{hub.rstrip('/')}/api/models/{source.repository}/revision/main", command))
    sha = document.get("sha") if isinstance(document, dict) else None
    if not isinstance(sha, str) or not re.fullmatch(r"[0-9a-f]{40}", sha):
        raise MissingError(f"the hub does not say what main of {printable(source.repository)} is", command)
    return sha

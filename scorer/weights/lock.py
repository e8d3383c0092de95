"""The weights lock: what each encoder's files are, to the byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from scorer.errors import InputError, Problem, UsageError, printable
from scorer.store import write_atomic

__all__ = [
    "PACKAGED",
    "EncoderLock",
    "Lock",
    "LockedFile",
    "Source",
    "machine_lock",
    "read_lock",
    "write_lock",
]

PACKAGED = Path(__file__).with_name("lock.yaml")
"""The lock that ships with the scorer."""

LOCAL = "local"
"""The revision of files that were locked from a folder, not from a repository."""

_HEADER = """\
# What the weights of each encoder are, to the byte. Null means that the value has not been seen on a trusted
# machine yet; such an encoder is unpinned and refused until `rexrank weights lock ENCODER` has filled it.
"""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LockedFile(_Strict):
    """One file.

    Attributes:
        path: inside the repository. to: where it lies inside the encoder's folder; for an archive, the
            folder that it is unpacked into.
        size: bytes. sha256: lower-case hex. Both null where unverified.
        unpack: whether the file is a gzipped tar archive that is used unpacked.
        optional: whether `rexrank weights lock` may drop the file where the repository lacks it.
    """

    path: str
    to: str
    size: Annotated[int, Field(ge=0)] | None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None
    unpack: bool = False
    optional: bool = False

    @field_validator("to")
    @classmethod
    def _stays_inside(cls, to: str) -> str:
        path = PurePosixPath(to)
        if not to or path.is_absolute() or ".." in path.parts or "\\" in to:
            raise ValueError("must be a relative path that stays inside the encoder's folder")
        return to


class Source(_Strict):
    """Files that come from one repository under one licence.

    Attributes:
        repository: `owner/name` on the hub; null when `named_by` tells it.
        named_by: `FILE#KEY.KEY`: where an unpacked file of this encoder names the repository.
        revision: 40 hex digits, `local`, or null where unverified.
    """

    repository: str | None
    named_by: str = ""
    revision: Annotated[str, Field(pattern=rf"^([0-9a-f]{{40}}|{LOCAL})$")] | None
    licence: str
    files: tuple[LockedFile, ...]


class EncoderLock(_Strict):
    """All files of one encoder."""

    sources: tuple[Source, ...]

    @model_validator(mode="after")
    def _places_are_distinct(self) -> EncoderLock:
        places = [file.to for _, file in self.files()]
        if len(set(places)) != len(places):
            raise ValueError("two files have the same place (`to`)")
        return self

    def files(self) -> Iterator[tuple[Source, LockedFile]]:
        for source in self.sources:
            for file in source.files:
                yield source, file

    @property
    def is_pinned(self) -> bool:
        """Whether every repository, revision, size and sha256 is known."""
        return all(
            None not in (source.repository, source.revision, file.size, file.sha256)
            for source, file in self.files()
        )

    @property
    def digest(self) -> str:
        """sha256 that identifies all files together: of `place sha256` lines in order of place."""
        assert self.is_pinned
        lines = sorted(f"{file.to} {file.sha256}\n" for _, file in self.files())
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def size(self) -> int | None:
        """Bytes to fetch; None when a size is unknown."""
        sizes = [file.size for _, file in self.files()]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def licences(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source.licence for source in self.sources))


class Lock(_Strict):
    """The whole lock: encoder id -> its files."""

    schema_: Annotated[Literal[1], Field(alias="schema")] = 1
    encoders: dict[str, EncoderLock]

    def encoder(self, encoder_id: str) -> EncoderLock:
        """The lock of one encoder.

        Raises:
            UsageError: the lock knows no such encoder.
        """
        if encoder_id not in self.encoders:
            known = ", ".join(sorted(self.encoders))
            raise UsageError(f"the weights lock knows no encoder {printable(encoder_id)!r}; it knows {known}")
        return self.encoders[encoder_id]


def machine_lock(weights_dir: Path) -> Path:
    """The machine's own lock, whose entries stand in front of the packaged ones.

    It exists where weights were locked on this machine, such as a checkpoint under a personal agreement. Numbers
    made with other weights carry another weights digest, which every record shows.
    """
    return weights_dir / "lock.yaml"


def read_lock(weights_dir: Path | None = None) -> Lock:
    """The packaged lock, overlaid entry by entry with the machine's own where there is one.

    Raises:
        InputError: a lock file is malformed; every problem at once.
    """
    encoders = dict(_parse(PACKAGED).encoders)
    if weights_dir is not None and machine_lock(weights_dir).is_file():
        encoders |= _parse(machine_lock(weights_dir)).encoders
    return Lock(encoders=encoders)


def write_lock(path: Path, encoders: dict[str, EncoderLock]) -> bool:
    """Replaces these encoders' entries in a lock file, keeping the others; gives whether anything changed."""
    kept = dict(_parse(path).encoders) if path.is_file() else {}
    document = Lock(encoders=kept | encoders).model_dump(by_alias=True, mode="json")
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)
    return write_atomic(path, (_HEADER + text).encode("utf-8"))


def _parse(path: Path) -> Lock:
    stat = path.stat()
    return _parse_once(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _parse_once(path: Path, _mtime_ns: int, _size: int) -> Lock:
    try:
        return Lock.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except ValidationError as error:
        raise InputError(
            Problem(
                path=str(path),
                field=".".join(str(part) for part in found["loc"]),
                code="bad-lock",
                message=printable(found["msg"]),
                hint="restore the file, or write it with `rexrank weights lock`",
            )
            for found in error.errors()
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        problem = Problem(path=str(path), code="bad-lock", message="is not YAML", hint="restore the file")
        raise InputError([problem]) from error

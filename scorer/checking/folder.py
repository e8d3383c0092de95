"""A submission folder, wherever it lies: in a work tree, or in a commit that is only read as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scorer.errors import printable
from scorer.guard import Problems, read_bytes
from scorer.submission import CARD_NAME
from scorer.submission.reading import NO_CARD

__all__ = ["DiskFolder", "Folder", "shown_path"]


class Folder(Protocol):
    """What a check needs of a folder. `path` is what messages call it, without a final slash."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    def names(self) -> tuple[str, ...]:
        """Every file inside, relative, in order, with "/" between parts."""

    def read(self, name: str, cap: int, problems: Problems) -> bytes | None:
        """A file's bytes, or None with the problem said."""


@dataclass(frozen=True)
class DiskFolder:
    """A folder on this machine. Hidden files are left out: editors and systems leave them behind."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def path(self) -> str:
        return shown_path(self.folder)

    def names(self) -> tuple[str, ...]:
        found = (
            file.relative_to(self.folder)
            for file in self.folder.rglob("*")
            # a folder that bears the name of a prediction file is told as one
            if not file.is_dir() or file.is_symlink() or file.name.endswith((".jsonl", ".jsonl.gz"))
        )
        return tuple(sorted(f.as_posix() for f in found if not any(part.startswith(".") for part in f.parts)))

    def read(self, name: str, cap: int, problems: Problems) -> bytes | None:
        return read_bytes(
            self.folder / name,
            printable(f"{self.path}/{name}", 300),
            cap,
            problems,
            NO_CARD if name == CARD_NAME else "",
        )


def shown_path(path: Path) -> str:
    """A path as people know it: relative to where they stand when it lies below, else whole."""
    whole = path.resolve()
    shown = whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole
    return printable(shown.as_posix(), 300)

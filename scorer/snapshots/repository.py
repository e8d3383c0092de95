"""What git knows about the results: is the tree clean, which commit is this, what did a file hold then."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scorer.errors import MissingError, UsageError

__all__ = ["Commit", "Repository"]


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit's id (40 hex digits) and day (UTC, ISO)."""

    id: str
    date: str


class Repository:
    """The git checkout around a results folder. Reads only; never fetches, never writes.

    Attributes:
        root: top of the work tree. folder: the results folder inside it, with forward slashes.
    """

    def __init__(self, results: Path) -> None:
        """Finds the checkout.

        Raises:
            UsageError: the folder is not inside a git work tree.
            MissingError: there is no git on this machine.
        """
        top = _run(results, "rev-parse", "--show-toplevel")
        if top is None:
            raise UsageError(f"{results} is not inside a git checkout")
        self.root = Path(top.decode().strip())
        self.folder = results.resolve().relative_to(self.root.resolve()).as_posix()

    @classmethod
    def around(cls, results: Path) -> Repository | None:
        """The checkout, or None where there is none (an unpacked archive, say)."""
        try:
            return cls(results)
        except (UsageError, MissingError):
            return None

    def changed(self) -> tuple[str, ...]:
        """Paths that differ from the last commit, untracked files included, ignored ones not."""
        listed = self._git("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
        return tuple(entry[3:].decode("utf-8", "replace") for entry in listed.split(b"\0") if entry)

    def head(self) -> Commit:
        """The commit that is checked out.

        Raises:
            UsageError: there is no commit yet.
        """
        shown = self._ask("show", "-s", "--format=%H %ct", "HEAD")
        if shown is None:
            raise UsageError("the repository has no commit yet")
        commit, seconds = shown.decode().split()
        return Commit(id=commit, date=datetime.fromtimestamp(int(seconds), UTC).date().isoformat())

    def tags(self) -> tuple[str, ...]:
        """Names of the tags that pin snapshots."""
        return tuple(self._git("tag", "--list", "snapshot-*").decode().split())

    def is_shallow(self) -> bool:
        """Whether history is cut off, so that nothing can be said about older commits."""
        return self._git("rev-parse", "--is-shallow-repository").strip() == b"true"

    def added(self, path: str) -> str | None:
        """The oldest commit on HEAD's history that added a file; None when none did.

        Args:
            path: inside the results folder.
        """
        found = self._git(
            "log", "--diff-filter=A", "--no-renames", "--format=%H", "HEAD", "--", self._inside(path)
        )
        commits = found.decode().split()
        return commits[-1] if commits else None

    def ever_added(self, pattern: str) -> tuple[str, ...]:
        """Every path matching a glob, inside the results folder, that HEAD's history ever added."""
        where = f":(glob){self._inside(pattern)}"
        found = self._git(
            "log", "--diff-filter=A", "--no-renames", "--format=", "--name-only", "-z", "HEAD", "--", where
        )
        cut = len(self._inside(""))
        names = {name.decode("utf-8", "replace").strip("\n") for name in found.split(b"\0")}
        return tuple(sorted(name[cut:] for name in names if name))

    def listing(self, commit: str, folder: str) -> tuple[str, ...]:
        """Files of a folder at a commit, relative to that folder; empty when it was not there."""
        inside = self._inside(folder).rstrip("/") + "/"
        found = self._ask("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", inside) or b""
        return tuple(
            sorted(name.decode("utf-8", "replace")[len(inside) :] for name in found.split(b"\0") if name)
        )

    def read(self, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
        """The bytes of files at a commit, in one call of git; files that are not there are left out."""
        wanted = list(paths)
        asked = "".join(f"{commit}:{self._inside(path)}\n" for path in wanted).encode("utf-8")
        answer = _run(self.root, "cat-file", "--batch", given=asked) or b""
        found: dict[str, bytes] = {}
        start = 0
        for path in wanted:
            stop = answer.index(b"\n", start)
            head = answer[start:stop].rsplit(b" ", 2)
            start = stop + 1
            if len(head) == 3 and head[1] == b"blob":
                size = int(head[2])
                found[path] = answer[start : start + size]
                start += size + 1
        return found

    def has(self, commit: str) -> bool:
        """Whether the commit is in this clone."""
        return self._ask("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def _inside(self, path: str) -> str:
        return path if self.folder == "." else f"{self.folder}/{path}"

    def _ask(self, *arguments: str) -> bytes | None:
        return _run(self.root, *arguments)

    def _git(self, *arguments: str) -> bytes:
        answer = self._ask(*arguments)
        if answer is None:
            raise UsageError(f"git {arguments[0]} failed in {self.root}")
        return answer


def _run(folder: Path, *arguments: str, given: bytes | None = None) -> bytes | None:
    """git's output, or None when it exits with an error."""
    command = ["git", "-C", str(folder), "-c", "core.quotePath=false", *arguments]
    try:
        done = subprocess.run(command, input=given, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise MissingError("git", "install git from your system's packages") from error
    return done.stdout if done.returncode == 0 else None

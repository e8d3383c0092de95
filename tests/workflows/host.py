"""A code host in a folder: a bare repository that serves any commit, and commits made byte by byte.

Commits are built in the object database alone, so a path, a mode or a content that no file system would take
can be in them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

__all__ = ["File", "Host", "git"]

File = tuple[str, bytes] | bytes | str | None
"""(mode, content), or content with mode 100644, or None for a deletion. A gitlink's content is its commit id."""


def git(folder: Path, *arguments: str, data: bytes | None = None, **environment: str) -> bytes:
    """Output of a git command in a repository, with an identity and a clock of its own."""
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "tester",
        "GIT_AUTHOR_EMAIL": "tester@example.org",
        "GIT_COMMITTER_NAME": "tester",
        "GIT_COMMITTER_EMAIL": "tester@example.org",
        "GIT_AUTHOR_DATE": "2026-11-30T12:00:00Z",
        "GIT_COMMITTER_DATE": "2026-11-30T12:00:00Z",
        **environment,
    }
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], input=data, capture_output=True, check=True, env=variables
    ).stdout


class Host:
    """A repository `origin` with a branch main."""

    def __init__(self, folder: Path) -> None:
        self.origin = folder / "origin.git"
        self.origin.mkdir(parents=True)
        git(self.origin, "init", "--quiet", "--bare", "--initial-branch=main", ".")
        for setting in ("allowAnySHA1InWant", "allowFilter"):
            git(self.origin, "config", f"uploadpack.{setting}", "true")

    @property
    def url(self) -> str:
        """An address that makes git transfer objects; a plain path would copy all of them and hide mistakes."""
        return f"file://{self.origin}"

    @property
    def main(self) -> str:
        return git(self.origin, "rev-parse", "main").decode().strip()

    def commit(self, files: Mapping[str | bytes, File], parent: str = "", branch: str = "") -> str:
        """A commit on top of `parent` (an empty tree without one); `branch` is moved to it when given."""
        index = self.origin / "building.index"
        index.unlink(missing_ok=True)
        place = {"GIT_INDEX_FILE": str(index)}
        if parent:
            git(self.origin, "read-tree", parent, **place)
        lines = b""
        for path, file in files.items():
            raw = path.encode() if isinstance(path, str) else path
            if file is None:
                lines += b"0 " + b"0" * 40 + b"\t" + raw + b"\0"
                continue
            mode, content = file if isinstance(file, tuple) else ("100644", file)
            data = content.encode() if isinstance(content, str) else content
            blob = (
                data
                if mode == "160000"
                else git(self.origin, "hash-object", "-w", "--stdin", data=data).strip()
            )
            lines += mode.encode() + b" " + blob + b"\t" + raw + b"\0"
        git(self.origin, "update-index", "-z", "--index-info", data=lines, **place)
        tree = git(self.origin, "write-tree", **place).decode().strip()
        parents = ["-p", parent] if parent else []
        made = git(self.origin, "commit-tree", tree, *parents, "-m", "a commit").decode().strip()
        if branch:
            git(self.origin, "update-ref", f"refs/heads/{branch}", made)
        return made

    def pull_request(self, number: int, files: Mapping[str | bytes, File], parent: str = "") -> str:
        """A fork's commit on top of main (or of `parent`), reachable as the host keeps it."""
        head = self.commit(files, parent or self.main)
        git(self.origin, "update-ref", f"refs/pull/{number}/head", head)
        return head

    def clone(self, folder: Path) -> Path:
        """A full clone of main with a work tree."""
        git(self.origin.parent, "clone", "--quiet", self.url, str(folder))
        return folder

    def files(self, commit: str) -> dict[str, bytes]:
        """Path -> content of a commit."""
        listed = git(self.origin, "ls-tree", "-r", "-z", "--name-only", commit).split(b"\0")[:-1]
        return {path.decode(): git(self.origin, "show", f"{commit}:{path.decode()}") for path in listed}

"""Reads a repository as data. Nothing is checked out, so links, filters, hooks and attributes cannot act;
nothing is fetched behind our back; no configuration but the command line's own counts.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import InputError, Problem, RexrankError, UsageError, printable
from scorer.guard import limits

__all__ = ["Change", "Entry", "Git", "is_commit", "quarantine"]

_SECONDS = 60
_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "gc.auto=0",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "safe.directory=*",
    "transfer.fsckObjects=true",
)


def is_commit(text: str) -> bool:
    """Whether a text is a full commit id and nothing else."""
    return len(text) == 40 and not set(text) - set("0123456789abcdef")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file in a tree. `size` is None when its content is not here (left out of the fetch as too large)."""

    path: bytes
    mode: str
    blob: str
    size: int | None = 0


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a commit range does to one path: status A, M, D or T, and the new mode and blob."""

    path: bytes
    status: str
    mode: str
    blob: str


class Git:
    """A repository by its folder (a work tree or a bare one)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(
        self,
        *arguments: str,
        data: bytes | None = None,
        seconds: float = _SECONDS,
        more: Mapping[str, str] | None = None,
    ) -> bytes:
        """Output of a git command; `more` joins its environment.

        Raises:
            RexrankError: it failed or took too long; says the command's name and not its output.
        """
        verb = next((one for one in arguments if not one.startswith("-") and "=" not in one), "")
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in os.environ}
        environment = {
            **kept,
            "HOME": os.devnull,
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_PROTOCOL_FROM_USER": "0",
            **(more or {}),
        }
        command = ["git", *(word for setting in _SETTINGS for word in ("-c", setting))]
        try:
            done = subprocess.run(
                [*command, "-C", str(self.folder), *arguments],
                input=data,
                stdin=subprocess.DEVNULL if data is None else None,
                capture_output=True,
                timeout=seconds,
                env=environment,
                check=False,
            )
        except FileNotFoundError:
            raise RexrankError("git is not installed") from None
        except subprocess.TimeoutExpired:
            raise RexrankError(f"git {verb} took more than {seconds:.0f} s") from None
        if done.returncode:
            raise RexrankError(f"git {verb} failed ({done.returncode})")
        return done.stdout

    def commit(self, name: str) -> str:
        """The full id of a commit that is here.

        Raises:
            UsageError: it is not.
        """
        if name.startswith("-"):
            raise UsageError(f"{printable(name)!r} is not a commit")
        try:
            return (
                self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
                .decode()
                .strip()
            )
        except RexrankError:
            raise UsageError(f"there is no commit {printable(name)!r} here") from None

    def merge_base(self, one: str, other: str) -> str:
        """The commit that two commits share.

        Raises:
            RexrankError: they share none, or too little of the history is here.
        """
        return self.run("merge-base", one, other).decode().strip()

    def changes(self, old: str, new: str) -> Iterator[Change]:
        """What differs between two commits, path by path; a rename is a deletion and an addition."""
        fields = self.run("diff-tree", "-r", "-z", "--no-renames", "--raw", old, new).split(b"\0")
        for head, path in zip(fields[0::2], fields[1::2], strict=False):
            _, mode, _, blob, status = head.decode("ascii").split(" ")
            yield Change(path=path, status=status[:1], mode=mode, blob=blob)

    def tree(self, commit: str, *folders: str) -> list[Entry]:
        """Every file of a commit below some folders (all when none is given), in order of path."""
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *folders)
        found = []
        for line in listed.split(b"\0")[:-1]:
            head, _, path = line.partition(b"\t")
            mode, _, blob = head.decode("ascii").split(" ")
            found.append(Entry(path=path, mode=mode, blob=blob))
        sizes = self.sizes(entry.blob for entry in found if entry.mode != "160000")
        return [Entry(path=e.path, mode=e.mode, blob=e.blob, size=sizes.get(e.blob)) for e in found]

    def sizes(self, blobs: Iterable[str]) -> Mapping[str, int]:
        """Size of each object that is here; those that are not are left out."""
        asked = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs))
        if not asked:
            return {}
        found = {}
        answer = self.run("cat-file", "--batch-check=%(objectname) %(objectsize)", data=asked.encode())
        for line in answer.decode("ascii").splitlines():
            name, _, size = line.partition(" ")
            if size.isdigit():
                found[name] = int(size)
        return found

    def blob(self, blob: str, cap: int) -> bytes | None:
        """An object's bytes, or None when it is not here or larger than `cap`."""
        size = self.sizes([blob]).get(blob)
        return None if size is None or size > cap else self.content(blob)

    def content(self, blob: str) -> bytes:
        """An object's bytes; its size is known to be right."""
        return self.run("cat-file", "blob", blob)

    def blobs(self, wanted: Iterable[str], cap: int) -> Mapping[str, bytes]:
        """Bytes of many objects, those that are not here or larger than `cap` left out."""
        good = [blob for blob, size in self.sizes(wanted).items() if size <= cap]
        if not good:
            return {}
        answer = self.run("cat-file", "--batch", data="".join(f"{blob}\n" for blob in good).encode())
        found, at = {}, 0
        for blob in good:
            end = answer.index(b"\n", at)
            size = int(answer[at:end].rsplit(b" ", 1)[1])
            found[blob] = answer[end + 1 : end + 1 + size]
            at = end + 1 + size + 1
        return found

    def new_objects(self, old: str, new: str) -> Mapping[str, int | None]:
        """Every object that a range brings, in any of its commits, with its size; None when it is not here."""
        names = self.run("rev-list", "--objects", "--missing=print", "--no-object-names", new, f"^{old}")
        listed = names.decode("ascii").split()
        missing = {name[1:] for name in listed if name.startswith("?")}
        sizes = self.sizes(name for name in listed if not name.startswith("?"))
        return {**sizes, **dict.fromkeys(missing)}


@contextlib.contextmanager
def quarantine(home: Path, remote: str, commit: str, cap: int = limits.PREDICTION_BYTES) -> Iterator[Git]:
    """A bare, temporary repository that holds a commit fetched from a remote, and everything `home` has.

    Files over `cap` are left out of the fetch and never asked for again: the remote is forgotten before
    anything is read. Objects are verified as they come in.

    Raises:
        UsageError: `commit` is no full commit id. InputError: it cannot be fetched.
    """
    if not is_commit(commit):
        raise UsageError(f"{printable(commit)!r} is not a full commit id")
    with tempfile.TemporaryDirectory(prefix="rexrank-") as scratch:
        folder = Path(scratch)
        objects = (
            Git(home).run("rev-parse", "--path-format=absolute", "--git-path", "objects").decode().strip()
        )
        bare = Git(folder)
        bare.run("init", "--quiet", "--bare", "--template=", ".")
        (folder / "objects" / "info").mkdir(exist_ok=True)
        (folder / "objects" / "info" / "alternates").write_text(f"{objects}\n", encoding="utf-8")
        url = _url(home, remote)
        clean = (folder / "config").read_bytes()
        fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", f"--filter=blob:limit={cap + 1}"]
        try:
            bare.run(*fetch, "--end-of-options", url, commit, seconds=300)
        except RexrankError as error:
            what = "the commit is not there, or git refuses something in it (such as a path .git, .. or an empty one)"
            hint = "run the check again; if it stays, rebuild the branch from main"
            raise InputError([Problem(code="cannot-fetch", message=f"{error}: {what}", hint=hint)]) from None
        (folder / "config").write_bytes(clean)
        bare.commit(commit)
        yield bare


def _url(home: Path, remote: str) -> str:
    """The address behind a remote's name; an address stays what it is."""
    if "/" in remote:
        return remote
    return Git(home).run("remote", "get-url", "--", remote).decode().strip()

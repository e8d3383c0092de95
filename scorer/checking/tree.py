"""Submissions in a commit, read without a work tree."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from scorer.checking.git import Entry, Git
from scorer.checking.neighbours import Neighbour, neighbour_from
from scorer.errors import printable
from scorer.guard import Problems, limits
from scorer.submission import CARD_NAME
from scorer.submission.reading import NO_CARD

__all__ = ["SCORES", "SUBMISSIONS", "TreeFolder", "TreeOthers", "shown"]

SUBMISSIONS, SCORES = "results/submissions", "results/scores"
_FILE = re.compile(rb"results/submissions/(?P<model>[^/]+)/predictions/(?P<dataset>[^/]+)\.jsonl(?:\.gz)?")
_RECORD = re.compile(
    rb"results/scores/(?P<model>[^/]+)/(?P<dataset>[^/]+)\.(?:findings|findings_impression)\.json"
)


def shown(path: bytes) -> str:
    """A path from a commit as messages call it: nothing in it can act."""
    return printable(path.decode("utf-8", "backslashreplace"), 300)


class TreeFolder:
    """A submission's folder in a commit. What is no ordinary file cannot be read."""

    def __init__(self, git: Git, name: str, entries: Sequence[Entry]) -> None:
        self._git, self.name = git, name
        self.path = f"{SUBMISSIONS}/{name}"
        prefix = f"{self.path}/".encode()
        self._entries = {shown(entry.path[len(prefix) :]): entry for entry in entries}

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, entry in self._entries.items() if entry.mode == "100644"))

    def read(self, name: str, cap: int, problems: Problems) -> bytes | None:
        path, entry = f"{self.path}/{name}", self._entries.get(name)
        if entry is None:
            hint = NO_CARD if name == CARD_NAME else ""
            problems.add("no-file", "there is no such file", path=path, hint=hint)
        elif entry.size is None or entry.size > cap:
            problems.add("too-large", limits.over(cap, entry.size), path=path)
        elif entry.mode == "100644":  # any other mode has been refused where the change was looked at
            return self._git.content(entry.blob)
        return None


class TreeOthers:
    """All submissions of one commit, and those of a second one that come on top (the pull request's own)."""

    def __init__(self, git: Git, base: str, added: Mapping[str, Sequence[Entry]]) -> None:
        self._git, self._base, self._added = git, base, added

    @cached_property
    def _entries(self) -> list[Entry]:
        known = self._git.tree(self._base, f"{SUBMISSIONS}/", f"{SCORES}/")
        return [*known, *(entry for entries in self._added.values() for entry in entries)]

    def card_bytes(self) -> Mapping[str, bytes]:
        """Card by model, as the last commit that has one has it."""
        ending = f"/{CARD_NAME}".encode()
        cards = {
            entry.path.split(b"/")[2].decode("utf-8", "replace"): entry.blob
            for entry in self._entries
            if entry.path.startswith(b"results/submissions/")
            and entry.path.endswith(ending)
            and entry.mode == "100644"
        }
        blobs = self._git.blobs(cards.values(), limits.CARD_BYTES)
        return {model: blobs[blob] for model, blob in sorted(cards.items()) if blob in blobs}

    def neighbours(self) -> tuple[Neighbour, ...]:
        found = (neighbour_from(model, data) for model, data in self.card_bytes().items())
        return tuple(one for one in found if one is not None)

    def copied_from(self, model: str, dataset: str, data: bytes, canonical: str) -> str:
        name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        records: dict[str, str] = {}
        for entry in self._entries:
            file = _FILE.fullmatch(entry.path)
            record = None if file else _RECORD.fullmatch(entry.path)
            match = file or record
            if match is None or match["dataset"].decode("utf-8", "replace") != dataset:
                continue
            other = match["model"].decode("utf-8", "replace")
            if other == model:
                continue
            if file and entry.blob == name:
                return other
            if record:
                records[entry.blob] = other
        texts = self._git.blobs(records, limits.MIB)
        quoted = f'"{canonical}"'.encode()
        return next((records[blob] for blob, text in texts.items() if quoted in text), "")

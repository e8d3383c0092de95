"""Raw answers of judges, kept in one sqlite file so that no pair is ever asked twice.

A row is keyed by who answered (`Identity.digest`) and what was asked (`pair_digest`). Rows are committed one
by one: a run that is killed finds every answer that had reached it. The file holds text of reports and
stays on the scoring machine.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType

from scorer.errors import StageError
from scorer.judges.base import Completion, Finish, Identity

__all__ = ["Completions", "pair_digest"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS identities (digest TEXT PRIMARY KEY, identity TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS completions (
    identity TEXT NOT NULL, pair TEXT NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, PRIMARY KEY (identity, pair)
) WITHOUT ROWID;
"""
_MANY = 500  # variables in one query; sqlite's oldest limit is 999


def pair_digest(reference: str, prediction: str) -> str:
    """sha256 of the two texts as the judge reads them."""
    pair = json.dumps([reference, prediction], ensure_ascii=False)
    return hashlib.sha256(pair.encode("utf-8", "surrogatepass")).hexdigest()


class Completions:
    """The store of one cache folder; a context manager, to be used from one thread.

    Raises:
        StageError: the file is damaged, or another process does not let go of it.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # its owner's alone; what SQLite puts beside it has the same mode
        self._connection = sqlite3.connect(path, timeout=60.0, isolation_level=None)
        try:
            # Write-ahead: a commit is an append, and a killed process loses none; readers are never blocked.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            # Answers are dear, so a damaged file is never thrown away unasked.
            advice = f"{path.name} in the cache folder is damaged or in use; move it away to begin anew"
            raise StageError("kept answers", type(error).__name__, advice=advice) from None

    def __enter__(self) -> Completions:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def register(self, identity: Identity) -> None:
        """Keeps what a digest stands for."""
        self._connection.execute(
            "INSERT OR IGNORE INTO identities VALUES (?, ?)",
            (identity.digest, json.dumps(asdict(identity), sort_keys=True)),
        )

    def put(self, identity: Identity, pair: str, completion: Completion) -> None:
        """Commits one answer; an answer that is there already stays."""
        row = (identity.digest, pair, completion.text, completion.finish)
        self._connection.execute(
            "INSERT OR IGNORE INTO completions VALUES (?, ?, ?, ?, ?, ?)",
            (*row, completion.prompt_tokens, completion.completion_tokens),
        )

    def get(self, identity: Identity, pairs: Iterable[str]) -> dict[str, Completion]:
        """The answers that are there, by pair."""
        found: dict[str, Completion] = {}
        for some in _chunks(list(pairs)):
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(
                "SELECT pair, text, finish, prompt_tokens, completion_tokens FROM completions "
                f"WHERE identity = ? AND pair IN ({marks})",
                (identity.digest, *some),
            )
            for pair, text, finish, prompt_tokens, completion_tokens in rows:
                found[pair] = Completion(
                    text=text,
                    finish=_finish(finish),
                    prompt_tokens=prompt_tokens,
                    completion_tokens=completion_tokens,
                )
        return found


def _finish(text: str) -> Finish:
    return "length" if text == "length" else "too_long" if text == "too_long" else "stop"


def _chunks(items: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(items), _MANY):
        yield items[start : start + _MANY]

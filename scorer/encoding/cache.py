"""Encodings kept between runs, in one SQLite file.

Safe under several processes (write-ahead log), against a kill (every batch is one transaction) and against
rot (each row carries a checksum; a file that SQLite cannot read is thrown away and begun anew, and said).
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from scorer.errors import StageError

__all__ = ["LIMIT", "EncodingCache"]

LIMIT = 8 << 30
"""Bytes of encodings kept; the longest unused go first, those of a run in progress stay."""

_KEEP = 0.8  # of the limit after a clean-up, so that not every run has to clean up
_AT_ONCE = 500  # keys a query; SQLite allows 999 in old builds
_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS encodings (
    key BLOB PRIMARY KEY, data BLOB NOT NULL, is_cut INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS uses (key BLOB PRIMARY KEY, run INTEGER NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (run INTEGER PRIMARY KEY AUTOINCREMENT);
"""


class EncodingCache:
    """key -> (bytes, whether the text was cut). Runs are counted, not timed: age is the number of later runs."""

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        self._path, self._limit = path, limit
        self._open()
        self._trim()

    def __enter__(self) -> EncodingCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Brings the file under its limit and lets go of it."""
        self._trim()
        self._database.close()

    def has(self, keys: Iterable[bytes]) -> set[bytes]:
        """Which of the keys are here; counts as using them."""

        def look(wanted: list[bytes]) -> set[bytes]:
            found: set[bytes] = set()
            for some in _chunks(wanted):
                query = f"SELECT key, size FROM uses WHERE key IN ({_marks(some)})"
                rows = self._database.execute(query, some).fetchall()
                found |= {key for key, _ in rows}
                with self._database:
                    touched = [(key, self._run, size) for key, size in rows]
                    self._database.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?, ?)", touched)
            return found

        return self._attempt(lambda: look(list(keys)), set)

    def read(self, keys: Iterable[bytes]) -> dict[bytes, tuple[bytes, bool]]:
        """The encodings of those keys that are here and sound."""

        def look(wanted: list[bytes]) -> dict[bytes, tuple[bytes, bool]]:
            found: dict[bytes, tuple[bytes, bool]] = {}
            for some in _chunks(wanted):
                query = f"SELECT key, data, is_cut, checksum FROM encodings WHERE key IN ({_marks(some)})"
                for key, data, is_cut, checksum in self._database.execute(query, some):
                    if zlib.crc32(data) == checksum:
                        found[key] = data, bool(is_cut)
                    else:
                        _LOG.warning("an encoding in %s is damaged and is computed again", self._path)
            return found

        return self._attempt(lambda: look(list(keys)), dict)

    def write(self, rows: Sequence[tuple[bytes, bytes, bool]]) -> None:
        """Stores (key, bytes, is_cut) rows, all or none.

        Raises:
            StageError: the disk is full or cannot be written.
        """

        def store() -> None:
            with self._database:
                self._database.executemany(
                    "INSERT OR REPLACE INTO encodings VALUES (?, ?, ?, ?)",
                    [(key, data, int(is_cut), zlib.crc32(data)) for key, data, is_cut in rows],
                )
                self._database.executemany(
                    "INSERT OR REPLACE INTO uses VALUES (?, ?, ?)",
                    [(key, self._run, len(data)) for key, data, _ in rows],
                )

        self._attempt(store, lambda: store())

    def _open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connect(str(self._path))
        except sqlite3.OperationalError as error:
            self._do_without(error)
        except sqlite3.DatabaseError:
            self._begin_anew()
        except OSError as error:
            self._do_without(error)

    def _connect(self, name: str) -> None:
        self._database = sqlite3.connect(name, timeout=60.0)
        try:
            if name:  # encodings hold words of reports, so the file is its owner's alone; SQLite's side files follow
                os.chmod(name, 0o600)
            self._database.execute("PRAGMA page_size = 16384")
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.executescript(_SCHEMA)
            with self._database:
                self._run = self._database.execute("INSERT INTO runs DEFAULT VALUES").lastrowid
        except sqlite3.Error:
            self._database.close()
            raise

    def _do_without(self, error: Exception) -> None:
        """A temporary file of SQLite's own stands in, so that the run can go on and keeps its memory small."""
        _LOG.warning("the cache %s cannot be used (%s); nothing is kept", self._path, type(error).__name__)
        self._connect("")

    def _begin_anew(self) -> None:
        _LOG.warning("the cache %s is damaged; it is begun anew", self._path)
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._connect(str(self._path))

    def _attempt(self, action: Callable[[], _T], otherwise: Callable[[], _T]) -> _T:
        try:
            return action()
        except sqlite3.OperationalError as error:
            advice = "free disk space, or move the cache with REXRANK_CACHE"
            raise StageError("encoding cache", str(error), advice=advice) from error
        except sqlite3.DatabaseError:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._begin_anew()
            return otherwise()

    def _trim(self) -> None:
        def trim() -> None:
            (total,) = self._database.execute("SELECT COALESCE(SUM(size), 0) FROM uses").fetchone()
            if total <= self._limit:
                return
            doomed = []
            oldest = "SELECT key, size FROM uses WHERE run < ? ORDER BY run, key"
            for key, size in self._database.execute(oldest, (self._run,)):
                if total <= _KEEP * self._limit:
                    break
                doomed.append((key,))
                total -= size
            with self._database:
                self._database.executemany("DELETE FROM encodings WHERE key = ?", doomed)
                self._database.executemany("DELETE FROM uses WHERE key = ?", doomed)

        self._attempt(trim, lambda: None)


def _chunks(keys: list[bytes]) -> Iterable[list[bytes]]:
    return (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))


def _marks(keys: list[bytes]) -> str:
    return ",".join("?" * len(keys))

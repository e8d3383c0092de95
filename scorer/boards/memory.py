"""Ranked columns, and short lists of words, remembered between builds by a key over everything they depend on.

A damaged or foreign file counts as not remembered. Nothing here is part of a result: deleting the folder
changes no number.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path

from scorer.boards.closed import ranked_from
from scorer.inference.ranks import RankedColumn
from scorer.store import canonical_json, write_atomic

__all__ = ["recall", "recall_words", "remember", "remember_words"]


def recall(cache_dir: Path | None, key: str) -> RankedColumn | None:
    """The column remembered under a key, or None."""
    if cache_dir is None:
        return None
    try:
        return ranked_from(json.loads(_path(cache_dir, key).read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def recall_words(cache_dir: Path | None, key: str) -> list[str] | None:
    """The words remembered under a key, or None."""
    if cache_dir is None:
        return None
    try:
        found = json.loads(_path(cache_dir, key).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, list) and all(isinstance(one, str) for one in found) else None


def remember_words(cache_dir: Path | None, key: str, words: list[str]) -> None:
    """Remembers words; a cache that cannot be written is no error."""
    if cache_dir is not None:
        with contextlib.suppress(OSError):
            write_atomic(_path(cache_dir, key), canonical_json(words))


def remember(cache_dir: Path | None, key: str, column: RankedColumn) -> None:
    """Remembers a column; a cache that cannot be written is no error."""
    if cache_dir is not None:
        with contextlib.suppress(OSError):
            write_atomic(_path(cache_dir, key), canonical_json(dataclasses.asdict(column)))


def _path(cache_dir: Path, key: str) -> Path:
    return cache_dir / "ranks" / key[:2] / f"{key}.json"

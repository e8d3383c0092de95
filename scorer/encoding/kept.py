"""Encodings that earlier runs left in the cache, for showing them; nothing is computed and nothing is written."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path

from scorer.encoding.encoder import Encoder, encoding_key

__all__ = ["kept_encodings"]


def kept_encodings(
    encoder: Encoder, weights_digest: str, cache_dir: Path, texts: Iterable[str]
) -> dict[str, bytes]:
    """The encodings made with these weights, by text as given, of those texts that the cache still holds.

    A cache that is missing, damaged or locked holds nothing.
    """
    path = cache_dir / "encodings.sqlite"
    found: dict[str, bytes] = {}
    if not path.is_file():
        return found
    with contextlib.suppress(sqlite3.Error):
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5.0)
        with contextlib.closing(database):
            for text in dict.fromkeys(texts):
                if normalised := encoder.normalise(text):
                    key = encoding_key(encoder, weights_digest, normalised)
                    query = "SELECT data, checksum FROM encodings WHERE key = ?"
                    row = database.execute(query, (key,)).fetchone()
                    if row is not None and zlib.crc32(row[0]) == row[1]:
                        found[text] = row[0]
    return found

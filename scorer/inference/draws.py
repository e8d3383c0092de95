"""Which clusters a resample takes, and how often.

Draws depend on the number of clusters, the seed and the index of the resample, on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.types import Floats

__all__ = ["Counts", "all_halves", "drawn_counts", "drawn_halves", "joined"]

Counts = NDArray[np.integer[Any]]

_BLOCK = 64  # resamples a stream; part of the definition of the draw: another value gives other resamples


def drawn_counts(c: int, resamples: int, seed: int) -> Iterator[Counts]:
    """How often each of c clusters is drawn, in blocks of (rows, c).

    Each block has its own stream, so blocks could be drawn in any order. Raw bits are scaled by
    multiplication, whose bias is below c / 2^32; unlike numpy's own integers they are promised to stay the
    same in later versions.
    """
    offsets = np.arange(0, _BLOCK * c, c, dtype=np.uint64)[:, None]
    for index, rows in _blocks(resamples):
        bits = _raw(seed, (index,), (rows * c + 1) // 2).view("<u4")
        drawn = bits[: rows * c].astype(np.uint64).reshape(rows, c)
        drawn *= np.uint64(c)
        drawn >>= np.uint64(32)
        drawn += offsets[:rows]
        yield np.bincount(drawn.view(np.int64).ravel(), minlength=rows * c).reshape(rows, c)


def drawn_halves(c: int, resamples: int, seed: int) -> Iterator[Counts]:
    """A fair coin per cluster: (rows, c) of 0 and 1; the streams are not those of `drawn_counts`."""
    words = (c + 63) // 64
    for index, rows in _blocks(resamples):
        octets = _raw(seed, (index, 1), rows * words).view(np.uint8).reshape(rows, -1)
        yield np.unpackbits(octets, axis=1, count=c, bitorder="little")


def all_halves(c: int) -> Iterator[Counts]:
    """All 2^c rows of 0 and 1."""
    for start in range(0, 2**c, 1024):
        numbers = np.arange(start, min(start + 1024, 2**c))[:, None]
        yield numbers >> np.arange(c) & 1


def joined(blocks: Iterable[Counts], size: int) -> Iterator[Floats]:
    """Blocks joined to fewer float64 ones of about `size` numbers: threads wait for each other after a product."""
    batch: list[Counts] = []
    for block in blocks:
        batch.append(block)
        if len(batch) * batch[0].size >= size:
            yield np.concatenate(batch, dtype=np.float64)
            batch = []
    if batch:
        yield np.concatenate(batch, dtype=np.float64)


def _blocks(resamples: int) -> Iterator[tuple[int, int]]:
    """(index, rows) of each block."""
    return ((start // _BLOCK, min(_BLOCK, resamples - start)) for start in range(0, resamples, _BLOCK))


def _raw(seed: int, key: tuple[int, ...], words: int) -> NDArray[np.uint64]:
    stream = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))
    return stream.random_raw(words).astype("<u8", copy=False)

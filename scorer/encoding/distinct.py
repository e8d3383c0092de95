"""The distinct texts of a run, looked up where they stand: a million pairs are not copied, nor their texts kept."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["DistinctTexts"]

_KEY = 32  # bytes of a sha256


class DistinctTexts(Sequence[str]):
    """Normalised texts in the order in which they first come up, each once, without those that are "".

    Takes 40 bytes a text, whatever its length; a text is read and normalised again each time it is asked for.

    Args:
        sides: the run's predictions and references, or any other texts.
        normalise: see `Encoder`. key: a sha256 by normalised text.
    """

    def __init__(
        self,
        sides: Sequence[Sequence[str]],
        normalise: Callable[[str], str],
        key: Callable[[str], bytes],
    ) -> None:
        self._sides, self._normalise = sides, normalise
        places, keys = array("q"), bytearray()
        place = 0
        for side in sides:
            for text in side:
                if normalised := normalise(text):
                    places.append(place)
                    keys += key(normalised)
                place += 1
        every = np.frombuffer(keys, dtype=np.dtype((np.void, _KEY)))
        _, first = np.unique(every, return_index=True)
        first.sort()
        self._keys: NDArray[np.void] = every[first]
        self._places: NDArray[np.int64] = np.frombuffer(places, dtype=np.int64)[first]

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._text(int(place)) for place in self._places[index]]
        return self._text(int(self._places[index]))

    def without(self, here: Callable[[Sequence[bytes]], set[bytes]], at_once: int = 10_000) -> DistinctTexts:
        """Those whose keys `here` does not give back; it is asked for some keys at a time."""
        kept = np.ones(len(self), dtype=np.bool_)
        for start in range(0, len(self), at_once):
            keys = [bytes(key) for key in self._keys[start : start + at_once]]
            known = here(keys)
            kept[start : start + at_once] = [key not in known for key in keys]
        rest = object.__new__(DistinctTexts)
        rest._sides, rest._normalise = self._sides, self._normalise
        rest._keys, rest._places = self._keys[kept], self._places[kept]
        return rest

    def _text(self, place: int) -> str:
        for side in self._sides:
            if place < len(side):
                return self._normalise(side[place])
            place -= len(side)
        raise IndexError(place)

    def __iter__(self) -> Iterator[str]:
        return (self._text(int(place)) for place in self._places)

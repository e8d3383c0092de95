"""Encodes texts: each distinct one once, what the cache lacks only, longest batches first."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from scorer.encoding.cache import LIMIT, EncodingCache
from scorer.encoding.distinct import DistinctTexts
from scorer.encoding.encoder import Encoder, Item, Network, NotFinite, check_device, encoding_key
from scorer.errors import RexrankError, StageError
from scorer.weights import locate

if TYPE_CHECKING:
    from scorer.statistics.base import Bench

__all__ = ["PIECES", "Encoding", "Encodings", "is_out_of_memory", "plan"]

PIECES = {"cpu": 512, "cuda": 65536}
"""Word pieces a batch, padding counted, where the bench leaves the choice to the engine.

On a CPU the activations of a batch should stay in its cache: 2048 pieces take 1.3 times as long as 512 at base size.
"""

_TEXTS = 512  # a batch, at most


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """The encoder's bytes for one text, and whether the text had to be cut."""

    data: bytes
    is_cut: bool


class Encodings:
    """The encodings of the texts of one run; a context manager.

    Nothing is loaded when the cache holds every text. Encodings are read back from the cache in small groups,
    so that memory does not grow with the number of texts.

    Args:
        predictions, references: the run's pairs. Errors name a study by its place among them, never its text.

    Raises:
        WeightsMissing, MissingError: the weights or the device are not on this machine.
    """

    def __init__(
        self,
        encoder: Encoder,
        bench: Bench,
        predictions: Sequence[str],
        references: Sequence[str],
        *,
        limit: int = LIMIT,
    ) -> None:
        check_device(bench.device)
        self._encoder, self._bench = encoder, bench
        self.weights = locate(encoder.id.partition("/")[0], bench.weights_dir)
        self._sides = (predictions, references)
        self._network: Network | None = None
        self._cache = EncodingCache(bench.cache_dir / "encodings.sqlite", limit)

    def __enter__(self) -> Encodings:
        try:
            every = DistinctTexts(self._sides, self._encoder.normalise, self._key)
            for _ in self._stored(every.without(self._cache.has)):
                pass
        except BaseException:
            self._cache.close()
            raise
        self._network = None  # its memory is free for the next encoder
        return self

    def __exit__(self, *_: object) -> None:
        self._network = None
        self._cache.close()

    def get(self, texts: Iterable[str]) -> dict[str, Encoding]:
        """The encodings of these texts of the run, by text as given; a text without content has none."""
        normalised = {text: self._encoder.normalise(text) for text in texts}
        keys = {one: self._key(one) for one in normalised.values() if one}
        found = self._cache.read(keys.values())
        lost = [one for one, key in keys.items() if key not in found]
        if lost:  # damaged, or removed by another process
            found |= {key: (data, is_cut) for rows in self._stored(lost) for key, data, is_cut in rows}
        return {
            text: Encoding(data=found[keys[one]][0], is_cut=found[keys[one]][1])
            for text, one in normalised.items()
            if one
        }

    def _key(self, text: str) -> bytes:
        return encoding_key(self._encoder, self.weights.digest, text)

    def _stored(self, texts: Sequence[str]) -> Iterator[list[tuple[bytes, bytes, bool]]]:
        """Computes distinct texts and stores them batch by batch; yields the rows stored."""
        if not texts:
            return
        done = 0
        self._bench.progress(self._encoder.id, 0, len(texts))
        for encoded in self._encoded(texts):
            rows = [(self._key(text), data, is_cut) for text, data, is_cut in encoded]
            self._cache.write(rows)
            done += len(rows)
            self._bench.progress(self._encoder.id, done, len(texts))
            yield rows

    def _encoded(self, texts: Sequence[str]) -> Iterator[list[tuple[str, bytes, bool]]]:
        """Batches of encodings, made here or by the bench's own engine."""
        if self._bench.engine is not None:
            most, pieces = _limits(self._bench)
            yield from self._bench.engine.encode(
                self._encoder, self.weights, texts, lambda lengths: plan(lengths, most, pieces)
            )
            return
        if self._network is None:
            self._network = self._encoder.load(self.weights, self._bench.device)
        yield from self._encode(self._network, texts)

    def _encode(self, network: Network, texts: Sequence[str]) -> Iterator[list[tuple[str, bytes, bool]]]:
        items = [(text, network.tokenise(text)) for text in texts]
        waiting = deque(sorted(items, key=lambda pair: pair[1].length, reverse=True))
        most, pieces = _limits(self._bench)
        while waiting:
            batch = _take(waiting, most, pieces)
            try:
                encoded = network.encode([item for _, item in batch])
            except NotFinite as error:
                raise self._not_finite(batch, error) from None
            except RexrankError:
                raise
            except Exception as error:
                if not is_out_of_memory(error):
                    # The message of a foreign exception may quote the text, so only its class goes on.
                    raise StageError(self._encoder.id, type(error).__name__, len(batch)) from None
                if len(batch) == 1:
                    advice = "use a machine with more memory"
                    raise StageError(self._encoder.id, "out of memory at one text", advice=advice) from None
                waiting.extendleft(reversed(batch))
                most = len(batch) // 2
                _free_memory()
                continue
            yield [(text, data, item.is_cut) for (text, item), data in zip(batch, encoded, strict=True)]

    def _not_finite(self, batch: Sequence[tuple[str, Item]], error: NotFinite) -> StageError:
        wanted = {batch[position][0] for position in error.positions}
        ordinal = next(
            ordinal
            for ordinal, pair in enumerate(zip_longest(*self._sides, fillvalue=""), start=1)
            if any(self._encoder.normalise(text) in wanted for text in pair)
        )
        advice = f"first at study {ordinal} of the run; verify the weights"
        return StageError(self._encoder.id, "not a number", len(wanted), advice)


def _limits(bench: Bench) -> tuple[int, int | None]:
    """Most texts and most word pieces of a batch; None for no limit on pieces."""
    return (bench.batch_size, None) if bench.batch_size else (_TEXTS, PIECES[bench.device.partition(":")[0]])


def plan(lengths: Sequence[int], most: int, pieces: int | None) -> Iterator[list[int]]:
    """The batches that texts of these lengths are encoded in, as places in the list, longest first."""
    waiting = deque(sorted(range(len(lengths)), key=lambda place: lengths[place], reverse=True))
    while waiting:
        count = _count(lengths[waiting[0]], most, pieces)
        yield [waiting.popleft() for _ in range(min(count, len(waiting)))]


def _count(longest: int, most: int, pieces: int | None) -> int:
    """Texts of a batch that is padded to its first and longest."""
    return most if pieces is None else min(most, max(1, pieces // max(1, longest)))


def _take(waiting: deque[tuple[str, Item]], most: int, pieces: int | None) -> list[tuple[str, Item]]:
    """The next batch."""
    count = _count(waiting[0][1].length, most, pieces)
    return [waiting.popleft() for _ in range(min(count, len(waiting)))]


def is_out_of_memory(error: Exception) -> bool:
    """Whether a failure is for want of memory, which smaller batches can mend."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(
        said in str(error) for said in ("out of memory", "can't allocate memory")
    )


def _free_memory() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()

"""Ray on two workers against one, on encoder work; what Ray itself takes where the encoder does nothing, in time
for a hundred thousand pairs and in memory for a million.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import overload

from benchmarks.table import print_table

N_PAIRS = 100_000
MANY_PAIRS = 1_000_000
_REAL_S = 0.145
"""CPU seconds a report of BERT base on one thread, as measured for the cost model."""


class Nothing:
    """An encoder whose encoding is its text."""

    id, version = "chexbert", 1_000_001

    def normalise(self, text: str) -> str:
        return text

    def load(self, weights: object, device: str) -> Nothing:
        return self

    def tokenise(self, text: str) -> object:
        from scorer.encoding import Item

        return Item(pieces=text, length=len(text))

    def encode(self, items: Sequence[object]) -> list[bytes]:
        return [item.pieces.encode() for item in items]  # type: ignore[attr-defined]


class Work(Nothing):
    """An encoder that multiplies matrices on one thread for each text."""

    version = 1_000_002

    def encode(self, items: Sequence[object]) -> list[bytes]:
        import torch

        square = torch.ones(384, 384)
        for _ in items:
            for _ in range(12):
                square = torch.tanh(square @ square / 384)
        return super().encode(items)


class Invented(Sequence[str]):
    """Reports of half a thousand letters that are made when they are looked at; no two are equal."""

    def __init__(self, side: str, n: int) -> None:
        self._side, self._n = side, n

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._n))]
        if not 0 <= index < self._n:
            raise IndexError(index)
        return f"{self._side} {index} " + "Heart and lungs as before. " * (index % 40)


def encode_invented(n_pairs: int) -> tuple[float, float]:
    """Seconds and peak MiB of this process, the driver, for so many pairs and an encoder that does nothing."""
    from scorer.encoding import Encodings
    from scorer.engines.ray import RayEngine
    from scorer.statistics.base import Bench
    from tests.encoders.tiny import make_tiny_weights

    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        make_tiny_weights(work / "weights", encoders=("chexbert",))  # never looked into
        bench = Bench(weights_dir=work / "weights", cache_dir=work, engine=RayEngine(workers=2))
        sides = Invented("Prediction", n_pairs), Invented("Reference", n_pairs)
        start = time.perf_counter()
        with Encodings(Nothing(), bench, *sides) as encodings:  # type: ignore[arg-type]
            took = time.perf_counter() - start
            some = [side[place] for side in sides for place in (0, n_pairs // 2, n_pairs - 1)]
            found = encodings.get(some)
            assert all(found[text].data == text.encode() for text in some)
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(n_pairs: int) -> tuple[float, float]:
    """The same in a process of its own, whose memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(encode_invented, n_pairs).result()


def work_on(workers: int, texts: Sequence[str]) -> tuple[float, float]:
    """Seconds of the whole, and texts a second once the first batch is back: what is left without the start."""
    from scorer.encoding.engine import plan
    from scorer.engines.ray import RayEngine
    from scorer.weights import Weights

    weights = Weights(encoder="chexbert", folder=Path(tempfile.gettempdir()), digest="0" * 64)
    start, ends, counts = time.perf_counter(), [], []
    for batch in RayEngine(workers=workers).encode(Work(), weights, texts, lambda n: plan(n, 50, None)):  # type: ignore[arg-type]
        ends.append(time.perf_counter())
        counts.append(len(batch))
    assert sum(counts) == len(texts)
    return ends[-1] - start, sum(counts[1:]) / (ends[-1] - ends[0])


def main() -> None:
    """Prints the table, or says that Ray is not there."""
    try:
        import ray
        import torch
    except ImportError:
        print("\nengines: needs the extras `ray` and `encoders`")
        return
    torch.set_num_threads(1)
    ray.init(num_cpus=3, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        (one, slow), (two, fast) = (work_on(workers, Invented("Report", 6_000)) for workers in (1, 2))
    finally:
        ray.shutdown()
    few, base = apart(1_000)
    took, _ = apart(N_PAIRS)
    long, peak = apart(MANY_PAIRS)
    texts = sum(len(text) for text in Invented("Reference", 400)) / 400 * 2 * MANY_PAIRS / 2**20
    rows = [
        ("6,000 texts of work, one worker", f"{one:.1f} s", "1", ""),
        ("the same, two workers", f"{two:.1f} s", f"{one / two:.2f}x", ">= 1.6x"),
        ("the same without the start of Ray's processes", "", f"{fast / slow:.2f}x", ""),
        ("1,000 pairs, an encoder that does nothing, two workers", f"{few:.1f} s", "", ""),
        (
            f"{N_PAIRS:,} pairs of the same",
            f"{took:.1f} s",
            f"{100 * took / (2 * N_PAIRS * _REAL_S / 2):.2f} % of BERT base on these texts",
            "< 3 %",
        ),
        (
            f"{MANY_PAIRS:,} pairs of the same",
            f"{long:.0f} s",
            f"{1e6 * long / (2 * MANY_PAIRS):.0f} us a text",
            "",
        ),
        ("peak of the driver at 1,000 pairs", f"{base:.0f} MiB", "1", ""),
        (
            f"peak of the driver at {MANY_PAIRS:,} pairs",
            f"{peak:.0f} MiB",
            f"{peak - base:.0f} MiB more; the texts alone are {texts:.0f} MiB",
            "less than the texts",
        ),
    ]
    print_table("Ray Data", ("what", "took", "ratio", "wanted"), rows)

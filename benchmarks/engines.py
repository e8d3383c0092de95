"""Ray on two workers against one, on encoder work; what Ray itself takes where the encoder does nothing."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.table import print_table

N_TEXTS = 100_000
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


def main() -> None:
    """Prints the table, or says that Ray is not there."""
    try:
        import ray
    except ImportError:
        print("\nengines: needs the extra `ray`")
        return
    import torch

    from scorer.encoding.engine import plan
    from scorer.engines.ray import RayEngine
    from scorer.weights import Weights

    torch.set_num_threads(1)
    weights = Weights(encoder="chexbert", folder=Path(tempfile.gettempdir()), digest="0" * 64)

    def seconds(encoder: Nothing, workers: int, texts: list[str], most: int) -> float:
        engine = RayEngine(workers=workers)
        once = list(engine.encode(encoder, weights, texts[:8], lambda lengths: plan(lengths, 4, None)))  # type: ignore[arg-type]
        assert once
        start = time.perf_counter()
        n = sum(
            len(batch)
            for batch in engine.encode(encoder, weights, texts, lambda lengths: plan(lengths, most, None))  # type: ignore[arg-type]
        )
        assert n == len(texts)
        return time.perf_counter() - start

    ray.init(num_cpus=3, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        texts = [f"report {n} " + "word " * (n % 40) for n in range(N_TEXTS)]
        one, two = (seconds(Work(), workers, texts[:6_000], 50) for workers in (1, 2))
        nothing = seconds(Nothing(), 2, texts, 512)
    finally:
        ray.shutdown()
    share = nothing / (N_TEXTS * _REAL_S / 2)
    print_table(
        "Ray Data",
        ("what", "took", "ratio", "wanted"),
        [
            ("6,000 texts of work, one worker", f"{one:.1f} s", "1", ""),
            ("the same, two workers", f"{two:.1f} s", f"{one / two:.2f}x", ">= 1.6x"),
            (
                f"{N_TEXTS:,} texts of an encoder that does nothing, two workers",
                f"{nothing:.1f} s",
                f"{100 * share:.2f} % of BERT base on the same",
                "< 3 %",
            ),
        ],
    )

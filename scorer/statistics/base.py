"""The contract of a statistic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from scorer.judges.base import Endpoint
from scorer.types import Floats, StatisticSpec

__all__ = ["Bench", "Computed", "Engine", "Statistic"]


class Engine(Protocol):
    """Something that encodes texts elsewhere, with the results of the engine in this process."""

    def encode(
        self,
        encoder: Any,
        weights: Any,
        texts: Sequence[str],
        plan: Callable[[Sequence[int]], Iterator[list[int]]],
    ) -> Iterator[list[tuple[str, bytes, bool]]]:
        """Yields batches of (text, encoding, whether it was cut) as they are done, in any order.

        Args:
            encoder, weights: see `scorer.encoding.Encoder` and `scorer.weights.Weights`.
            texts: distinct. plan: the batches, as places, that texts of given lengths are encoded in.

        Raises:
            StageError: a batch failed for good; batches yielded before are good.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The workplace that a statistic computes on: paths and machine choices, no texts.

    Attributes:
        weights_dir: where verified weights lie. cache_dir: where encodings are kept between runs.
        device: "cpu", "cuda" or "cuda:N". batch_size: texts a batch; 0 lets the engine choose.
        progress: called with (stage, done, total); never with a text or an id.
        loopback_only: judges may talk to 127.0.0.1 / ::1 only (credentialed and private datasets).
        judges: where each judge answers, by its id; see `rexrank judge`.
        engine: encodes on other processes or machines; None encodes in this one.
    """

    weights_dir: Path
    cache_dir: Path
    device: str = "cpu"
    batch_size: int = 0
    progress: Callable[[str, int, int], None] = field(default=lambda stage, done, total: None)
    loopback_only: bool = False
    judges: Mapping[str, Endpoint] = field(default_factory=dict)
    engine: Engine | None = None


@dataclass(frozen=True, kw_only=True)
class Computed:
    """What `compute` gives.

    Attributes:
        values: float64 (n, k), finite, one row per pair in the order given.
        weights_digest: sha256 that identifies the weights used; "" when none.
        n_truncated: texts an encoder had to cut.
    """

    values: Floats
    weights_digest: str = ""
    n_truncated: int = 0


class Statistic(Protocol):
    """Per-study numbers that need the two texts, and perhaps an encoder.

    Implementations hold no state beyond `spec`; heavy imports stay inside the methods.
    """

    @property
    def spec(self) -> StatisticSpec: ...

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """Computes one row per pair.

        A row depends on its own pair only: not on the batch, the order, the other pairs or the cache.
        An empty prediction gets the worst row and raises nothing.

        Raises:
            WeightsMissing: the encoder's weights are not on this machine.
            StageError: the encoder failed; names stage, class and count only.
        """
        ...

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        """None when `compute` can run here, else (what is missing, the command that gets it). Loads nothing."""
        ...

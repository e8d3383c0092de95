"""Encoding through Ray Data: a pool of workers, each with the encoder on a GPU or a processor of its own.

The batches are those of the single-process engine, so the encodings are the same to the byte on the same kind of
device with as many threads; only who computes which batch differs. Texts go out and encodings come back as a
stream: what is under way is bounded, and the caller stores each batch before it takes the next.

On one machine nothing needs to be started. On a cluster, start Ray there (`ray start --head`, then
`ray start --address …` on the others) and give `address="auto"`; weights must lie at the same path everywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.encoding.encoder import Encoder, NotFinite
from scorer.encoding.engine import is_out_of_memory
from scorer.errors import MissingError, StageError
from scorer.weights import Weights

__all__ = ["RayEngine"]

_LENGTHS = 2_000
"""Texts whose lengths are counted in one go."""


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """An engine over Ray; see `scorer.statistics.base.Engine`.

    Attributes:
        workers: encoders at work at once. device: "cpu" or "cuda"; a worker on "cuda" has one GPU to itself.
        threads: of a worker on "cpu".
        address: of a running cluster ("auto" for the one this machine belongs to); "" starts one here.
    """

    workers: int
    device: str = "cpu"
    threads: int = 1
    address: str = ""

    def encode(
        self,
        encoder: Encoder,
        weights: Weights,
        texts: Sequence[str],
        plan: Callable[[Sequence[int]], Iterator[list[int]]],
    ) -> Iterator[list[tuple[str, bytes, bool]]]:
        """See `Engine`."""
        self._start()
        chunks = [range(start, min(start + _LENGTHS, len(texts))) for start in range(0, len(texts), _LENGTHS)]
        lengths = [0] * len(texts)
        for row in self._map(encoder, weights, texts, chunks, "count"):
            for place, length in zip(row["places"], row["lengths"], strict=True):
                lengths[place] = int(length)
        for row in self._map(encoder, weights, texts, plan(lengths), "encode"):
            if row["failure"]:
                raise StageError(encoder.id, str(row["failure"]), len(row["places"]))
            yield [
                (texts[place], bytes(data), bool(is_cut))
                for place, data, is_cut in zip(row["places"], row["data"], row["is_cut"], strict=True)
            ]

    def _start(self) -> None:
        try:
            import ray
        except ImportError:
            raise MissingError("the Python package ray", "pip install 'rexrank[ray]'") from None
        import ray.data

        if not ray.is_initialized():
            options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
            if self.address:
                ray.init(address=self.address, **options)
            else:
                gpus = self.workers if self.device == "cuda" else 0
                ray.init(num_cpus=self.workers + 1, num_gpus=gpus, include_dashboard=False, **options)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False  # progress is the caller's to show
        logging.getLogger("ray.data").setLevel(logging.ERROR)

    def _map(
        self, encoder: Encoder, weights: Weights, texts: Sequence[str], batches: Any, task: str
    ) -> Iterator[Any]:
        """Rows of results, one a batch, as they are done."""
        import ray.data

        rows = [{"places": list(batch), "texts": [texts[place] for place in batch]} for batch in batches]
        # A block holds few batches, so that work is shared out evenly and little is lost with a worker.
        blocks = max(1, min(len(rows), 16 * self.workers))
        on_gpu = self.device == "cuda"
        mapped = ray.data.from_items(rows, override_num_blocks=blocks).map_batches(
            _Worker,
            fn_constructor_args=(encoder, weights, self.device, self.threads, task),
            batch_size=1,
            batch_format="numpy",
            compute=ray.data.ActorPoolStrategy(size=self.workers),  # dead workers come back by default
            num_cpus=1,
            num_gpus=1 if on_gpu else 0,
        )
        yield from mapped.iter_rows()


class _Worker:
    """The encoder in a process of its own."""

    def __init__(self, encoder: Encoder, weights: Weights, device: str, threads: int, task: str) -> None:
        import torch

        if device == "cpu":
            torch.set_num_threads(threads)
        self._task = task
        self._network = encoder.load(weights, device)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        (places,), (texts,) = batch["places"], batch["texts"]
        items = [self._network.tokenise(str(text)) for text in texts]
        if self._task == "count":
            return {"places": [list(places)], "lengths": [[item.length for item in items]]}
        try:
            data, failure = self._encode(items), ""
        except NotFinite:
            data, failure = [b""] * len(items), "not a number"
        except Exception as error:  # its message may quote a text, so only its class goes on
            data, failure = [b""] * len(items), type(error).__name__
        return {
            "places": [list(places)],
            "data": [data],
            "is_cut": [[item.is_cut for item in items]],
            "failure": [failure],
        }

    def _encode(self, items: list[Any]) -> list[bytes]:
        try:
            return self._network.encode(items)
        except Exception as error:
            if not is_out_of_memory(error) or len(items) == 1:
                raise
        middle = len(items) // 2
        return self._encode(items[:middle]) + self._encode(items[middle:])

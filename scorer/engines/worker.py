"""The encoder in a process of its own: it shows a ticket, gets a parcel of texts and gives their encodings."""

from __future__ import annotations

import pickle
from typing import Any

from scorer.encoding.encoder import Encoder, NotFinite
from scorer.encoding.engine import is_out_of_memory
from scorer.weights import Weights

__all__ = ["Worker"]


class Worker:
    """Ray Data makes one for each process of the pool.

    Args:
        desk: where texts lie; see `scorer.engines.desk`.
    """

    def __init__(self, encoder: Encoder, weights: Weights, device: str, threads: int, desk: Any) -> None:
        import torch

        if device == "cpu":
            torch.set_num_threads(threads)
        self._network, self._desk = encoder.load(weights, device), desk

    def __call__(self, rows: Any) -> Any:
        """Tickets become a table of tickets and what was made of their parcels.

        A parcel is ("count", texts), which gives their lengths, or ("encode", batches of texts), which gives
        (encoding, whether it was cut) for each text; or a failure in words that quote no text.
        """
        import pyarrow
        import ray

        tickets = [int(ticket) for ticket in rows["id"]]
        made = [self._made(*ray.get(self._desk.take.remote(ticket))) for ticket in tickets]
        return pyarrow.table(
            {"ticket": tickets, "data": [pickle.dumps(one, protocol=5) for one in made]},
            schema=pyarrow.schema({"ticket": pyarrow.int64(), "data": pyarrow.large_binary()}),
        )

    def _made(self, task: str, content: Any) -> Any:
        if task == "count":
            return [self._network.tokenise(text).length for text in content]
        try:
            return [row for batch in content for row in self._batch(batch)]
        except NotFinite:
            return "not a number"
        except Exception as error:  # its message may quote a text, so only its class goes on
            return type(error).__name__

    def _batch(self, texts: list[str]) -> list[tuple[bytes, bool]]:
        items = [self._network.tokenise(text) for text in texts]
        encoded = self._encode(items)
        return [(data, item.is_cut) for data, item in zip(encoded, items, strict=True)]

    def _encode(self, items: list[Any]) -> list[bytes]:
        try:
            return self._network.encode(items)
        except Exception as error:
            if not is_out_of_memory(error) or len(items) == 1:
                raise
        middle = len(items) // 2
        return self._encode(items[:middle]) + self._encode(items[middle:])

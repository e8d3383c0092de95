"""The encoder in a process of its own: a parcel of texts comes in, their encodings go out."""

from __future__ import annotations

import pickle
from typing import Any

from scorer.encoding.encoder import Encoder, NotFinite
from scorer.encoding.engine import is_out_of_memory
from scorer.weights import Weights

__all__ = ["Worker", "parcel_table"]


def parcel_table(ticket: int, content: Any) -> Any:
    """The one row that a parcel is while it travels: its ticket, and its content as bytes."""
    import pyarrow

    return pyarrow.table({"ticket": [ticket], "data": [pickle.dumps(content, protocol=5)]})


class Worker:
    """Ray Data makes one for each process of the pool."""

    def __init__(self, encoder: Encoder, weights: Weights, device: str, threads: int) -> None:
        import torch

        if device == "cpu":
            torch.set_num_threads(threads)
        self._network = encoder.load(weights, device)

    def __call__(self, table: Any) -> Any:
        """A table of one parcel becomes a table of what was made of it.

        A parcel is ("count", texts), which gives their lengths, or ("encode", batches of texts), which gives
        (encoding, whether it was cut) for each text; or a failure in words that quote no text.
        """
        import pyarrow

        rows = zip(table["ticket"], table["data"], strict=True)
        return pyarrow.concat_tables(
            parcel_table(ticket.as_py(), self._made(*pickle.loads(data.as_buffer()))) for ticket, data in rows
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

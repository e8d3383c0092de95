"""Token vectors of a transformer's lower layers: what BERTScore compares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.encoding.encoder import Item, Network, NotFinite
from scorer.encoding.transformer import Tokeniser, build, load_strictly, pad, read_state, refuse, stripped
from scorer.weights import Weights

__all__ = ["TokenVectors", "unpack"]

LIMIT = 512
_SPACES = re.compile(" +")


@dataclass(frozen=True, kw_only=True)
class TokenVectors:
    """L2-normalised fp32 vectors of every piece, special pieces included, after `layers` layers.

    Attributes:
        layers: layers kept; higher ones are dropped before the network is built.
    """

    id: str
    version: int
    layers: int

    def normalise(self, text: str) -> str:
        """Runs of spaces become one, and both ends are trimmed (bert-score strips; ReXrank squeezes)."""
        return _SPACES.sub(" ", text).strip()

    def load(self, weights: Weights, device: str) -> Network:
        """See `Encoder`."""
        network = build(weights.folder, weights, layers=self.layers)
        state = read_state(weights.folder / "model.safetensors", weights)
        prefix = next((p for p in ("roberta.", "bert.") if any(name.startswith(p) for name in state)), "")
        state = stripped(state, prefix)
        unused = tuple(f"encoder.layer.{layer}." for layer in range(self.layers, 1000))
        needed = {name: tensor for name, tensor in state.items() if not name.startswith(("pooler.", *unused))}
        load_strictly(network, needed, weights, device)
        tokeniser = Tokeniser(weights.folder, weights)
        if max(tokeniser.start, tokeniser.end, tokeniser.filler) >= network.config.vocab_size:
            raise refuse(weights, "the vocabulary is larger than the network's")
        return _Loaded(network, tokeniser, device)


class _Loaded:
    def __init__(self, network: Any, tokeniser: Tokeniser, device: str) -> None:
        self._network, self._tokeniser, self._device = network, tokeniser, device

    def tokenise(self, text: str) -> Item:
        ids, is_cut = self._tokeniser.framed(text, LIMIT)
        return Item(pieces=ids, length=len(ids), is_cut=is_cut)

    def encode(self, items: Sequence[Item]) -> list[bytes]:
        import torch

        ids, mask = pad([item.pieces for item in items], self._tokeniser.filler, self._device)
        with torch.inference_mode():
            states = self._network(ids, attention_mask=mask).last_hidden_state
            states = (states / states.norm(dim=-1, keepdim=True)).cpu().numpy()
        rows = [states[row, : item.length] for row, item in enumerate(items)]
        bad = [position for position, row in enumerate(rows) if not np.isfinite(row).all()]
        if bad:
            raise NotFinite(bad)
        frame = (self._tokeniser.start, self._tokeniser.end)
        return [
            _pack([piece not in frame for piece in item.pieces], row)
            for item, row in zip(items, rows, strict=True)
        ]


def _pack(counts: Sequence[bool], vectors: NDArray[np.float32]) -> bytes:
    return len(counts).to_bytes(4, "little") + bytes(counts) + vectors.astype("<f4", copy=False).tobytes()


def unpack(data: bytes) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """(t,) whether a piece counts (the special ones do not), and (t, d) unit vectors."""
    length = int.from_bytes(data[:4], "little")
    counts = np.frombuffer(data, dtype=np.bool_, count=length, offset=4)
    return counts, np.frombuffer(data, dtype="<f4", offset=4 + length).reshape(length, -1)

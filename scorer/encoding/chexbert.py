"""The CheXbert network: one pass gives the [CLS] vector and 14 labels of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.encoding.encoder import Item, Network, NotFinite
from scorer.encoding.transformer import Tokeniser, build, load_strictly, pad, read_state, refuse
from scorer.weights import Weights

__all__ = ["CHEXBERT", "CLASSES", "LABELS", "ChexbertEncoder", "unpack"]

LABELS = (
    "Enlarged Cardiomediastinum",
    "Cardiomegaly",
    "Lung Opacity",
    "Lung Lesion",
    "Edema",
    "Consolidation",
    "Pneumonia",
    "Atelectasis",
    "Pneumothorax",
    "Pleural Effusion",
    "Pleural Other",
    "Fracture",
    "Support Devices",
    "No Finding",
)
"""In the order of the network's heads."""

CLASSES = ("blank", "positive", "negative", "uncertain")
"""What a label can be; No Finding is blank or positive only."""

LIMIT = 512
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class ChexbertEncoder:
    """BERT with 13 heads of four classes and one of two, on the last layer's [CLS]; dropout off, no pooler.

    Source: Smit et al. 2020; f1chexbert 0.0.2, which loads the same file leniently.
    """

    id: str = "chexbert"
    version: int = 1

    def normalise(self, text: str) -> str:
        """Every run of white space becomes one space, and both ends are trimmed."""
        return _SPACE.sub(" ", text).strip()

    def load(self, weights: Weights, device: str) -> Network:
        """See `Encoder`."""
        import torch

        state = read_state(weights.folder / "chexbert.pth", weights)
        inner = state.get("model_state_dict")
        if not isinstance(inner, dict):
            raise refuse(weights, "chexbert.pth has no model_state_dict")
        state = {name.removeprefix("module."): tensor for name, tensor in inner.items()}
        state = {name: tensor for name, tensor in state.items() if not name.startswith("bert.pooler.")}
        base = weights.folder / "base"
        encoder = build(base, weights)
        with torch.device("meta"):
            heads = torch.nn.ModuleList(
                [
                    torch.nn.Linear(encoder.config.hidden_size, 2 if label == "No Finding" else len(CLASSES))
                    for label in LABELS
                ]
            )
        network = torch.nn.ModuleDict({"bert": encoder, "linear_heads": heads})
        load_strictly(network, state, weights, device)
        return _Loaded(network, Tokeniser(base, weights), device)


CHEXBERT = ChexbertEncoder()


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
            first = self._network["bert"](ids, attention_mask=mask).last_hidden_state[:, 0]
            classes = torch.stack(
                [head(first).argmax(dim=1) for head in self._network["linear_heads"]], dim=1
            )
        vectors, labels = first.cpu().numpy(), classes.to(torch.uint8).cpu().numpy()
        bad = [position for position, vector in enumerate(vectors) if not np.isfinite(vector).all()]
        if bad:
            raise NotFinite(bad)
        return [
            label.tobytes() + vector.astype("<f4", copy=False).tobytes()
            for label, vector in zip(labels, vectors, strict=True)
        ]


def unpack(data: bytes) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """(14,) class indices in order of `LABELS`, and the (768,) vector."""
    count = len(LABELS)
    return np.frombuffer(data, dtype=np.uint8, count=count), np.frombuffer(data, dtype="<f4", offset=count)

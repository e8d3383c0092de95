"""The vector of an entity: the last layer's first state of a biomedical sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.encoding.encoder import Item, Network, NotFinite
from scorer.encoding.ratescore.networks import Vocabulary, network
from scorer.encoding.transformer import refuse
from scorer.weights import Weights

__all__ = ["ENTITIES", "EntityVectors", "unpack_vector"]

LIMIT = 30


@dataclass(frozen=True, kw_only=True)
class EntityVectors:
    """`FremyCompany/BioLORD-2023-C` in fp32; the encoding of an entity is its (768,) vector, not normalised."""

    id: str = "ratescore/entities"
    version: int = 1

    def normalise(self, text: str) -> str:
        """The entity in small letters with single spaces, which is all that the uncased vocabulary sees of it:
        what is equal then is encoded once and has the same vector to the bit. It stands behind a mark, since
        pieces without letters make an empty entity, which has a vector too."""
        return f"\x00{' '.join(text.lower().split())}"

    def load(self, weights: Weights, device: str) -> Network:
        """See `Encoder`."""
        folder = weights.folder / "entities"
        encoder = network(folder, weights, device, "AutoModel", ("pooler.",), add_pooling_layer=False)
        vocabulary = Vocabulary(folder, weights, LIMIT)
        if vocabulary.item("HEART  a") != vocabulary.item("heart a"):
            raise refuse(weights, "the vocabulary of the entity encoder is not the uncased one")
        return _Loaded(encoder, vocabulary, device)


ENTITIES = EntityVectors()


class _Loaded:
    def __init__(self, encoder: Any, vocabulary: Vocabulary, device: str) -> None:
        self._encoder, self._vocabulary, self._device = encoder, vocabulary, device

    def tokenise(self, text: str) -> Item:
        return self._vocabulary.item(text[1:])

    def encode(self, items: Sequence[Item]) -> list[bytes]:
        import torch

        with torch.inference_mode():
            states = self._encoder(**self._vocabulary.batch(items, self._device)).last_hidden_state
            first = states[:, 0].cpu().numpy()
        bad = [position for position, vector in enumerate(first) if not np.isfinite(vector).all()]
        if bad:
            raise NotFinite(bad)
        return [vector.astype("<f4", copy=False).tobytes() for vector in first]


def unpack_vector(data: bytes) -> NDArray[np.float32]:
    """The vector of an encoding."""
    return np.frombuffer(data, dtype="<f4")

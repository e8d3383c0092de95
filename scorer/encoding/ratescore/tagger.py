"""Entities in a sentence: a token classifier over five types in the inside-outside-beginning scheme."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorer.encoding.encoder import Item, Network, NotFinite
from scorer.encoding.ratescore.networks import Vocabulary, network
from scorer.encoding.transformer import refuse
from scorer.weights import Weights

__all__ = ["TAGGER", "TYPES", "EntityTagger", "spans", "unpack_entities"]

TYPES = ("ABNORMALITY", "ANATOMY", "DISEASE", "NON-ABNORMALITY", "NON-DISEASE")
LIMIT = 512


@dataclass(frozen=True, kw_only=True)
class EntityTagger:
    """`Angelakeke/RaTE-NER-Deberta`; the encoding of a sentence is the JSON list of its (entity, type)."""

    id: str = "ratescore/tagger"
    version: int = 1

    def normalise(self, text: str) -> str:
        """The sentence as it is."""
        return text

    def load(self, weights: Weights, device: str) -> Network:
        """See `Encoder`."""
        folder = weights.folder / "tagger"
        classifier = network(folder, weights, device, "AutoModelForTokenClassification", ())
        labels = classifier.config.id2label
        kinds = {label.partition("-")[2] for label in labels.values() if label != "O"}
        if not kinds <= set(TYPES):
            raise refuse(weights, "the tagger has other types of entities than RaTEScore")
        return _Loaded(classifier, Vocabulary(folder, weights, LIMIT), labels, device)


TAGGER = EntityTagger()


class _Distances:
    """Keeps the network's table of relative positions as short as a batch needs.

    The network copies and multiplies the whole table, 512 distances, for every sentence in every layer, and then
    picks the few that a sentence of a dozen pieces has. A distance is never put into a bucket further out, so the
    middle of the table holds all that a batch can ask for.
    """

    def __init__(self, classifier: Any) -> None:
        encoder: Any = getattr(getattr(classifier, "deberta", None), "encoder", None)
        self._layers = [layer.attention.self for layer in encoder.layer] if encoder is not None else []
        self._layers = [one for one in self._layers if getattr(one, "relative_attention", False)]
        if not self._layers:
            return
        self._whole = self._reach = int(self._layers[0].pos_ebd_size)
        table = encoder.get_rel_embedding
        encoder.get_rel_embedding = lambda: table()[self._whole - self._reach : self._whole + self._reach]

    def set(self, longest: int) -> None:
        """Makes the table reach as far as a sentence of so many pieces needs."""
        if self._layers:
            self._reach = min(longest, self._whole)
        for layer in self._layers:
            layer.pos_ebd_size = self._reach


class _Loaded:
    def __init__(self, classifier: Any, vocabulary: Vocabulary, labels: dict[int, str], device: str) -> None:
        self._classifier, self._vocabulary, self._labels, self._device = (
            classifier,
            vocabulary,
            labels,
            device,
        )
        self._distances = _Distances(classifier)

    def tokenise(self, text: str) -> Item:
        return self._vocabulary.item(text)

    def encode(self, items: Sequence[Item]) -> list[bytes]:
        import torch

        self._distances.set(max(item.length for item in items))
        with torch.inference_mode():
            logits = self._classifier(**self._vocabulary.batch(items, self._device)).logits.cpu().numpy()
        rows = [logits[row, : item.length] for row, item in enumerate(items)]
        bad = [position for position, row in enumerate(rows) if not np.isfinite(row).all()]
        if bad:
            raise NotFinite(bad)
        return [
            self._entities(item, row.argmax(axis=1).tolist()) for item, row in zip(items, rows, strict=True)
        ]

    def _entities(self, item: Item, classes: list[int]) -> bytes:
        tokeniser = self._vocabulary.tokeniser
        tokens = tokeniser.convert_ids_to_tokens(list(item.pieces))
        labels = [self._labels[one] for one in classes]
        entities = [
            (tokeniser.convert_tokens_to_string(tokens[start : end + 1]), kind)
            for start, end, kind in spans(tokens, labels)
        ]
        return json.dumps(entities).encode()


def unpack_entities(data: bytes) -> list[tuple[str, str]]:
    """The (entity, type) pairs of an encoding, in order."""
    return [(str(entity), str(kind)) for entity, kind in json.loads(data)]


def spans(tokens: Sequence[str], labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """(first token, last token, type) of each entity, as the original reads labels.

    A span closes when the next label begins another or is outside. Two oddities are the original's own: a
    beginning before another beginning closes itself and stays open, and a span left open is closed before the
    last special token only if no earlier span was closed without being forgotten.
    """
    found: list[tuple[int, int, str]] = []
    start: int | None = None
    end: int | None = None
    kind = ""
    for place, (token, label) in enumerate(zip(tokens, labels, strict=True)):
        if token in ("[CLS]", "[SEP]") or label == "O" or place == len(labels) - 1:
            continue
        begins, follows = label.startswith("B-"), labels[place + 1]
        is_outside = follows.startswith("O")
        if begins:
            start, kind = place, label[2:]
        if begins and follows.startswith("I-"):
            continue
        if follows.startswith("B-") or is_outside:
            end = place
            if start is not None:
                found.append((start, end, kind))
            start, kind = (None, "") if is_outside else (place, label[2:])
            end = None if is_outside else end
    if start is not None and end is None:
        found.append((start, len(tokens) - 2, kind))
    return found

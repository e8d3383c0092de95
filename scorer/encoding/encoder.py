"""The contract of an encoder, and what every encoder needs of the machine."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from scorer.errors import MissingError, UsageError, printable
from scorer.weights import Weights
from scorer.weights import missing as weights_missing

if TYPE_CHECKING:
    from scorer.statistics.base import Bench

__all__ = ["Encoder", "Item", "Network", "NotFinite", "check_device", "encoding_key", "missing"]


@dataclass(frozen=True, kw_only=True)
class Item:
    """One text, ready for the network.

    Attributes:
        pieces: whatever the network's `encode` reads. length: word pieces, which is what time and memory go by.
        is_cut: whether the text was longer than the encoder can read.
    """

    pieces: Any
    length: int
    is_cut: bool = False


class NotFinite(Exception):
    """The network gave NaN or an infinity; `positions` are those of the items in the batch."""

    def __init__(self, positions: Sequence[int]) -> None:
        self.positions = tuple(positions)
        super().__init__(f"{len(self.positions)} encodings are not finite")


class Network(Protocol):
    """An encoder in memory."""

    def tokenise(self, text: str) -> Item:
        """Makes a text ready; never raises on any text."""
        ...

    def encode(self, items: Sequence[Item]) -> list[bytes]:
        """The encodings of a batch, in order; one depends on its own item only.

        Raises:
            NotFinite: some are not numbers.
        """
        ...


class Encoder(Protocol):
    """What turns a text into the bytes that a statistic reads; holds no weights until `load`.

    Attributes:
        id: name in the weights lock, and after a slash which of several encoders that share the entry.
        version: bumped when the bytes for any text may change.
    """

    @property
    def id(self) -> str: ...

    @property
    def version(self) -> int: ...

    def normalise(self, text: str) -> str:
        """The text as the network reads it; texts that are equal then are encoded once, "" never."""
        ...

    def load(self, weights: Weights, device: str) -> Network:
        """Loads the weights strictly.

        Raises:
            WeightsMissing: the files do not make up the network that this encoder is.
        """
        ...


def encoding_key(encoder: Encoder, weights_digest: str, text: str) -> bytes:
    """The key under which the cache holds the encoding of a text as the encoder normalised it."""
    space = f"{encoder.id}@{encoder.version}\n{weights_digest}\n".encode()
    return hashlib.sha256(space + text.encode("utf-8", "surrogatepass")).digest()


def check_device(device: str) -> None:
    """Makes sure that a device can be used.

    Raises:
        MissingError: CUDA was asked for and is not there, or not that many devices.
        UsageError: it is no device that an encoder runs on.
    """
    import torch

    kind, _, index = device.partition(":")
    if kind not in {"cpu", "cuda"} or (index and not index.isdigit()) or (kind == "cpu" and index):
        raise UsageError(f"{printable(device)!r} is no device; it is cpu, cuda or cuda:N")
    if kind == "cuda" and (not torch.cuda.is_available() or int(index or 0) >= torch.cuda.device_count()):
        raise MissingError(f"the device {device} is not on this machine", "the same with --device cpu")


def missing(encoder_id: str, bench: Bench) -> tuple[str, str] | None:
    """None when an encoder can run here, else (what is missing, the command that gets it); loads nothing."""
    absent = [
        name for name in ("torch", "transformers", "safetensors") if importlib.util.find_spec(name) is None
    ]
    if absent:
        return f"the Python packages {', '.join(absent)}", "pip install 'rexrank[encoders]'"
    return weights_missing(encoder_id, bench.weights_dir)

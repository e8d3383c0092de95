"""The engine that all encoder statistics share: each distinct text once, cached on disk, batched by length."""

from __future__ import annotations

from scorer.encoding.cache import EncodingCache
from scorer.encoding.encoder import Encoder, Item, Network, NotFinite, check_device
from scorer.encoding.engine import Encoding, Encodings
from scorer.encoding.kept import kept_encodings

__all__ = [
    "Encoder",
    "Encoding",
    "EncodingCache",
    "Encodings",
    "Item",
    "Network",
    "NotFinite",
    "check_device",
    "kept_encodings",
]

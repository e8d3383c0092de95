"""Weights of encoders and judges: pinned in a lock, fetched only when asked, verified before use.

`lock.yaml` pins every file by repository, revision, size and sha256. A value that nobody of us has been
able to see is null there, which makes the encoder *unpinned*: it is refused until `rexrank weights lock`
has filled the values on a trusted machine. Nothing here runs at import or at first use.
"""

from __future__ import annotations

from scorer.weights.lock import EncoderLock, Lock, LockedFile, read_lock, write_lock
from scorer.weights.store import Weights, locate, missing, verify

__all__ = [
    "EncoderLock",
    "Lock",
    "LockedFile",
    "Weights",
    "locate",
    "missing",
    "read_lock",
    "verify",
    "write_lock",
]

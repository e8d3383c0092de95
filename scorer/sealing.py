"""Which studies of a private split are sealed: scored for snapshots only, so that nobody tunes against them.

The choice depends on a key that is made on the scoring machine and never leaves it. Studies of one patient stay
together.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from pathlib import Path

from scorer.store import write_atomic
from scorer.types import Study

__all__ = ["is_sealed", "sealing_key", "split_sealed"]


def sealing_key(state_dir: Path, dataset: str) -> bytes:
    """The machine's key for a dataset, made at its first use."""
    path = state_dir / "sealed" / f"{dataset}.key"
    if not path.is_file():
        write_atomic(path, secrets.token_hex(32).encode())
        path.chmod(0o600)
    return path.read_bytes()


def is_sealed(study: Study, key: bytes, share: float) -> bool:
    """Whether a study is sealed; about `share` of all patients are."""
    mark = hmac.new(key, (study.patient or study.id).encode("utf-8"), hashlib.sha256).digest()
    return int.from_bytes(mark[:8]) < share * 2**64


def split_sealed(
    studies: Iterable[Study], key: bytes, share: float
) -> tuple[tuple[Study, ...], tuple[Study, ...]]:
    """(open studies, sealed studies), each in the order given."""
    listed = list(studies)
    sealed = [is_sealed(study, key, share) for study in listed]
    return (
        tuple(study for study, is_shut in zip(listed, sealed, strict=True) if not is_shut),
        tuple(study for study, is_shut in zip(listed, sealed, strict=True) if is_shut),
    )

"""Places references on a scoring machine that starts empty. Where they are comes from a secret; they go to the state
folder, outside every work tree, and are registered by their digests like a user's own copy."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path

from scorer.datasets import register
from scorer.errors import InputError, MissingError, Problem, RexrankError, StageError
from scorer.guard import limits
from scorer.reconcile.fetch import download
from scorer.store import digest, write_atomic

__all__ = ["place_references"]

_HINT = 'REXRANK_REFERENCES holds {"<dataset>": {"url": "https://…", "sha256": "…"}}'


def place_references(secret: str, state_dir: Path, results_root: Path) -> list[str]:
    """Downloads and registers what the secret names; gives the dataset ids. Without a secret there is nothing to do.

    Each address holds one file that the dataset's reader takes, or a tar.gz of several.

    Raises:
        InputError: the secret is not in the documented form. StageError: a file cannot be had or is another one.
        None of them says an address or a content.
    """
    if not secret.strip():
        return []
    done = []
    for dataset, place in sorted(_parse(secret).items()):
        try:
            data = download(place["url"], limits.IMPORT_BYTES)
        except (OSError, ValueError) as error:
            raise StageError(
                f"references of {dataset}", type(error).__name__, advice="check the secret"
            ) from None
        if digest(data) != place["sha256"]:
            raise StageError(f"references of {dataset}", "OtherDigest", advice="check the secret")
        folder = state_dir / "references" / dataset
        folder.mkdir(parents=True, exist_ok=True)
        target = _unpack(data, folder, dataset)
        try:
            register(dataset, target, state_dir, results_root=results_root)
        except (RexrankError, MissingError) as error:
            raise StageError(
                f"references of {dataset}", type(error).__name__, advice="compare with the card"
            ) from None
        done.append(dataset)
    return done


def _parse(secret: str) -> dict[str, dict[str, str]]:
    try:
        found = json.loads(secret)
        for dataset, place in found.items():
            good = re.fullmatch(r"[a-z0-9-]{2,64}", dataset) and set(place) == {"url", "sha256"}
            if not good or not re.fullmatch(r"[0-9a-f]{64}", place["sha256"]):
                raise ValueError
        return dict(found)
    except (ValueError, AttributeError, TypeError):
        problem = Problem(code="bad-secret", message="the secret is not in the documented form", hint=_HINT)
        raise InputError([problem]) from None


def _unpack(data: bytes, folder: Path, dataset: str) -> Path:
    if not data.startswith(b"\x1f\x8b"):
        file = folder / f"{dataset}.json"
        write_atomic(file, data)
        return file
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            archive.extractall(folder, filter="data")
    except (tarfile.TarError, OSError, EOFError) as error:
        raise StageError(f"references of {dataset}", type(error).__name__, advice="pack them again") from None
    return folder

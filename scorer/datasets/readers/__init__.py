"""Readers: from a user's copy of a dataset to studies."""

from __future__ import annotations

from collections.abc import Mapping

from scorer.datasets.base import Reader
from scorer.datasets.readers.jsonl import jsonl_bytes, read_jsonl
from scorer.datasets.readers.rexgradient import read_rexgradient
from scorer.datasets.readers.rexrank_json import read_rexrank_json

__all__ = ["READERS", "jsonl_bytes"]

READERS: Mapping[str, Reader] = {
    "jsonl": read_jsonl,
    "rexrank-json": read_rexrank_json,
    "rexgradient": read_rexgradient,
}

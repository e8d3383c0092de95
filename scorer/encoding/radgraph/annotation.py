"""What RadGraph says of one report, and its form in the cache."""

from __future__ import annotations

import json
from dataclasses import dataclass

__all__ = ["Entity", "Graph", "pack", "unpack"]


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A labelled span.

    Attributes:
        tokens: its words, joined by spaces. start, end: first and last word, counted from 0.
        relations: (type, place of the tail in the graph).
    """

    tokens: str
    label: str
    start: int
    end: int
    relations: tuple[tuple[str, int], ...] = ()


Graph = tuple[Entity, ...]
"""Entities in order of start, then end."""


def pack(graph: Graph) -> bytes:
    """A graph as bytes."""
    rows = [
        [one.tokens, one.label, one.start, one.end, [list(pair) for pair in one.relations]] for one in graph
    ]
    return json.dumps(rows, separators=(",", ":")).encode("ascii")


def unpack(data: bytes) -> Graph:
    """The graph back."""
    return tuple(
        Entity(
            tokens=tokens,
            label=label,
            start=start,
            end=end,
            relations=tuple((kind, tail) for kind, tail in relations),
        )
        for tokens, label, start, end, relations in json.loads(data)
    )

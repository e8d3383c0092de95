"""Choices that depend on nothing but their name: not on order, platform or Python version."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

__all__ = ["Dice", "Imitation", "Voice"]

T = TypeVar("T")


class Voice(Protocol):
    """What a writer needs: named choices."""

    def pick(self, name: str, options: Sequence[T]) -> T: ...

    def chance(self, name: str, probability: float) -> bool: ...


@dataclass(frozen=True)
class Dice:
    """A source of named choices; the same seed and name always give the same choice."""

    seed: str

    def roll(self, name: str) -> float:
        """A number in [0, 1)."""
        drawn = hashlib.sha256(f"{self.seed}|{name}".encode()).digest()[:6]
        return int.from_bytes(drawn, "big") / 2**48

    def pick(self, name: str, options: Sequence[T]) -> T:
        return options[int(self.roll(name) * len(options))]

    def chance(self, name: str, probability: float) -> bool:
        return self.roll(name) < probability

    def weighted(self, name: str, weights: dict[T, float]) -> T:
        """A key, drawn in proportion to its weight."""
        left = self.roll(name) * sum(weights.values())
        for key, weight in weights.items():
            left -= weight
            if left < 0:
                return key
        return next(reversed(weights))

    def child(self, name: str) -> Dice:
        return Dice(f"{self.seed}|{name}")


@dataclass(frozen=True)
class Imitation:
    """Follows another voice's choices with some fidelity (0 never, 1 always) and else makes its own."""

    original: Dice
    own: Dice
    fidelity: float

    def _who(self, name: str) -> Dice:
        return self.original if self.own.chance(f"follow {name}", self.fidelity) else self.own

    def pick(self, name: str, options: Sequence[T]) -> T:
        return self._who(name).pick(name, options)

    def chance(self, name: str, probability: float) -> bool:
        return self._who(name).chance(name, probability)

"""Dataset cards: what a dataset is, who may see what, and the digest of its references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from scorer.types import Release, Study

__all__ = ["Access", "Card", "Reader", "Split"]

_STRICT = {"extra": "forbid"}
"""Read by pydantic when a card is validated: unknown keys are refused."""

Access = Literal["open", "credentialed", "agreement", "gated", "private"]


@dataclass(frozen=True, kw_only=True)
class Split:
    """A list of studies of a dataset.

    Attributes:
        n_studies: studies in the split. n_track: studies that count, by track.
        digest: sha256 of the canonical references; "" where nobody of us has seen them.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    n_studies: int
    n_track: Mapping[str, int] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, kw_only=True)
class Card:
    """A dataset card, read from `scorer/datasets/cards/<id>.yaml`.

    Attributes:
        id: kebab-case. version: bumped when the scored split or a reference changes.
        split: name of the scored split. splits: by name; others serve probes only.
        tracks: tracks this dataset can have a board for.
        release: what may be public, see `scorer.types.Release`.
        how_to_get: plain words with the `rexrank data add` line.
        reader: name in `scorer.datasets.READERS`.
        ships_in: folder beside the cards that holds the references; "" when users bring their own copy.
        attributes: study attributes offered for subgroups: name -> label.
        min_subgroup: smallest subgroup shown. decimals: digits published; None leaves it to the metric.
        trained_with: ids of datasets whose training split is this one's own training split.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    id: str
    version: int
    name: str
    summary: str
    modality: str = "chest X-ray"
    split: str
    splits: Mapping[str, Split]
    tracks: Sequence[str]
    access: Access
    release: Release
    licence: str
    source: str
    how_to_get: str
    reader: str
    ships_in: str = ""
    knows_patients: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)
    min_subgroup: int = 10
    decimals: int | None = None
    trained_with: Sequence[str] = ()
    notes: Sequence[str] = ()
    changes: Sequence[str] = ()

    @property
    def key(self) -> str:
        return f"{self.id}@{self.version}"

    @property
    def is_public(self) -> bool:
        """Whether predictions and per-study numbers may stand in the repository."""
        return self.release != "aggregate"


Reader = Callable[[Path, Card, str], tuple[Study, ...]]
"""(path given to `rexrank data add`, card, split) -> studies in ascending id order.

An empty tuple says that the path holds nothing of that split. Raises InputError with every problem found;
where the card is not public, problems name kinds and counts, never an id or a text."""

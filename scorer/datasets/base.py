"""Dataset cards: what a dataset is, who may see what, and the digest of its references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from scorer.types import Release, Study

__all__ = ["Access", "Card", "Reader", "Rules", "Split"]

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
class Rules:
    """What keeps a private split private: how often it is scored, what is scored at all, what is published.

    One study of 10,000 moves a mean by at most 1e-4, which four decimals would show; hence `Card.decimals`.

    Attributes:
        days_between: days between two private scorings of one owner, counted from the history of the records.
        daily_scorings: private scorings a day, all owners together.
        min_non_empty: least share of predictions with text.
        max_identical: largest share of predictions that may be one and the same text.
        min_length, max_length: bounds of the mean length of predictions over that of references, in words.
        only_improvements: publish an owner's further entries only when significantly better than the best so far
            (the Ladder of Blum and Hardt 2015, with the paired test in place of its step).
        sealed_share: share of studies that is scored for snapshots only; which ones, the scoring machine knows.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _STRICT

    days_between: int = 30
    daily_scorings: int = 4
    min_non_empty: float = 0.99
    max_identical: float = 0.2
    min_length: float = 0.2
    max_length: float = 5.0
    only_improvements: bool = True
    sealed_share: float = 0.0

    def sentences(self) -> tuple[str, ...]:
        """The rules in plain words, for the dataset's page."""
        said = [
            f"One private scoring per owner in {self.days_between} days, "
            f"and at most {self.daily_scorings} a day in all.",
            f"Before scoring: exactly the studies of the split, at least {self.min_non_empty:.0%} of the predictions "
            f"with text, at most {self.max_identical:.0%} of them identical, and a mean length between "
            f"{self.min_length:g} and {self.max_length:g} times the references'.",
        ]
        if self.only_improvements:
            said.append(
                "An owner's further entry is published only when it is significantly better than the owner's best one."
            )
        if self.sealed_share:
            said.append(
                f"{self.sealed_share:.0%} of the studies are sealed: scored for snapshots only, with the gap shown."
            )
        return tuple(said)


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
        rules: of a private split, where they are not the usual ones.
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
    rules: Rules | None = None
    notes: Sequence[str] = ()
    changes: Sequence[str] = ()

    @property
    def key(self) -> str:
        return f"{self.id}@{self.version}"

    @property
    def private_rules(self) -> Rules | None:
        """The rules of a private split, the usual ones where its card names none; None for other datasets."""
        return (self.rules or Rules()) if self.access == "private" else None

    @property
    def is_public(self) -> bool:
        """Whether predictions and per-study numbers may stand in the repository."""
        return self.release != "aggregate"


Reader = Callable[[Path, Card, str], tuple[Study, ...]]
"""(path given to `rexrank data add`, card, split) -> studies in ascending id order.

An empty tuple says that the path holds nothing of that split. Raises InputError with every problem found;
where the card is not public, problems name kinds and counts, never an id or a text."""

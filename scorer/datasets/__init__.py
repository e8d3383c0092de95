"""Datasets: what can be scored, and the references on this machine.

    load("demo-cxr")                           # ships with the package
    load("iu-xray", state_dir=state_dir())     # a user's copy, registered by `rexrank data add iu-xray PATH`

Order of `CARDS` is board order. A results folder may bring further cards (`results/datasets/<id>.yaml`):
boards of another organ need cards, no code.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from scorer.datasets.base import Card, Split
from scorer.datasets.catalogue import PACKAGED, card_folder, extra_ids, read_card
from scorer.datasets.readers import READERS
from scorer.datasets.references import count_tracks, differences, references_digest
from scorer.datasets.registration import State, read_registered, register_card, state_of
from scorer.errors import InputError, Problem, UsageError, printable
from scorer.types import Study

__all__ = [
    "CARDS",
    "READERS",
    "Card",
    "Split",
    "State",
    "card",
    "cards",
    "count_tracks",
    "load",
    "references_digest",
    "register",
    "state_of",
]

CARDS: tuple[str, ...] = (
    "demo-cxr",
    "iu-xray",
    "mimic-cxr",
    "chexpert-plus",
    "rexgradient",
    "rexgradient-private",
)


def cards(results_root: Path | None = None) -> tuple[Card, ...]:
    """All cards in board order: the packaged ones, then those of the results folder by id.

    Raises:
        InputError: a card that is wrong, or one with the id of a packaged card.
    """
    extra = extra_ids(results_root)
    taken = [id for id in extra if id in CARDS]
    if taken:
        assert results_root is not None
        raise InputError(
            Problem(
                path=str(results_root / "datasets" / f"{id}.yaml"),
                code="duplicate-card",
                message=f"'{id}' is the id of a packaged dataset",
                hint="choose another id",
            )
            for id in taken
        )
    return tuple(card(id, results_root) for id in (*CARDS, *extra))


def card(dataset_id: str, results_root: Path | None = None) -> Card:
    """The card of one dataset.

    Raises:
        UsageError: no such dataset; names the nearest.
        InputError: the card is wrong.
    """
    folder = card_folder(dataset_id, CARDS, results_root)
    if folder is None:
        known = (*CARDS, *extra_ids(results_root))
        nearest = difflib.get_close_matches(dataset_id, known, n=1)
        advice = f"did you mean '{nearest[0]}'?" if nearest else f"known: {', '.join(known)}"
        raise UsageError(f"'{printable(dataset_id)}' is not a dataset; {advice}")
    path = folder / "cards" / f"{dataset_id}.yaml" if folder == PACKAGED else folder / f"{dataset_id}.yaml"
    return read_card(path, READERS)


def load(
    dataset_id: str,
    split: str | None = None,
    state_dir: Path | None = None,
    *,
    results_root: Path | None = None,
) -> tuple[Study, ...]:
    """The studies of a split in ascending id order; the scored split when none is named.

    Args:
        state_dir: where registrations lie; without it only datasets that ship can be loaded.
        results_root: where further cards lie.

    Raises:
        UsageError: no such dataset or split.
        DatasetMissing: not registered on this machine; with the command that registers it.
        InputError: the registered files have changed, or a shipped one is damaged.
    """
    found = card(dataset_id, results_root)
    split = found.split if split is None else split
    if split not in found.splits:
        raise UsageError(
            f"'{printable(split)}' is not a split of {found.id}; it has {', '.join(found.splits)}"
        )
    reader = READERS[found.reader]
    if not found.ships_in:
        return read_registered(found, reader, split, state_dir)
    folder = card_folder(found.id, CARDS, results_root)
    assert folder is not None
    studies = reader(folder / found.ships_in, found, split)
    if said := differences(found, split, studies):
        path = str(folder / found.ships_in)
        hint = "restore the file or bump the card"
        raise InputError(
            Problem(path=path, code="other-references", message=line, hint=hint) for line in said
        )
    return studies


def register(
    dataset_id: str, path: Path, state_dir: Path, *, results_root: Path | None = None
) -> dict[str, tuple[Study, ...]]:
    """Verifies a user's copy of a dataset and remembers where it is; gives the studies found, by split.

    Raises:
        UsageError: no such dataset, or one that ships and needs no registration.
        InputError: the path does not hold what the card describes.
    """
    found = card(dataset_id, results_root)
    if found.ships_in:
        raise UsageError(f"{found.id} ships with its card and needs no registration")
    return register_card(found, READERS[found.reader], path, state_dir)

"""`rexrank data`: register a dataset's references, list what is there and how to get the rest."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir

__all__ = ["command"]

_STATES = {
    "ships": "ships with its card",
    "registered": "registered",
    "gone": "registered, but no longer at its path",
    "missing": "not on this machine",
}


@click.group(name="data")
def command() -> None:
    """Register a dataset's references, list what is there.

    References stay where they are: only their path and digests are remembered.
    """


@command.command()
@click.argument("dataset")
@click.argument("path", type=click.Path(path_type=Path))
@results_option
@json_option
def add(dataset: str, path: Path, results: Path, as_json: bool) -> None:
    """Verify counts and digest of the copy of DATASET at PATH (a file or a folder), and register it."""
    from scorer.datasets import card, count_tracks, references_digest, register
    from scorer.errors import RexrankError

    try:
        found = register(dataset, path, state_dir(), results_root=results)
    except OSError as error:
        raise RexrankError(
            f"{error.filename or state_dir()}: {error.strerror}; nothing was registered"
        ) from None
    splits = {
        split: {
            "n_studies": len(studies),
            "n_track": count_tracks(studies),
            "digest": references_digest(studies),
        }
        for split, studies in found.items()
    }
    if as_json:
        print_json({"dataset": dataset, "path": str(path.expanduser().absolute()), "splits": splits})
        return
    for split, studies in found.items():
        tracks = ", ".join(f"{n} in {track}" for track, n in count_tracks(studies).items())
        verified = (
            "digest as on the card" if card(dataset, results).splits[split].digest else "digest recorded"
        )
        click.echo(f"{dataset} {split}: {len(studies)} studies ({tracks}); {verified}")


@command.command(name="list")
@results_option
@json_option
def list_datasets(results: Path, as_json: bool) -> None:
    """Say which datasets are on this machine, and how to get the others."""
    from scorer.datasets import cards, state_of

    home = state_dir()
    found = [(card, state_of(card, home)) for card in cards(results)]
    if as_json:
        print_json(
            {
                "datasets": [
                    {
                        "dataset": card.id,
                        "name": card.name,
                        "access": card.access,
                        "release": card.release,
                        "split": card.split,
                        "n_studies": card.splits[card.split].n_studies,
                        "state": state,
                        "how_to_get": card.how_to_get.strip(),
                    }
                    for card, state in found
                ]
            }
        )
        return
    width = max(len(card.id) for card, _ in found)
    for card, state in found:
        n = f"{card.splits[card.split].n_studies:,} {card.split}"
        click.echo(f"{card.id:{width}}  {n:>14}  {card.access:12}  {_STATES[state]}")
    absent = [card for card, state in found if state in {"gone", "missing"}]
    for card in absent:
        click.echo(f"\nTo get {card.id}:", err=True)
        for line in card.how_to_get.strip().splitlines():
            click.echo(f"  {line}", err=True)

"""Pages of datasets: the card, access and release, its boards, and where published figures stand."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.datasets.base import Card
from site_builder.page import Made, Page
from site_builder.render import render
from site_builder.views.board_pages import board_line
from site_builder.views.cases import cases_path, has_cases
from site_builder.views.reported import board_id, when_short
from site_builder.wording import count
from site_builder.world import World, track_label

__all__ = ["make"]

_RELEASE = {
    "texts": "everything: texts, predictions, per-study numbers and records",
    "studies": "predictions, per-study numbers and records; reference texts are read from your own copy",
    "aggregate": "records of numbers only; no text and nothing per study",
}


def make(world: World) -> Iterator[Made]:
    """The list of datasets, a page per card, and a page per dataset that only published editions name."""
    cards = tuple(world.datasets.values())
    others = sorted(
        {row.dataset for e in world.editions for row in e.rows}
        - {card.id for card in cards}
        - {d for (d, s), id in world.cards_by_split.items() if id}
    )
    yield Page(
        path="datasets/",
        title="Datasets",
        description="What is scored: studies, sections, access, and how to get each dataset.",
        find="datasets",
        html=render(
            "datasets.html",
            "../",
            cards=[_line(card) for card in cards],
            others=[(world.dataset_name(d), f"datasets/{d}/") for d in others],
        ),
    )
    for card in cards:
        yield Page(
            path=f"datasets/{card.id}/",
            title=card.name,
            description=card.summary,
            find=f"{card.name} dataset",
            html=render(
                "dataset.html",
                "../../",
                card=card,
                known=_facts(card),
                cases=cases_path(card.id) if has_cases(world, card.id) else "",
                boards=[board_line(world, b) for b in world.boards if b.dataset == card.id],
                reported=_reported(
                    world,
                    {key for key, id in world.cards_by_split.items() if id == card.id}
                    | _other_splits(world, card),
                ),
            ),
        )
    for dataset in others:
        yield Page(
            path=f"datasets/{dataset}/",
            title=world.dataset_name(dataset),
            description=f"{world.dataset_name(dataset)}: published figures only.",
            find=f"{world.dataset_name(dataset)} dataset",
            html=render(
                "dataset_reported.html",
                "../../",
                name=world.dataset_name(dataset),
                reported=_reported(
                    world,
                    {
                        (row.dataset, row.split)
                        for e in world.editions
                        for row in e.rows
                        if row.dataset == dataset
                    },
                ),
            ),
        )


def _line(card: Card) -> dict[str, object]:
    split = card.splits[card.split]
    return {
        "name": card.name,
        "href": f"datasets/{card.id}/",
        "summary": card.summary,
        "n": split.n_studies,
        "access": card.access,
        "release": card.release,
    }


def _facts(card: Card) -> tuple[tuple[str, str], ...]:
    split = card.splits[card.split]
    pairs = [
        ("scored split", f"{card.split}, {count(split.n_studies, 'study', 'studies')}"),
        *(
            (f"studies in the {track_label(track)} track", f"{split.n_track[track]:,}")
            for track in card.tracks
            if track in split.n_track
        ),
        ("modality", card.modality),
        ("access", card.access),
        ("may be public", _RELEASE[card.release]),
        ("licence", card.licence),
        ("source", card.source),
        (
            "patients known",
            "yes; resampling is by patient" if card.knows_patients else "no; resampling is by study",
        ),
        ("subgroups", ", ".join(card.attributes.values())),
        ("smallest subgroup shown", count(card.min_subgroup, "study", "studies")),
        ("version", str(card.version)),
        ("sha256 of the references", split.digest),
    ]
    return tuple((label, words) for label, words in pairs if words)


def _other_splits(world: World, card: Card) -> set[tuple[str, str]]:
    """Published places of this dataset under splits that have no board."""
    return {
        (row.dataset, row.split)
        for e in world.editions
        for row in e.rows
        if row.dataset == card.id and not world.board_of(row.dataset, row.split)
    }


def _reported(world: World, places: set[tuple[str, str]]) -> list[tuple[str, str, int]]:
    """(words, address, figures) of every published table at these places, newest first."""
    found = []
    for edition in reversed(world.editions):
        for place in edition.boards:
            if place[:2] in places:
                words = f"{when_short(edition)}: {place[1].replace('-', ' ')} split, {track_label(place[2])}"
                n = len(edition.board(place[0], place[2], place[1]))
                found.append((words, f"editions/{edition.id}/#{board_id(place)}", n))
    return found

"""Reads a results folder into a `World`. The only part of the builder that opens files of `results/`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from scorer.board import Board
from scorer.boards import build_boards
from scorer.cells import Workshop
from scorer.citing import read_publisher
from scorer.datasets.base import Card
from scorer.errors import InputError
from scorer.metrics import METRICS
from scorer.probes import PROBES
from scorer.published import read_editions, read_model_cards
from scorer.snapshots.corrections import read_corrections
from scorer.text import TRACKS, Track
from site_builder.cases import datasets_asked, read_cases
from site_builder.models import Model, from_card, from_submission, merge, probe
from site_builder.snapshots import read_snapshots
from site_builder.studies import closed_pairs, study_values
from site_builder.subgroups import model_subgroups
from site_builder.world import World

__all__ = ["read_world"]


def _warn(line: str) -> None:
    print(f"rexrank build: {line}", file=sys.stderr)


def read_world(
    root: Path,
    state: Path,
    cache_dir: Path | None = None,
    base_url: str = "",
    said: Callable[[str], None] = _warn,
    asked: Sequence[str] = (),
) -> World:
    """Everything that the pages show.

    A submission that cannot be read any more (an old schema, a broken file) keeps its page with a note and
    does not stop the build.

    Args:
        root: the results folder. state: registrations and private tables of this machine.
        cache_dir: where ranked columns are remembered and encodings lie. base_url: where the site will stand.
        said: takes one warning a line. asked: open datasets whose texts are shown though their cards do not say so.

    Raises:
        InputError: published editions, records, dataset cards or corrections are broken, or a snapshot is
            not what its checksums say.
        UsageError, DatasetMissing: cases are asked for that cannot be shown, see `site_builder.cases`.
    """
    shop = Workshop(root, state, cache_dir)
    shown = datasets_asked(shop, asked)
    models: dict[str, Model] = {one.model: probe(one.model, one.label, one.what) for one in PROBES}
    for card in read_model_cards(root):
        models[card.slug] = from_card(card)
    for id in shop.results.submission_ids():
        try:
            model = from_submission(shop.submission(id))
        except InputError as error:
            said(f"submissions/{id} needs an update: {error.problems[0].message}")
            model = Model(
                id=id,
                name=id,
                is_submitted=True,
                lifecycle="needs update",
                note="Its card cannot be read by this version.",
            )
        models[id] = merge(model, models[id]) if id in models else model
    publisher = read_publisher(root.resolve().parent / "CITATION.cff")
    boards = _boards(shop)
    cases = cache(partial(read_cases, shop, cache_dir, boards, shown))
    for dataset in asked:
        if cases(dataset) is None:
            said(f"no model's predictions for {dataset} are at hand, so there are no cases to show")
    return World(
        boards=boards,
        models=models,
        datasets={card.id: card for card in shop.cards},
        metrics=tuple(metric.spec for metric in METRICS),
        records={(r.model, r.dataset, r.track): r for r in shop.results.records()},
        editions=read_editions(root),
        snapshots=read_snapshots(root),
        corrections=read_corrections(root),
        publisher=replace(publisher, url=base_url or publisher.url),
        results=root,
        base_url=base_url,
        record_bytes=lambda r: shop.results.record_path(r.model, r.dataset, r.track).read_bytes(),
        study_values=partial(study_values, shop),
        closed_pairs=partial(closed_pairs, shop),
        subgroups=partial(model_subgroups, shop, cache_dir),
        cases=cases,
    )


def _boards(shop: Workshop) -> Sequence[Board]:
    """A board for every dataset and track of the cards; an empty one where nothing was submitted."""
    built = {(board.dataset, board.track): board for board in build_boards(shop)}
    return tuple(
        built.get((card.id, track)) or _empty(card, track)
        for card in shop.cards
        for track in TRACKS
        if track in card.tracks
    )


def _empty(card: Card, track: Track) -> Board:
    split = card.splits[card.split]
    n = split.n_track.get(track, 0)
    return Board(dataset=card.id, track=track, n=n, n_patients=0, order="", columns=(), rows=(), date="")
